// The rules of a moderation policy as people edit them, and as the API takes them.
import { UserErrors } from "@/api/errors";
import { sentence } from "./format";

export const CATEGORIES = [
  "toxic",
  "harassment",
  "hate",
  "sexual",
  "violence",
  "self_harm",
  "spam",
  "scam",
  "sexual_minors",
  "illicit",
  "extremism",
] as const;
export type Category = (typeof CATEGORIES)[number];
/** What a threshold or a list leads to, mildest first. */
export const RULE_ACTIONS = ["review", "warn", "timeout", "ban"] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];
/** Languages whose scripts the server tells apart. */
export const LANGUAGES =
  "ar bg cs da de el en es et fa fi fr he hi hr hu id it ja ko nl no pl pt ro ru sr sv th tr uk ur vi zh".split(" ");

/** Languages and spellings of the lexicon; `*` stands for all. */
export const LEXICON_LANGUAGES =
  "en de fr es it pt nl pl ru ru-Latn tr ar ar-Latn hi hi-Latn id zh ja ja-Latn ko ko-Latn".split(" ");

/** Types of personal data, as the server finds them. */
export const PERSONAL_DATA_TYPES = [
  "email",
  "phone",
  "postal_address",
  "payment_card",
  "iban",
  "national_id",
  "ip_address",
  "secret",
  "doxxing",
] as const;
export type PersonalDataType = (typeof PERSONAL_DATA_TYPES)[number];

/** A number as it is typed; empty where there is none. */
export type Typed = number | string;

export interface CategoryForm {
  enabled: boolean;
  weight: Typed;
  thresholds: Record<RuleAction, Typed>;
}

/** What personal data of a type leads to; empty for no rule. */
export interface PersonalDataForm {
  action: RuleAction | "";
  certainty: Typed;
}

/** Words, phrases and domains, one a line. */
export interface Entries {
  phrases: string;
  domains: string;
}

export interface RulesForm {
  categories: Record<Category, CategoryForm>;
  block: (Entries & { id: string; action: RuleAction })[];
  allow: Entries;
  languages: { known: string[]; action: RuleAction };
  /** Languages of the lexicon that do not count. */
  lexiconOff: string[];
  newAccounts: { days: Typed; weight: Typed };
  personalData: Record<PersonalDataType, PersonalDataForm>;
  plainRules: PlainRuleForm[];
}

/** A rule in plain language. Channels and examples stand one a line. */
export interface PlainRuleForm {
  /** Tells it from the others while it is edited. */
  key: string;
  /** Empty until the server has made one. */
  id: string;
  name: string;
  text: string;
  action: RuleAction;
  certainty: Typed;
  channels: string;
  allowed: string;
  notAllowed: string;
}

export interface PlainRule {
  id?: string;
  name?: string;
  text: string;
  action: RuleAction;
  certainty?: number;
  channels?: string[];
  examples?: { allowed?: string[]; not_allowed?: string[] };
}

/** The rules as the API takes them; what changes nothing is left out. */
export interface Rules {
  categories?: Partial<
    Record<Category, { enabled?: false; weight?: number; thresholds?: Partial<Record<RuleAction, number>> }>
  >;
  block?: { action: RuleAction; phrases?: string[]; domains?: string[] }[];
  allow?: { phrases?: string[]; domains?: string[] };
  languages?: { known: string[]; action: RuleAction };
  lexicon?: { off: string[] };
  new_accounts?: { days: number; weight: number };
  personal_data?: Partial<Record<PersonalDataType, { action: RuleAction; certainty?: number }>>;
  plain_rules?: PlainRule[];
}

let next = 0;

export function newList(list: Partial<RulesForm["block"][number]> = {}): RulesForm["block"][number] {
  next += 1;
  return { id: `list-${next}`, action: "ban", phrases: "", domains: "", ...list };
}

/** The probability from which a rule in plain language or on personal data counts, unless it says otherwise. */
const CERTAINTY = 0.5;

export function newPlainRule(rule: Partial<PlainRule> = {}): PlainRuleForm {
  next += 1;
  return {
    key: `rule-${next}`,
    id: rule.id ?? "",
    name: rule.name ?? "",
    text: rule.text ?? "",
    action: rule.action ?? "review",
    certainty: rule.certainty ?? CERTAINTY,
    channels: (rule.channels ?? []).join("\n"),
    allowed: exampleLines(rule.examples?.allowed),
    notAllowed: exampleLines(rule.examples?.not_allowed),
  };
}

/** Examples one a line: what breaks a line within one reads as a space. */
function exampleLines(examples: string[] = []): string {
  return examples.map((example) => example.replace(/\s*\n\s*/g, " ")).join("\n");
}

