// What the columns of a file mean for a Judge, and the file in the form that the server takes.
import type { ImportFile, SourceRow } from "./importFile";
import { stateFields } from "./stateSchema";

export interface MappedJudge {
  questions: { key: string; type: string; values: string[] }[];
  stateSchema: unknown;
}

/** A column's meaning: the state, a member of it, the ground truth of a question, or none. */
export type Meaning = "state" | `state.${string}` | `truth.${string}` | "";

/** Columns with their meanings. */
export type Mapping = Record<string, Meaning>;

const STATE = /^(state|content|text|message|body|comment|prompt|input|sentence|review|tweet|description|question)$/i;
const LABEL = /^(ground_?truth|label|labels|class|category|target|answer|truth|gold|y)$/i;

/** The members of a state that columns can fill in, where the Judge's schema has a form. */
export const membersOf = (judge: MappedJudge) => stateFields(judge.stateSchema) ?? [];

/** A column's name as the key of a question: that of `ground_truth.team` is `team`. */
const keyIn = (column: string) => column.replace(/^(ground_truth|truth|label)[._]/i, "").toLowerCase();

/** What the columns seem to mean by their names. */
export function guess(columns: string[], judge: MappedJudge): Mapping {
  const mapping: Mapping = {};
  const taken = new Set<Meaning>();
  const give = (column: string, meaning: Meaning | undefined) => {
    if (!meaning || mapping[column] || taken.has(meaning)) return;
    mapping[column] = meaning;
    taken.add(meaning);
  };
  const members = membersOf(judge);
  for (const column of columns) {
    const question = judge.questions.find(({ key }) => key.toLowerCase() === keyIn(column));
    const member = members.find(({ key }) => key.toLowerCase() === column.toLowerCase());
    if (member) give(column, `state.${member.key}`);
    else if (question) give(column, `truth.${question.key}`);
  }
  const byState = columns.find((column) => STATE.test(column));
  if (byState && members.length === 0) give(byState, "state");
  for (const column of columns.filter((name) => LABEL.test(name))) {
    const open = judge.questions.find(({ key, values }) => values.length > 0 && !taken.has(`truth.${key}`));
    if (open) give(column, `truth.${open.key}`);
  }
  return mapping;
}

/** Whether the mapping names what is decided about. */
export function isComplete(mapping: Mapping): boolean {
  return Object.values(mapping).some((meaning) => meaning === "state" || meaning.startsWith("state."));
}

/** A mapping in which a column has a meaning, and no other has it. */
export function withMeaning(mapping: Mapping, column: string, meaning: Meaning): Mapping {
  const others = Object.entries(mapping).filter(([name, one]) => name !== column && (!meaning || one !== meaning));
  return { ...Object.fromEntries(others), [column]: meaning };
}

/** The rows as JSON Lines. Each stands on the line that it has in the file, so that errors name that line. */
export function mappedLines(rows: SourceRow[], mapping: Mapping, judge: MappedJudge): string {
  const parts: string[] = [];
  let line = 1;
  for (const row of rows) {
    parts.push("\n".repeat(Math.max(row.line - line, 0)), JSON.stringify(mappedRow(row, mapping, judge)));
    line = Math.max(row.line, line);
  }
  return parts.join("");
}

function mappedRow({ values }: SourceRow, mapping: Mapping, judge: MappedJudge) {
  const truths: Record<string, unknown> = {};
  const members: Record<string, unknown> = {};
  let state: unknown;
  for (const [column, meaning] of Object.entries(mapping)) {
    const value = values[column];
    if (meaning === "state") state = value ?? "";
    else if (meaning.startsWith("state.")) {
      const member = memberValue(value, meaning.slice("state.".length), judge);
      if (member !== undefined) members[meaning.slice("state.".length)] = member;
    } else if (meaning.startsWith("truth.") && !isBlank(value)) {
      const question = judge.questions.find(({ key }) => meaning === `truth.${key}`);
      if (question) truths[question.key] = truthValue(value, question);
    }
  }
  return { state: state ?? members, ...(Object.keys(truths).length > 0 ? { ground_truth: truths } : {}) };
}

const isBlank = (value: unknown) => value === undefined || value === null || String(value).trim() === "";

const YES = /^(true|yes|y|1)$/i;
const NO = /^(false|no|n|0)$/i;

/** A ground truth as the server knows it: yes and no in other words, and values in upper or lower case. */
function truthValue(value: unknown, { type, values }: MappedJudge["questions"][number]): unknown {
  const text = String(value).trim();
  if (type.toLowerCase() === "noul") {
    if (YES.test(text)) return true;
    return NO.test(text) ? false : value;
  }
  if (values.includes(text)) return text;
  return values.find((one) => one.toLowerCase() === text.toLowerCase()) ?? (typeof value === "string" ? text : value);
}

function memberValue(value: unknown, key: string, judge: MappedJudge): unknown {
  if (isBlank(value)) return undefined;
  const kind = membersOf(judge).find((field) => field.key === key)?.kind;
  if (typeof value !== "string") return value;
  if (kind === "number") return Number.isNaN(Number(value)) ? value : Number(value);
  if (kind === "boolean" && (YES.test(value) || NO.test(value))) return YES.test(value);
  return value;
}

/** The columns that `file` has and that mean nothing. */
export const unused = (file: ImportFile, mapping: Mapping) => file.columns.filter((column) => !mapping[column]);
