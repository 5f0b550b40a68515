// Parts of a message that signals stand for.

export interface Part {
  text: string;
  /** The names of the signals that the part is in; empty for plain text. */
  signals: string[];
}

interface Signal {
  name: string;
  start: number;
  end: number;
}

/** Cuts `content` where signals begin and end. Places count Unicode code points, as the API does. */
export function parts(content: string, signals: Signal[]): Part[] {
  const points = Array.from(content);
  const within = signals.filter((signal) => signal.end > signal.start && signal.start < points.length);
  const cuts = [
    ...new Set([0, points.length, ...within.flatMap((signal) => [signal.start, Math.min(signal.end, points.length)])]),
  ].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, index) => ({
    text: points.slice(start, cuts[index + 1]).join(""),
    signals: within.filter((signal) => signal.start <= start && signal.end > start).map((signal) => signal.name),
  }));
}
