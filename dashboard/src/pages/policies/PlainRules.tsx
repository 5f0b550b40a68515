// Edits the rules in plain language of a policy, with examples.
import {
  ActionIcon,
  Button,
  Card,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
  Textarea,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { type PlainRuleForm, RULE_ACTIONS, type RuleAction, newPlainRule, ruleError } from "@/logic/policyRules";
import { policies } from "@/texts/policies";

const t = policies.rules.plain;
const ACTIONS = RULE_ACTIONS.map((value) => ({ value, label: policies.rules.actions[value] }));
const MOST = 20;

interface Props {
  rules: PlainRuleForm[];
  onChange: (rules: PlainRuleForm[]) => void;
  error: unknown;
  disabled: boolean;
}

export function PlainRules({ rules, onChange, error, disabled }: Props) {
  return (
    <>
      {rules.map((rule, index) => (
        <PlainRuleCard
          key={rule.key}
          rule={rule}
          number={index + 1}
          path={`plain_rules[${index}]`}
          error={error}
          disabled={disabled}
          onChange={(change) => onChange(rules.with(index, { ...rule, ...change }))}
          onRemove={() => onChange(rules.toSpliced(index, 1))}
        />
      ))}
      {!disabled && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            disabled={rules.length >= MOST}
            onClick={() => onChange([...rules, newPlainRule()])}
          >
            {t.add}
          </Button>
        </Group>
      )}
    </>
  );
}

interface CardProps {
  rule: PlainRuleForm;
  number: number;
  /** Where it is in the rules. */
  path: string;
  error: unknown;
  disabled: boolean;
  onChange: (change: Partial<PlainRuleForm>) => void;
  onRemove: () => void;
}

function PlainRuleCard({ rule, number, path, error, disabled, onChange, onRemove }: CardProps) {
  return (
    <Card p="sm" radius="md" component="fieldset" aria-label={t.rule(number)} m={0}>
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Textarea
            label={t.text}
            placeholder={t.example}
            value={rule.text}
            onChange={(event) => onChange({ text: event.currentTarget.value })}
            error={ruleError(error, `${path}.text`)}
            maxLength={500}
            autosize
            minRows={1}
            maxRows={4}
            style={{ flex: 1 }}
          />
          {!disabled && (
            <ActionIcon variant="subtle" color="gray" aria-label={t.remove(number)} onClick={onRemove}>
              <IconTrash size={15} />
            </ActionIcon>
          )}
        </Group>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          <Select
            label={policies.rules.action}
            data={ACTIONS}
            value={rule.action}
            allowDeselect={false}
            onChange={(action) => onChange({ action: action as RuleAction })}
            error={ruleError(error, `${path}.action`)}
          />
          <NumberInput
            label={t.certainty}
            value={rule.certainty}
            onChange={(certainty) => onChange({ certainty })}
            min={0.01}
            max={0.99}
            step={0.05}
            error={ruleError(error, `${path}.certainty`)}
          />
          <TextInput
            label={t.name}
            value={rule.name}
            onChange={(event) => onChange({ name: event.currentTarget.value })}
            maxLength={100}
            error={ruleError(error, `${path}.name`)}
          />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          <Lines
            label={t.notAllowed}
            value={rule.notAllowed}
            onChange={(notAllowed) => onChange({ notAllowed })}
            error={ruleError(error, `${path}.examples.not_allowed`, rule.notAllowed)}
          />
          <Lines
            label={t.allowed}
            value={rule.allowed}
            onChange={(allowed) => onChange({ allowed })}
            error={ruleError(error, `${path}.examples.allowed`, rule.allowed)}
          />
          <Lines
            label={t.channels}
            value={rule.channels}
            onChange={(channels) => onChange({ channels })}
            error={ruleError(error, `${path}.channels`, rule.channels)}
          />
        </SimpleGrid>
      </Stack>
    </Card>
  );
}

interface LinesProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}

function Lines({ label, value, onChange, error }: LinesProps) {
  return (
    <Textarea
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      autosize
      minRows={2}
      maxRows={10}
    />
  );
}
