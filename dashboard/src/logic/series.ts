// Usage by period as the rows of a chart.

export interface UsageRow {
  start: string;
  /** What it is counted under. */
  name: string;
  requests: number;
  /** Messages, pictures and decisions. */
  items: number;
  credits: number;
}

export type UsageFigure = "requests" | "items" | "credits";

export interface ChartRow {
  day: string;
  [series: string]: string | number;
}

/** The days before and including that of `now`, in UTC, as `2026-11-22`. */
export function lastDays(days: number, now: Date): string[] {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  );
}

/** A row for each day, empty ones included, with a figure for each name. */
export function daily(usage: UsageRow[], days: string[], figure: UsageFigure): ChartRow[] {
  const names = [...new Set(usage.map((row) => row.name))];
  const rows = new Map(
    days.map((day) => [day, { day, ...Object.fromEntries(names.map((one) => [one, 0])) } as ChartRow]),
  );
  for (const row of usage) {
    const target = rows.get(row.start.slice(0, 10));
    if (target) target[row.name] = Number(target[row.name] ?? 0) + row[figure];
  }
  return [...rows.values()];
}

/** The names that occur, those with most items first. */
export function busiest(usage: UsageRow[]): string[] {
  const totals = new Map<string, number>();
  for (const row of usage) totals.set(row.name, (totals.get(row.name) ?? 0) + row.items);
  return [...totals].sort((a, b) => b[1] - a[1]).map(([one]) => one);
}

/** The top of an axis of four steps that holds `highest`. Each step is a round whole number, such as 1, 15 or 200. */
export function niceTop(highest: number): number {
  const least = Math.max(highest / 4, 1);
  const power = 10 ** Math.floor(Math.log10(least));
  const factors = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8].filter((factor) => Number.isInteger(factor * power));
  return 4 * power * (factors.find((factor) => factor * power >= least) ?? 10);
}
