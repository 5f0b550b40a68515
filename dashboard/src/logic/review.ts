// The course of a review: which sample and which question is shown, and the way back. Pure, so that keys can be fast.

export interface Reviewed {
  sampleId: string;
  key: string;
  value: string;
}

export interface Review<S> {
  samples: S[];
  /** The sample shown; `samples.length` when all that were fetched are done. */
  position: number;
  /** The question shown, among those under review. */
  question: number;
  /** What was set, newest last. */
  done: (Reviewed & { position: number; question: number })[];
}

export function start<S>(): Review<S> {
  return { samples: [], position: 0, question: 0, done: [] };
}

/** With more samples, those that are known left out. */
export function extend<S extends { id: string }>(review: Review<S>, samples: S[]): Review<S> {
  const known = new Set(review.samples.map((sample) => sample.id));
  return { ...review, samples: [...review.samples, ...samples.filter((sample) => !known.has(sample.id))] };
}

/** Sets `value` for the question shown; the next question follows, or the next sample after the last. */
export function set<S extends { id: string }>(review: Review<S>, keys: string[], value: string): Review<S> {
  const sample = review.samples[review.position];
  const key = keys[review.question];
  if (!sample || !key) return review;
  const done = [
    ...review.done,
    { sampleId: sample.id, key, value, position: review.position, question: review.question },
  ];
  const last = review.question + 1 >= keys.length;
  return {
    ...review,
    done,
    question: last ? 0 : review.question + 1,
    position: last ? review.position + 1 : review.position,
  };
}

/** Goes to the next sample. */
export function skip<S>(review: Review<S>): Review<S> {
  return { ...review, question: 0, position: Math.min(review.position + 1, review.samples.length) };
}

/** Takes the last ground truth back, and shows its question again. */
export function back<S>(review: Review<S>): { review: Review<S>; undone: Reviewed | undefined } {
  const last = review.done.at(-1);
  if (!last) return { review, undone: undefined };
  return {
    review: { ...review, position: last.position, question: last.question, done: review.done.slice(0, -1) },
    undone: last,
  };
}

/** The key that chooses a value: 1 to 9, then 0 for the tenth. */
export function keyOf(index: number): string | undefined {
  return index < 9 ? String(index + 1) : index === 9 ? "0" : undefined;
}
