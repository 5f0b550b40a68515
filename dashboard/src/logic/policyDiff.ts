// What changed between two versions of a policy's rules, in words.
import { policies } from "@/texts/policies";
import { words } from "./format";
import { languageName } from "./languages";
import {
  CATEGORIES,
  type Category,
  PERSONAL_DATA_TYPES,
  type PersonalDataType,
  type PlainRule,
  RULE_ACTIONS,
  type RuleAction,
  type Rules,
  formOf,
  rulesOf,
} from "./policyRules";
import { thresholdText } from "./thresholds";

const t = policies.diff;
const actions = policies.rules.actions;

/** The changes under the name of what they are about. */
export interface RuleChanges {
  about: string;
  changes: string[];
}

export function diffRules(before: Rules, after: Rules): RuleChanges[] {
  // In the same form, whatever each leaves out.
  const was = rulesOf(formOf(before));
  const is = rulesOf(formOf(after));
  const all = [
    ...CATEGORIES.map((name) => ({ about: words(name), changes: categoryChanges(was, is, name) })),
    { about: policies.rules.block, changes: blockChanges(was, is) },
    {
      about: policies.rules.allow,
      changes: [
        ...listChanges(was.allow?.phrases, is.allow?.phrases, quoted),
        ...listChanges(was.allow?.domains, is.allow?.domains, quoted),
      ],
    },
    { about: policies.rules.languages, changes: languageChanges(was, is) },
    { about: policies.rules.lexicon, changes: lexiconChanges(was, is) },
    { about: policies.rules.newAccounts, changes: newAccountChanges(was, is) },
    { about: policies.rules.personalData.title, changes: personalDataChanges(was, is) },
    { about: policies.rules.plain.title, changes: plainRuleChanges(was, is) },
  ];
  return all.filter(({ changes }) => changes.length > 0);
}

function categoryChanges(was: Rules, is: Rules, name: Category): string[] {
  const { enabled: counted = true, weight: oldWeight = 1, thresholds: old = {} } = was.categories?.[name] ?? {};
  const { enabled: counts = true, weight = 1, thresholds = {} } = is.categories?.[name] ?? {};
  const changes: string[] = [];
  if (counted !== counts) changes.push(counts ? t.enabled : t.disabled);
  if (oldWeight !== weight) changes.push(t.changed(policies.rules.weight, String(oldWeight), String(weight)));
  for (const action of RULE_ACTIONS) {
    if (old[action] !== thresholds[action]) {
      changes.push(t.changed(t.from(actions[action]), threshold(old[action]), threshold(thresholds[action])));
    }
  }
  return changes;
}

const threshold = (value: number | undefined) => (value === undefined ? t.never : thresholdText(value));

/** What each entry leads to: the strictest action of the lists that have it. */
function blocked(rules: Rules): Map<string, RuleAction> {
  const found = new Map<string, RuleAction>();
  for (const { action, phrases = [], domains = [] } of rules.block ?? []) {
    for (const entry of [...phrases, ...domains]) {
      const known = found.get(entry);
      if (!known || RULE_ACTIONS.indexOf(known) < RULE_ACTIONS.indexOf(action)) found.set(entry, action);
    }
  }
  return found;
}

function blockChanges(was: Rules, is: Rules): string[] {
  const before = blocked(was);
  const after = blocked(is);
  const groups = new Map<string, string[]>();
  for (const entry of new Set([...before.keys(), ...after.keys()])) {
    const from = before.get(entry);
    const to = after.get(entry);
    if (from === to) continue;
    const what = from && to ? t.changed(t.action, actions[from], actions[to]) : to ? t.addedTo(actions[to]) : t.removed;
    groups.set(what, [...(groups.get(what) ?? []), entry]);
  }
  return [...groups].map(([what, entries]) => t.entries(what, some(entries, quoted)));
}

function listChanges(was: string[] = [], is: string[] = [], name: (entry: string) => string): string[] {
  const added = is.filter((entry) => !was.includes(entry));
  const removed = was.filter((entry) => !is.includes(entry));
  return [
    ...(added.length ? [t.entries(t.added, some(added, name))] : []),
    ...(removed.length ? [t.entries(t.removed, some(removed, name))] : []),
  ];
}

function languageChanges(was: Rules, is: Rules): string[] {
  const changes = listChanges(was.languages?.known, is.languages?.known, languageName);
  const from = was.languages?.action;
  const to = is.languages?.action;
  if (from && to && from !== to) changes.push(t.changed(policies.rules.foreign, actions[from], actions[to]));
  return changes;
}

/** A language of the lexicon that is off, or all of them. */
export const lexiconName = (code: string) => (code === "*" ? policies.rules.lexiconAll : languageName(code));

function lexiconChanges(was: Rules, is: Rules): string[] {
  const off = listChanges(is.lexicon?.off, was.lexicon?.off, lexiconName);
  // Adding a language to `off` switches it off.
  return off.map((change) => change.replace(t.added, t.on).replace(t.removed, t.off));
}

function newAccountChanges(was: Rules, is: Rules): string[] {
  const said = (rule: Rules["new_accounts"]) => (rule ? t.newAccounts(rule.days, rule.weight) : t.none);
  const before = said(was.new_accounts);
  const after = said(is.new_accounts);
  return before === after ? [] : [t.becomes(before, after)];
}

function personalDataText(rule: NonNullable<Rules["personal_data"]>[PersonalDataType]): string {
  return rule ? t.personalData(actions[rule.action], thresholdText(rule.certainty ?? 0)) : t.noRule;
}

function personalDataChanges(was: Rules, is: Rules): string[] {
  return PERSONAL_DATA_TYPES.flatMap((type) => {
    const before = personalDataText(was.personal_data?.[type]);
    const after = personalDataText(is.personal_data?.[type]);
    return before === after ? [] : [t.changed(policies.rules.personalData.types[type], before, after)];
  });
}

const texts = (rules: Iterable<PlainRule>) => [...rules].map((rule) => rule.text);

function plainRuleChanges(was: Rules, is: Rules): string[] {
  const before = new Map((was.plain_rules ?? []).map((rule) => [rule.id, rule]));
  const after = new Map((is.plain_rules ?? []).map((rule) => [rule.id, rule]));
  const edited = [...after.values()].filter((rule) => {
    const old = before.get(rule.id);
    return old && old.text === rule.text && JSON.stringify(old) !== JSON.stringify(rule);
  });
  return [
    ...listChanges(texts(before.values()), texts(after.values()), quoted),
    ...(edited.length ? [t.entries(t.edited, some(texts(edited), quoted))] : []),
  ];
}

const quoted = (entry: string) => `“${entry}”`;
/** Entries that are named; of more, only their number is. */
const NAMED = 8;

function some(entries: string[], name: (entry: string) => string): string {
  const named = entries.slice(0, NAMED).map(name).join(", ");
  return entries.length > NAMED ? t.andMore(named, entries.length - NAMED) : named;
}
