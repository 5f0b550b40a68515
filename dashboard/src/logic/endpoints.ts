// What the routes of the ledger are called.
import { words } from "./format";
import { overview } from "@/texts/overview";

/** A short name for a route. */
export function endpointName(endpoint: string): string {
  return overview.endpoints[endpoint] ?? words(endpoint.replace(/^\/api\/v1\/|^\//, "").replaceAll("/", " "));
}
