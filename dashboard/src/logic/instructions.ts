// Questions as people edit them, and as the API takes them.

export type QuestionType = "choice" | "score" | "noul";

export interface Option {
  name: string;
  /** What it means; for yes and no, what counts as such. */
  text: string;
}

export interface Draft {
  /** Tells drafts apart while their keys are edited. */
  id: string;
  key: string;
  type: QuestionType;
  text: string;
  /** Choices, or levels from the lowest to the highest; for yes/no nothing. */
  options: Option[];
}

let next = 0;
/** Tells this visit's drafts from those that an earlier one has kept. */
const VISIT = Date.now().toString(36);

export function newDraft(draft: Partial<Omit<Draft, "id">> = {}): Draft {
  next += 1;
  return { id: `draft-${VISIT}-${next}`, key: "", type: "choice", text: "", options: [], ...draft };
}

/** The instructions of the drafts, each typed. */
export function instructionsOf(drafts: Draft[]): Record<string, unknown> {
  return Object.fromEntries(drafts.map((draft) => [draft.key.trim(), instructionOf(draft)]));
}

function instructionOf(draft: Draft): unknown {
  const options = draft.options.filter((option) => option.name.trim() !== "");
  const question = draft.text.trim() ? { instructions: draft.text.trim() } : {};
  if (draft.type === "noul") return { type: "noul", ...question };
  if (draft.type === "score")
    return { type: "score", ...question, criteria: options.map((option) => option.name.trim()) };
  const criteria = Object.fromEntries(options.map((option) => [option.name.trim(), option.text.trim() || null]));
  return { type: "choice", ...question, criteria };
}

/** The drafts of stored instructions; undefined when they have a form that only JSON can show. */
export function draftsOf(instructions: unknown): Draft[] | undefined {
  const entries = entriesOf(instructions);
  const drafts = entries?.map(([key, value]) => draftOf(key, value));
  return drafts?.every((draft) => draft !== undefined) ? drafts : undefined;
}

function entriesOf(instructions: unknown): [string, unknown][] | undefined {
  if (typeof instructions === "string") return [["answer", instructions]];
  if (Array.isArray(instructions)) {
    return instructions.map((one: unknown, index) => {
      const key = isObject(one) && typeof one.key === "string" ? one.key : `q${index + 1}`;
      return [key, one];
    });
  }
  return isObject(instructions) ? Object.entries(instructions) : undefined;
}

function draftOf(key: string, value: unknown): Draft | undefined {
  if (typeof value === "string") return newDraft({ key, type: "noul", text: value });
  if (Array.isArray(value))
    return strings(value) ? newDraft({ key, type: "choice", options: named(value) }) : undefined;
  if (!isObject(value)) return undefined;
  const { type, instructions: text = "", criteria, key: _key, ...others } = value;
  if (typeof text !== "string" || Object.keys(others).length > 0) return undefined;
  if (type === "noul") return criteria === undefined ? newDraft({ key, type, text }) : undefined;
  if (type === "score") return strings(criteria) ? newDraft({ key, type, text, options: named(criteria) }) : undefined;
  if (type !== "choice") return undefined;
  if (strings(criteria)) return newDraft({ key, type, text, options: named(criteria) });
  if (!isObject(criteria)) return undefined;
  const options = Object.entries(criteria).map(([name, description]) => ({ name, text: description ?? "" }));
  return options.every((option) => typeof option.text === "string")
    ? newDraft({ key, type, text, options: options as Option[] })
    : undefined;
}

export interface Problem {
  id: string;
  field: "key" | "options";
  kind: "empty" | "repeated" | "few" | "many" | "sameOption";
}

/** The bounds of choices and levels. */
const BOUNDS = { choice: [2, 255], score: [2, 10] } as const;

/** What the server would refuse, found before it is asked. */
export function problems(drafts: Draft[]): Problem[] {
  const found: Problem[] = [];
  const keys = drafts.map((draft) => draft.key.trim());
  drafts.forEach((draft, index) => {
    const key = keys[index] ?? "";
    if (!key) found.push({ id: draft.id, field: "key", kind: "empty" });
    else if (keys.indexOf(key) !== index) found.push({ id: draft.id, field: "key", kind: "repeated" });
    if (draft.type === "noul") return;
    const names = draft.options.map((option) => option.name.trim()).filter(Boolean);
    const [least, most] = BOUNDS[draft.type];
    if (names.length < least) found.push({ id: draft.id, field: "options", kind: "few" });
    else if (names.length > most) found.push({ id: draft.id, field: "options", kind: "many" });
    else if (new Set(names).size < names.length) found.push({ id: draft.id, field: "options", kind: "sameOption" });
  });
  return found;
}

/** What was typed as a state: JSON when it is an object or a list, and else text. */
export function readState(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return text;
  try {
    return JSON.parse(trimmed);
  } catch {
    return text;
  }
}

/** A value of a question in words: a level's text, or yes and no. */
export function valueLabel(instruction: unknown, value: string): string {
  if (value === "true") return "Yes";
  if (value === "false") return "No";
  if (isObject(instruction) && instruction.type === "score" && Array.isArray(instruction.criteria)) {
    const level = instruction.criteria[Number(value)];
    return typeof level === "string" ? level : value;
  }
  return value;
}

/** The instruction of `key` in any form of instructions. */
export function instructionFor(instructions: unknown, key: string): unknown {
  return entriesOf(instructions)?.find(([one]) => one === key)?.[1];
}

function strings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function named(names: string[]): Option[] {
  return names.map((name) => ({ name, text: "" }));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