function plainRuleOf(form: PlainRuleForm): PlainRule {
  const allowed = linesOf(form.allowed);
  const notAllowed = linesOf(form.notAllowed);
  const channels = linesOf(form.channels);
  const examples = {
    ...(allowed.length ? { allowed } : {}),
    ...(notAllowed.length ? { not_allowed: notAllowed } : {}),
  };
  return {
    ...(form.id ? { id: form.id } : {}),
    ...(form.name.trim() ? { name: form.name.trim() } : {}),
    text: form.text.trim(),
    action: form.action,
    certainty: form.certainty === "" ? CERTAINTY : Number(form.certainty),
    ...(channels.length ? { channels } : {}),
    ...(Object.keys(examples).length ? { examples } : {}),
  };
}

export function formOf(rules: Rules): RulesForm {
  const category = (name: Category): CategoryForm => {
    const { enabled = true, weight = 1, thresholds = {} } = rules.categories?.[name] ?? {};
    return { enabled, weight, thresholds: fromPairs(RULE_ACTIONS.map((action) => [action, thresholds[action] ?? ""])) };
  };
  return {
    categories: fromPairs(CATEGORIES.map((name) => [name, category(name)])),
    block: (rules.block ?? []).map((list) => newList({ action: list.action, ...typed(list) })),
    allow: typed(rules.allow),
    languages: { known: rules.languages?.known ?? [], action: rules.languages?.action ?? "review" },
    lexiconOff: rules.lexicon?.off ?? [],
    newAccounts: { days: rules.new_accounts?.days ?? "", weight: rules.new_accounts?.weight ?? "" },
    personalData: fromPairs(
      PERSONAL_DATA_TYPES.map((type) => {
        const { action = "", certainty = CERTAINTY } = rules.personal_data?.[type] ?? {};
        return [type, { action, certainty }];
      }),
    ),
    plainRules: (rules.plain_rules ?? []).map(newPlainRule),
  };
}

export function rulesOf(form: RulesForm): Rules {
  const categories = CATEGORIES.flatMap((name) => {
    const { enabled, weight, thresholds } = form.categories[name];
    const given = RULE_ACTIONS.flatMap((action): [RuleAction, number][] =>
      thresholds[action] === "" ? [] : [[action, Number(thresholds[action])]],
    );
    const rule = {
      ...(enabled ? {} : { enabled: false as const }),
      ...(weight === "" || Number(weight) === 1 ? {} : { weight: Number(weight) }),
      ...(given.length ? { thresholds: fromPairs(given) } : {}),
    };
    return Object.keys(rule).length ? [[name, rule] as const] : [];
  });
  const personalData = PERSONAL_DATA_TYPES.flatMap((type) => {
    const { action, certainty } = form.personalData[type];
    const rule = { action, certainty: certainty === "" ? CERTAINTY : Number(certainty) };
    return action === "" ? [] : [[type, rule] as const];
  });
  const { days, weight } = form.newAccounts;
  return {
    ...(categories.length ? { categories: Object.fromEntries(categories) } : {}),
    ...(form.block.length ? { block: form.block.map((list) => ({ action: list.action, ...listed(list) })) } : {}),
    ...(form.allow.phrases.trim() || form.allow.domains.trim() ? { allow: listed(form.allow) } : {}),
    ...(form.languages.known.length ? { languages: form.languages } : {}),
    ...(form.lexiconOff.length ? { lexicon: { off: form.lexiconOff } } : {}),
    ...(days === "" && weight === ""
      ? {}
      : { new_accounts: { days: Number(days), weight: weight === "" ? 1 : Number(weight) } }),
    ...(personalData.length ? { personal_data: Object.fromEntries(personalData) } : {}),
    ...(form.plainRules.length ? { plain_rules: form.plainRules.map(plainRuleOf) } : {}),
  };
}

function typed({ phrases = [], domains = [] }: { phrases?: string[]; domains?: string[] } = {}): Entries {
  return { phrases: phrases.join("\n"), domains: domains.join("\n") };
}

function listed({ phrases, domains }: Entries): { phrases?: string[]; domains?: string[] } {
  return {
    ...(linesOf(phrases).length ? { phrases: linesOf(phrases) } : {}),
    ...(linesOf(domains).length ? { domains: linesOf(domains) } : {}),
  };
}

/** The lines that are not blank. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** What the server found wrong at `path` of the rules, without the path; in a list, with the entry in its place. */
export function ruleError(error: unknown, path: string, entries?: string): string | undefined {
  const field = `rules.${path}`;
  const found = error instanceof UserErrors ? error.at(field) : undefined;
  // What is wrong with one list stands at that list, not at all of them.
  if (!found || (entries === undefined && found.field !== field)) return undefined;
  const said =
    found.field && found.message.startsWith(found.field)
      ? found.message.slice(found.field.length).trim()
      : found.message;
  const index = /^\[(\d+)\]$/.exec(found.field?.slice(field.length) ?? "")?.[1];
  const entry = index === undefined || entries === undefined ? undefined : linesOf(entries)[Number(index)];
  return sentence(entry === undefined ? said : `“${entry}” ${said}`);
}

function fromPairs<K extends string, V>(pairs: (readonly [K, V])[]): Record<K, V> {
  return Object.fromEntries(pairs) as Record<K, V>;
}
