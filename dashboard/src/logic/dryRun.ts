// The outcome of a dry run beside what was decided before.

interface Verdict {
  action: string;
}

/** Actions, mildest first. */
const SEVERITY = ["NONE", "WARN", "TIMEOUT", "BAN"];

/** A message to try rules on, with the action that it got; without one, that of no policy counts. */
export interface Trial {
  content: string;
  before?: string;
}

export interface Outcome<R> {
  result: R;
  before: string;
  after: string;
  /** Above 0: the rules are stricter. */
  change: number;
}

/** The outcomes, those that changed first, the most severe before. */
export function outcomes<R extends { verdict: Verdict; withoutPolicy: Verdict }>(
  trials: Trial[],
  results: R[],
): Outcome<R>[] {
  const all = results.map((result, index) => {
    const before = trials[index]?.before ?? result.withoutPolicy.action;
    const after = result.verdict.action;
    return { result, before, after, change: SEVERITY.indexOf(after) - SEVERITY.indexOf(before) };
  });
  const rank = (outcome: Outcome<R>) => (outcome.change === 0 ? 0 : 10) + SEVERITY.indexOf(outcome.after);
  return all.toSorted((a, b) => rank(b) - rank(a));
}
