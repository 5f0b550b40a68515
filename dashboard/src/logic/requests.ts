// What the page of requests filters by, and how it shows what failed.
import { errorCodes } from "@/texts/requests";

/** Statuses that requests are refused with. */
export const STATUSES = [400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503];

/** Red is the server's fault, orange passes by itself or with credits, yellow is the client's. */
export function statusColor(status: number): string {
  if (status >= 500) return "red";
  return status === 402 || status === 429 ? "orange" : "yellow";
}

/** What a code means and what to do about it, if it is one of Gavel's. */
export function explanationOf(code: string): { when: string; todo: string } | undefined {
  return Object.hasOwn(errorCodes, code) ? errorCodes[code] : undefined;
}

/** Why a list of failed requests has no rows. */
export function whyNone(filters: { id?: string; status?: number; key?: string }): "unknown" | "nothing" | "empty" {
  if (filters.id) return "unknown";
  return filters.status || filters.key ? "nothing" : "empty";
}

/** How long a request took. */
export function latency(milliseconds: number): string {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`;
}
