// Edits the rules of a policy, with the server's errors at their fields.
import {
  ActionIcon,
  Button,
  Card,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  Title,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { languageName } from "@/logic/languages";
import {
  type Entries,
  LANGUAGES,
  RULE_ACTIONS,
  type RuleAction,
  type RulesForm,
  newList,
  ruleError,
} from "@/logic/policyRules";
import { policies } from "@/texts/policies";
import { CategoriesEditor } from "./CategoriesEditor";
import { LexiconPart } from "./LexiconPart";
import { PersonalDataPart } from "./PersonalDataPart";
import { PlainRules } from "./PlainRules";
import { Presets } from "./Presets";
import "./policies.css";

const t = policies.rules;
const ACTIONS = RULE_ACTIONS.map((value) => ({ value, label: t.actions[value] }));
const LANGUAGE_OPTIONS = LANGUAGES.map((value) => ({ value, label: languageName(value) })).sort((a, b) =>
  a.label.localeCompare(b.label),
);

interface Props {
  form: RulesForm;
  onChange: (form: RulesForm) => void;
  error: unknown;
  disabled: boolean;
}

export function RulesEditor({ form, onChange, error, disabled }: Props) {
  const set = (change: Partial<RulesForm>) => onChange({ ...form, ...change });
  return (
    <>
      <Part title={t.categories} hint={t.categoriesHint}>
        {!disabled && <Presets form={form} onChange={onChange} />}
        <CategoriesEditor
          categories={form.categories}
          onChange={(categories) => set({ categories })}
          error={error}
          disabled={disabled}
        />
      </Part>
      <Part title={t.block} hint={t.blockHint}>
        {form.block.map((list, index) => (
          <Card key={list.id} p="sm" radius="md" component="fieldset" aria-label={t.list(index + 1)} m={0}>
            <Group justify="space-between" align="flex-end" mb="xs">
              <Select
                label={t.action}
                w={140}
                size="xs"
                data={ACTIONS}
                value={list.action}
                allowDeselect={false}
                onChange={(action) => set({ block: form.block.with(index, { ...list, action: action as RuleAction }) })}
                error={ruleError(error, `block[${index}].action`)}
              />
              {!disabled && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t.removeList(index + 1)}
                  onClick={() => set({ block: form.block.toSpliced(index, 1) })}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              )}
            </Group>
            <Lists
              entries={list}
              path={`block[${index}]`}
              texts={t}
              error={error}
              onChange={(entries) => set({ block: form.block.with(index, { ...list, ...entries }) })}
            />
          </Card>
        ))}
        <Message>{ruleError(error, "block")}</Message>
        {!disabled && (
          <Group>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} />}
              disabled={form.block.length >= 10}
              onClick={() => set({ block: [...form.block, newList()] })}
            >
              {t.addList}
            </Button>
          </Group>
        )}
      </Part>
      <Part title={t.plain.title} hint={t.plain.hint}>
        <PlainRules
          rules={form.plainRules}
          onChange={(plainRules) => set({ plainRules })}
          error={error}
          disabled={disabled}
        />
        <Message>{ruleError(error, "plain_rules")}</Message>
      </Part>
      <Part title={t.personalData.title} hint={t.personalData.hint}>
        <PersonalDataPart
          rules={form.personalData}
          onChange={(personalData) => set({ personalData })}
          error={error}
          disabled={disabled}
        />
      </Part>
      <Part title={t.allow} hint={t.allowHint}>
        <Lists entries={form.allow} path="allow" texts={t.allowed} error={error} onChange={(allow) => set({ allow })} />
        <Message>{ruleError(error, "allow")}</Message>
      </Part>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <Part title={t.languages} hint={t.languagesHint}>
          <MultiSelect
            label={t.known}
            data={LANGUAGE_OPTIONS}
            value={form.languages.known}
            onChange={(known) => set({ languages: { ...form.languages, known } })}
            searchable
            clearable
            disabled={disabled}
            error={ruleError(error, "languages.known", form.languages.known.join("\n"))}
          />
          <Select
            label={t.foreign}
            data={ACTIONS}
            value={form.languages.action}
            allowDeselect={false}
            disabled={disabled || form.languages.known.length === 0}
            onChange={(action) => set({ languages: { ...form.languages, action: action as RuleAction } })}
            error={ruleError(error, "languages.action")}
          />
        </Part>
        <Part title={t.lexicon} hint={t.lexiconHint}>
          <LexiconPart
            off={form.lexiconOff}
            onChange={(lexiconOff) => set({ lexiconOff })}
            error={error}
            disabled={disabled}
          />
        </Part>
        <Part title={t.newAccounts} hint={t.newAccountsHint}>
          <Group grow align="flex-start">
            <NumberInput
              label={t.days}
              value={form.newAccounts.days}
              onChange={(days) => set({ newAccounts: { ...form.newAccounts, days } })}
              min={0}
              allowDecimal={false}
              error={ruleError(error, "new_accounts.days")}
            />
            <NumberInput
              label={t.factor}
              value={form.newAccounts.weight}
              onChange={(weight) => set({ newAccounts: { ...form.newAccounts, weight } })}
              min={0}
              step={0.5}
              error={ruleError(error, "new_accounts.weight")}
            />
          </Group>
        </Part>
      </SimpleGrid>
    </>
  );
}

function Part({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <div>
        <Title order={2}>{title}</Title>
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      </div>
      {children}
    </Stack>
  );
}

function Message({ children }: { children: string | undefined }) {
  return children ? (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {children}
    </Text>
  ) : null;
}

interface ListsProps {
  entries: Entries;
  /** Where they are in the rules. */
  path: string;
  texts: { phrases: string; domains: string };
  error: unknown;
  onChange: (entries: Entries) => void;
}

function Lists({ entries, path, texts, error, onChange }: ListsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      {(["phrases", "domains"] as const).map((field) => (
        <Textarea
          key={field}
          label={texts[field]}
          value={entries[field]}
          onChange={(event) =>
            onChange({ phrases: entries.phrases, domains: entries.domains, [field]: event.currentTarget.value })
          }
          error={ruleError(error, `${path}.${field}`, entries[field])}
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
        />
      ))}
    </SimpleGrid>
  );
}
