// A file to import, as an example made for a Judge's own questions.
import { writeCsv } from "./csv";
import type { Format } from "./importFile";
import { type MappedJudge, membersOf } from "./importMapping";

const ROWS = 3;

export function sampleFile(format: Format, judge: MappedJudge, texts: string[]): string {
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    state: stateOf(judge, texts[index % texts.length] ?? "", index),
    truth: Object.fromEntries(
      judge.questions
        .filter(({ values }) => values.length > 0)
        .map(({ key, type, values }) => [key, valueOf(type, values[index % values.length] ?? "")]),
    ),
  }));
  if (format === "jsonl")
    return rows.map(({ state, truth }) => `${JSON.stringify({ state, ground_truth: truth })}\n`).join("");
  const keys = Object.keys(rows[0]?.truth ?? {});
  return writeCsv([
    ["state", ...keys.map((key) => `ground_truth.${key}`)],
    ...rows.map(({ state, truth }) => [
      typeof state === "string" ? state : JSON.stringify(state),
      ...keys.map((key) => String(truth[key])),
    ]),
  ]);
}

function stateOf(judge: MappedJudge, text: string, index: number): unknown {
  const members = membersOf(judge);
  if (members.length === 0) return text;
  return Object.fromEntries(
    members.map((field) => {
      if (field.kind === "number") return [field.key, index + 1];
      if (field.kind === "boolean") return [field.key, index % 2 === 0];
      return [field.key, field.kind === "one of" ? (field.values[0] ?? "") : text];
    }),
  );
}

/** A level by its number, yes or no as a boolean, and a choice by its name. */
function valueOf(type: string, value: string): string | number | boolean {
  if (type.toLowerCase() === "noul") return value === "true";
  return type.toLowerCase() === "score" ? Number(value) : value;
}
