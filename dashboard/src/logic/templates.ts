// Judges to begin with: the files of templates/, each measured on written examples by presets/measure.py.
import contentWarnings from "@/templates/content-warnings.json";
import leadQuality from "@/templates/lead-quality.json";
import logTriage from "@/templates/log-triage.json";
import promptInjection from "@/templates/prompt-injection.json";
import ragRelevance from "@/templates/rag-relevance.json";
import spamTriage from "@/templates/spam-triage.json";
import supportRouting from "@/templates/support-routing.json";
import toxicity from "@/templates/toxicity.json";
import { type Draft, draftsOf } from "./instructions";

/** How often a question is answered correctly. */
export interface Measured {
  accuracy: number;
  /** The half of the examples that was counted. */
  of: string;
  n: number;
  /** The share of the commonest answer. */
  baseline: number;
  /** For levels: the share that is at most one level off. */
  withinOne?: number;
  /** Accuracy on the half by which the wording was chosen. */
  choose: number;
  /** Accuracy with a Checkpoint trained on the template's examples. */
  trained?: number;
}

/** A state with the answers that it should get. */
export interface LabelledExample {
  state: unknown;
  ground_truth: Record<string, unknown>;
}

export interface Template {
  id: string;
  name: string;
  version: number;
  /** What a card says. */
  summary: string;
  description: string;
  /** Something to try it with. */
  example: string;
  instructions: Record<string, unknown>;
  /** By question. */
  measured: Record<string, Measured>;
  /** Imported when a Judge is created, to train a Checkpoint on. */
  examples?: LabelledExample[];
}

export const templates: Template[] = [
  supportRouting,
  spamTriage,
  toxicity,
  promptInjection,
  ragRelevance,
  leadQuality,
  contentWarnings,
  logTriage,
];

export const draftsFrom = (template: Template): Draft[] => draftsOf(template.instructions) ?? [];

/** The template's examples as JSON Lines, with labels for the questions that were not edited. */
export function exampleLines(template: Template | undefined, instructions: unknown): string {
  if (!template?.examples) return "";
  const asked = instructions as Record<string, unknown>;
  const kept = Object.keys(template.instructions).filter(
    (key) => JSON.stringify(template.instructions[key]) === JSON.stringify(asked[key]),
  );
  if (kept.length === 0) return "";
  return template.examples
    .map(({ state, ground_truth }) => ({
      state,
      ground_truth: Object.fromEntries(kept.map((key) => [key, ground_truth[key]])),
    }))
    .map((line) => JSON.stringify(line))
    .join("\n");
}
