/** A typed client for Gavel. */
export * from "./client.js";
export * from "./errors.js";
export type { Retries } from "./retries.js";
export type { components, paths } from "./schema.js";
export * from "./webhooks.js";
