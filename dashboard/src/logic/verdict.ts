// What a recorded verdict says, from the answers of its sample.
import { CATEGORIES, type Category } from "./policyRules";

interface Answer {
  key: string;
  value?: string | null;
  probabilities?: unknown;
  groundTruth?: string | null;
}

/** The probability from which a message counts as having a harm. */
const HARMFUL = 0.5;

export interface Harm {
  category: Category;
  probability: number;
  /** What a moderator said. */
  truth?: boolean;
}

/** Every category with its probability, the most probable first. */
export function harms(answers: Answer[]): Harm[] {
  const found = CATEGORIES.flatMap((category): Harm[] => {
    const answer = answers.find((one) => one.key === category);
    const probability = (answer?.probabilities as Record<string, number> | null | undefined)?.true;
    if (probability === undefined) return [];
    return [{ category, probability, truth: answer?.groundTruth == null ? undefined : answer.groundTruth === "true" }];
  });
  return found.sort((a, b) => b.probability - a.probability);
}

/** Whether a message has a harm: as a moderator said, or by its probability. */
export const isHarm = ({ probability, truth }: Harm): boolean => truth ?? probability >= HARMFUL;

/** The action that a moderator decided on. */
export function decidedAction(answers: Answer[]): string | undefined {
  return answers.find((one) => one.key === "action")?.groundTruth ?? undefined;
}

/** Changes what a moderator is about to say of a category: the contrary of the verdict, or nothing of it again. */
export function toggled(categories: Record<string, boolean>, harm: Harm): Record<string, boolean> {
  const { [harm.category]: said, ...others } = categories;
  return said === undefined ? { ...others, [harm.category]: !isHarm(harm) } : others;
}
