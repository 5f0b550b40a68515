// The filters of the queue that are set less often.
import { Checkbox, MultiSelect, NumberInput, Select, Stack } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";
import { SearchField } from "@/components/SearchField";
import { words } from "@/logic/format";
import { languageName } from "@/logic/languages";
import { ACTIONS, type QueueFilter, joined, listed } from "@/logic/moderationFilter";
import { CATEGORIES, LANGUAGES } from "@/logic/policyRules";
import { moderation, queue } from "@/texts/moderation";
import { usePolicies } from "./usePolicies";

const t = queue.filters;
const ACTION_OPTIONS = ACTIONS.map((value) => ({ value, label: moderation.actions[value] ?? value }));
const CATEGORY_OPTIONS = CATEGORIES.map((value) => ({ value, label: words(value) }));
const LANGUAGE_OPTIONS = LANGUAGES.map((value) => ({ value, label: languageName(value) })).sort((a, b) =>
  a.label.localeCompare(b.label),
);
const DAYS = [1, 7, 30, 90].map((days) => ({ value: String(days), label: t.lastDays(days) }));
/** Lists open within the popover, so that a click on them does not close it. */
const within = { withinPortal: false };

interface ScoreProps {
  value: number | undefined;
  onChange: (score: number | undefined) => void;
}

/** Holds what is typed, such as the 0 of 0.5, which is no score yet. */
function ScoreField({ value, onChange }: ScoreProps) {
  const [typed, setTyped] = useState<number | string>(value ?? "");
  const send = useDebouncedCallback((next: number | string) => {
    onChange(Number(next) > 0 ? Number(next) : undefined);
  }, 300);
  return (
    <NumberInput
      size="xs"
      label={t.score}
      placeholder={t.any}
      value={typed}
      min={0}
      step={0.5}
      decimalScale={2}
      onChange={(next) => {
        setTyped(next);
        send(next);
      }}
    />
  );
}

interface Props {
  search: QueueFilter;
  onChange: (change: Partial<QueueFilter>) => void;
}

export function FilterForm({ search, onChange }: Props) {
  const policies = usePolicies();
  const language = search.language && !LANGUAGES.includes(search.language) ? [search.language] : [];
  return (
    <Stack gap="xs">
      <MultiSelect
        size="xs"
        label={t.actions}
        placeholder={search.actions ? undefined : t.any}
        data={ACTION_OPTIONS}
        value={listed(search.actions)}
        clearable
        comboboxProps={within}
        onChange={(values) => onChange({ actions: joined(values) })}
      />
      <MultiSelect
        size="xs"
        label={t.categories}
        placeholder={search.categories ? undefined : t.any}
        data={CATEGORY_OPTIONS}
        value={listed(search.categories)}
        clearable
        comboboxProps={within}
        onChange={(values) => onChange({ categories: joined(values) })}
      />
      <SearchField
        size="xs"
        label={t.author}
        placeholder={t.any}
        value={search.author}
        onSearch={(author) => onChange({ author })}
      />
      <SearchField
        size="xs"
        label={t.channel}
        placeholder={t.any}
        value={search.channel}
        onSearch={(channel) => onChange({ channel })}
      />
      <Select
        size="xs"
        label={t.language}
        placeholder={t.any}
        data={[...LANGUAGE_OPTIONS, ...language.map((value) => ({ value, label: languageName(value) }))]}
        value={search.language ?? null}
        searchable
        clearable
        comboboxProps={within}
        onChange={(value) => onChange({ language: value ?? undefined })}
      />
      {policies.length > 0 && (
        <Select
          size="xs"
          label={t.policy}
          placeholder={t.any}
          data={policies.map(({ id, name }) => ({ value: id, label: name }))}
          value={search.policy ?? null}
          clearable
          comboboxProps={within}
          onChange={(value) => onChange({ policy: value ?? undefined })}
        />
      )}
      <Select
        size="xs"
        label={t.days}
        placeholder={t.any}
        data={DAYS}
        value={search.days ? String(search.days) : null}
        clearable
        comboboxProps={within}
        onChange={(value) => onChange({ days: value ? Number(value) : undefined })}
      />
      <ScoreField value={search.score} onChange={(score) => onChange({ score })} />
      <Checkbox
        size="xs"
        label={t.mine}
        checked={search.mine ?? false}
        onChange={(event) => onChange({ mine: event.currentTarget.checked || undefined })}
      />
    </Stack>
  );
}
