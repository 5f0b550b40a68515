// How sure a share of a few answers is.

export interface Interval {
  low: number;
  high: number;
}

/** The standard normal distribution's 97.5th percentile. */
const Z = 1.959_964;

/** The 95% interval of `hits` of `count` (Wilson 1927), as the server computes that of the accuracy. */
export function wilson(hits: number, count: number): Interval | undefined {
  if (count <= 0) return undefined;
  const share = hits / count;
  const scale = 1 + Z ** 2 / count;
  const center = (share + Z ** 2 / (2 * count)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2));
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}
