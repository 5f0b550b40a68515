// What the shadow of a policy would have done.

interface Outcome {
  live: string;
  shadow: string;
  messages: number;
}

/** The messages that both decided on, and those on which they differ. */
export function shadowTotals(outcomes: Outcome[]): { all: number; changed: number } {
  const sum = (some: Outcome[]) => some.reduce((total, one) => total + one.messages, 0);
  return { all: sum(outcomes), changed: sum(outcomes.filter((one) => one.live !== one.shadow)) };
}
