// Which steps of the first-run tour are done.

/** Something was charged; there is a Judge; a Judge has samples. */
export function tourSteps(charges: number, judges: { stats: { count: number } }[]): boolean[] {
  const samples = judges.some((judge) => judge.stats.count > 0);
  return [charges > 0, judges.length > 0, samples];
}
