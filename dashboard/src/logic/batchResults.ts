// The results of a bulk batch, as a table shows them.
import { plain, percentOrDash } from "./format";

export interface BatchResult {
  id: string;
  /** The action of a moderated message, and what its error is called. */
  action?: string;
  error?: string;
  /** The answer in words: of an action its figures, of an inference its answers, of an error its message. */
  text: string;
}

interface Answer {
  type?: string;
  choice?: string;
  score?: number;
  noul?: number;
  text?: string;
  abstained?: boolean;
}

interface Line {
  custom_id: string;
  response: { body?: Record<string, unknown> } | null;
  error: { code: string; message: string } | null;
}

export function readResult(text: string): BatchResult {
  const line = JSON.parse(text) as Line;
  const body = line.response?.body ?? {};
  if (line.error) return { id: line.custom_id, error: line.error.code, text: line.error.message };
  if (typeof body.action === "string") {
    const threat = typeof body.threat_score === "number" ? body.threat_score.toFixed(2) : "–";
    return { id: line.custom_id, action: body.action, text: threat };
  }
  const answers = Object.entries((body.answers ?? {}) as Record<string, Answer>);
  const said = answers.map(([key, answer]) => `${key}: ${answerText(answer)}`).join(", ");
  return { id: line.custom_id, text: said || plain(body) };
}

function answerText({ type, choice, score, noul, text, abstained }: Answer): string {
  if (abstained) return "–";
  if (type === "noul") return percentOrDash(noul);
  if (type === "score") return score?.toFixed(2) ?? "–";
  return choice ?? text ?? "–";
}

/** How often each name occurs, the most frequent first. */
function tally(names: (string | undefined)[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/** How many results there are of each action, of each error, and of answers. */
export function countResults(results: BatchResult[]): { actions: [string, number][]; errors: [string, number][] } {
  return { actions: tally(results.map((one) => one.action)), errors: tally(results.map((one) => one.error)) };
}
