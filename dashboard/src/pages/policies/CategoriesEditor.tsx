// How each category counts: its weight, and from which probability it leads to what.
import { Accordion, Badge, Group, Stack, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { actionColor } from "@/logic/colors";
import { words } from "@/logic/format";
import {
  CATEGORIES,
  type Category,
  type CategoryForm,
  RULE_ACTIONS,
  type RulesForm,
  ruleError,
} from "@/logic/policyRules";
import { acts, setThresholds, thresholdText, withThreshold } from "@/logic/thresholds";
import { policies } from "@/texts/policies";
import { NumberSlider } from "./NumberSlider";

const t = policies.rules;

interface Props {
  categories: RulesForm["categories"];
  onChange: (categories: RulesForm["categories"]) => void;
  error: unknown;
  disabled: boolean;
}

export function CategoriesEditor({ categories, onChange, error, disabled }: Props) {
  const [opened, setOpened] = useState<string[]>([]);
  // What is wrong is seen.
  const faulty = CATEGORIES.filter((name) => ruleError(error, `categories.${name}`, "") !== undefined);
  return (
    <Accordion
      multiple
      variant="contained"
      radius="md"
      order={3}
      // Those who may not edit could not open them.
      value={disabled ? [...CATEGORIES] : [...new Set([...opened, ...faulty])]}
      onChange={setOpened}
    >
      {CATEGORIES.map((name) => (
        <Accordion.Item key={name} value={name}>
          <Accordion.Control>
            <Group justify="space-between" gap="4px 12px" pr="xs">
              <Text size="sm" fw={550} component="span">
                {words(name)}
              </Text>
              <Summary category={categories[name]} />
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            <CategoryEditor
              name={name}
              category={categories[name]}
              error={error}
              disabled={disabled}
              onChange={(category) => onChange({ ...categories, [name]: category })}
            />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

/** The thresholds in a line. */
function Summary({ category: { enabled, weight, thresholds } }: { category: CategoryForm }) {
  const set = setThresholds(thresholds);
  return (
    <Group gap={4} component="span">
      {!enabled && (
        <Badge color="gray" component="span">
          {t.off}
        </Badge>
      )}
      {enabled && set.length === 0 && (
        <Text size="xs" c="dimmed" component="span">
          {t.byModel}
        </Text>
      )}
      {enabled && weight !== "" && Number(weight) !== 1 && (
        <Badge color="gray" component="span">
          {t.weight} {weight}
        </Badge>
      )}
      {enabled &&
        set.map(([action, threshold]) => (
          <Badge key={action} color={actionColor(action) ?? "gray"} component="span">
            {t.summary(t.actions[action], thresholdText(threshold))}
          </Badge>
        ))}
    </Group>
  );
}

interface CategoryProps {
  name: Category;
  category: CategoryForm;
  error: unknown;
  disabled: boolean;
  onChange: (category: CategoryForm) => void;
}

function CategoryEditor({ name, category, error, disabled, onChange }: CategoryProps) {
  const { enabled, weight, thresholds } = category;
  const label = words(name);
  const off = disabled || !enabled;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t.help[name]}
      </Text>
      <Switch
        size="xs"
        label={t.counts}
        aria-label={t.of(t.counts, label)}
        checked={enabled}
        disabled={disabled}
        onChange={(event) => onChange({ ...category, enabled: event.currentTarget.checked })}
        error={ruleError(error, `categories.${name}.enabled`)}
      />
      {RULE_ACTIONS.map((action) => (
        <NumberSlider
          key={action}
          label={t.actions[action]}
          spoken={t.of(t.actions[action], label)}
          hint={t.actionHelp[action]}
          color={actionColor(action) ?? "gray"}
          value={thresholds[action]}
          min={0.01}
          max={1}
          step={0.01}
          format={thresholdText}
          empty={t.never}
          disabled={off}
          error={
            ruleError(error, `categories.${name}.thresholds.${action}`) ??
            (action === "review" ? ruleError(error, `categories.${name}.thresholds`) : undefined)
          }
          onSlide={(value) => onChange({ ...category, thresholds: withThreshold(thresholds, action, value) })}
          onType={(value) => onChange({ ...category, thresholds: { ...thresholds, [action]: value } })}
        />
      ))}
      <NumberSlider
        label={t.weight}
        spoken={t.of(t.weight, label)}
        hint={acts(thresholds) ? t.weightAlone : t.weightHint}
        value={weight}
        min={0}
        max={10}
        step={0.1}
        format={String}
        disabled={off}
        error={ruleError(error, `categories.${name}.weight`)}
        onSlide={(value) => onChange({ ...category, weight: value })}
        onType={(value) => onChange({ ...category, weight: value })}
      />
    </Stack>
  );
}
