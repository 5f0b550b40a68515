// The filters that are set, each of which can be removed.
import { Button, CloseButton, Group } from "@mantine/core";
import { words } from "@/logic/format";
import { languageName } from "@/logic/languages";
import { type QueueFilter, activeFilters, joined, listed } from "@/logic/moderationFilter";
import { moderation, queue } from "@/texts/moderation";
import { usePolicies } from "./usePolicies";

const t = queue.filters;

interface Pill {
  label: string;
  without: Partial<QueueFilter>;
}

interface Props {
  search: QueueFilter;
  onChange: (change: Partial<QueueFilter>) => void;
}

export function ActiveFilters({ search, onChange }: Props) {
  const policies = usePolicies();
  const policy = policies.find((one) => one.id === search.policy)?.name ?? search.policy;
  const pills = pillsOf(search, policy);
  if (!pills.length) return null;
  const cleared = Object.fromEntries(activeFilters(search).map((name) => [name, undefined]));
  return (
    <Group gap={6} mb="sm">
      {pills.map(({ label, without }) => (
        <Group key={label} gap={2} wrap="nowrap" className="filter-pill">
          <span>{label}</span>
          <CloseButton size="xs" aria-label={t.remove(label)} onClick={() => onChange(without)} />
        </Group>
      ))}
      <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onChange(cleared)}>
        {t.clear}
      </Button>
    </Group>
  );
}

function pillsOf(search: QueueFilter, policy: string | undefined): Pill[] {
  return [
    ...single("text", search.text, t.pills.text),
    ...each("actions", search.actions, (value) => moderation.actions[value] ?? value),
    ...each("categories", search.categories, words),
    ...single("author", search.author, t.pills.author),
    ...single("channel", search.channel, t.pills.channel),
    ...single("language", search.language, (code) => t.pills.language(languageName(code))),
    ...single("policy", policy, t.pills.policy),
    ...single("days", search.days, t.lastDays),
    ...single("score", search.score, (score) => t.pills.score(String(score))),
    ...single("shadow", search.shadow, t.pills.shadow),
    ...single("mine", search.mine, () => t.mine),
  ];
}

function single<V>(name: keyof QueueFilter, value: V | undefined, label: (value: V) => string): Pill[] {
  return value === undefined ? [] : [{ label: label(value), without: { [name]: undefined } }];
}

function each(name: "actions" | "categories", list: string | undefined, label: (value: string) => string): Pill[] {
  const values = listed(list);
  return values.map((value) => ({
    label: label(value),
    without: { [name]: joined(values.filter((other) => other !== value)) },
  }));
}
