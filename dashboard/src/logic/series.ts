// Usage by period as the rows of a chart.

export interface UsageRow {
  start: string;
  endpoint: string;
  requests: number;
  credits: number;
}

export interface ChartRow {
  day: string;
  [series: string]: string | number;
}

/** The days before and including that of `now`, in UTC, as `2026-11-22`. */
export function lastDays(days: number, now: Date): string[] {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return Array.from({ length: days }, (_, index) => new Date(today - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10));
}

/** A row for each day, empty ones included, with a figure for each endpoint. */
export function daily(usage: UsageRow[], days: string[], figure: "requests" | "credits", name: (endpoint: string) => string): ChartRow[] {
  const names = [...new Set(usage.map((row) => name(row.endpoint)))];
  const rows = new Map(days.map((day) => [day, { day, ...Object.fromEntries(names.map((one) => [one, 0])) } as ChartRow]));
  for (const row of usage) {
    const target = rows.get(row.start.slice(0, 10));
    const key = name(row.endpoint);
    if (target) target[key] = Number(target[key] ?? 0) + row[figure];
  }
  return [...rows.values()];
}

/** The endpoints that occur, those with most requests first. */
export function busiest(usage: UsageRow[], name: (endpoint: string) => string): string[] {
  const totals = new Map<string, number>();
  for (const row of usage) totals.set(name(row.endpoint), (totals.get(name(row.endpoint)) ?? 0) + row.requests);
  return [...totals].sort((a, b) => b[1] - a[1]).map(([one]) => one);
}
