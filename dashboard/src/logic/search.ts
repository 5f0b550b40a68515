// Reads what the URL holds. Anything that is not understood counts as left out.

/** A string that is not empty; TanStack Router reads `?name=5` as a number. */
export function text(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A whole number above 0. */
export function integer(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

/** One of `choices`. */
export function choice<const T extends string | number>(value: unknown, choices: readonly T[]): T | undefined {
  return choices.find((one) => one === value);
}

/**
 * The members that may be undefined as optional ones. They stay, since the router lays what a page understands of the
 * URL over what the URL says: without them, what was not understood would remain. URLs have no undefined members.
 */
export const optional = <T extends object>(
  search: T,
): { [K in keyof T as undefined extends T[K] ? K : never]?: T[K] } & {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} => search;

/** Addresses are read against this one: what has another origin afterwards is not within the dashboard. */
const HERE = "https://dashboard.invalid";

/** A page of the dashboard with its search, as a browser reads it; nothing for any other address. */
export function localPath(address: string | undefined, isPage: (path: string) => boolean): string | undefined {
  if (!address?.startsWith("/") || !URL.canParse(address, HERE)) return undefined;
  const { origin, pathname, search, hash } = new URL(address, HERE);
  return origin === HERE && isPage(pathname) ? pathname + search + hash : undefined;
}
