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

/** Without the members that are undefined, so that URLs stay short. */
export function optional<T extends object>(
  search: T,
): { [K in keyof T as undefined extends T[K] ? K : never]?: T[K] } & {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as never;
}
