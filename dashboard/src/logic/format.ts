// Numbers and times as people read them.

const creditFormat = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });
const countFormat = new Intl.NumberFormat("en");
const compactFormat = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const exactFormat = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Credits, to the thousandth that the ledger counts in. */
export const credits = (amount: number) => creditFormat.format(amount);
export const count = (number: number) => countFormat.format(number);
export const compact = (number: number) => compactFormat.format(number);
/** How many of what: `1 sample`, `2,000 samples`. */
export const plural = (number: number, one: string, many = `${one}s`) =>
  `${count(number)} ${number === 1 ? one : many}`;
/** An amount with its unit: `1 credit`, `0.5 credits`. */
export const creditAmount = (amount: number) => `${credits(amount)} ${amount === 1 ? "credit" : "credits"}`;
/** An amount with its sign. */
export const signed = (amount: number) => (amount > 0 ? `+${credits(amount)}` : credits(amount).replace("-", "−"));
/** A figure between 0 and 1 as a percentage. */
export const percent = (share: number, digits = 1) => `${(share * 100).toFixed(digits)}%`;
/** A figure, or a dash where there is none. */
export const figure = (value: number | null | undefined, digits = 3) => (value == null ? "–" : value.toFixed(digits));
/** A share with its interval, such as `82.0% (69–90%)`, or a dash where there is none. */
export function shareWithInterval(
  share: number | null | undefined,
  interval: { low: number; high: number } | null | undefined,
): string {
  return share == null || !interval ? percentOrDash(share) : `${percent(share)} (${intervalText(interval)})`;
}
/** An interval of shares, such as `69–90%`. */
export const intervalText = ({ low, high }: { low: number; high: number }) =>
  `${Math.round(low * 100)}–${percent(high, 0)}`;
export const percentOrDash = (value: number | null | undefined) => (value == null ? "–" : percent(value));
/** The local time, to the second. */
export const exactTime = (iso: string) => exactFormat.format(new Date(iso));

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** How long ago, or how soon, in the largest unit that fits. */
export function relativeTime(iso: string, now: number): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relativeFormat.format(Math.trunc(seconds / length), unit);
  }
  // The clock of a page ticks every 20 seconds, so what has just happened may seem to lie ahead.
  return seconds > -10 && seconds < 25 ? "just now" : relativeFormat.format(Math.trunc(seconds), "second");
}

/** How long from `from` to `to`, such as `1 min 5 s`. */
export function duration(from: string, to: string): string {
  return timeSpan(Math.max(0, Math.round((new Date(to).getTime() - new Date(from).getTime()) / 1000)));
}

/** A number of seconds as a person says it. */
export function timeSpan(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Any JSON as a person reads it: text as it is, and a moderated message by its words. */
export function plain(value: unknown): string {
  if (typeof value === "string") return value;
  const { content, author, channel, ...rest } = (value ?? {}) as Record<string, unknown>;
  if (typeof content !== "string" || Object.keys(rest).length > 0) return JSON.stringify(value);
  const from = [author, channel].filter((one) => one !== undefined).join(", ");
  return from ? `${content} (${from})` : content;
}

/** Names whose words are not their parts. */
const NAMES: Record<string, string> = {
  sexual_minors: "Child sexual exploitation",
  self_harm: "Self-harm",
};

/** `some_key` or `SOME_VALUE` as words. */
export function words(name: string): string {
  const named = NAMES[name];
  if (named) return named;
  const text = name.replaceAll("_", " ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A clause of the server as a sentence. */
export function sentence(clause: string): string {
  const text = clause.charAt(0).toUpperCase() + clause.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
