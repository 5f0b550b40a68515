// Presets, which fill in the thresholds of all categories.
import { Button, Group, Text, Tooltip } from "@mantine/core";
import { PRESETS, presetOf, withPreset } from "@/logic/policyPresets";
import { type RulesForm, rulesOf } from "@/logic/policyRules";
import { policies } from "@/texts/policies";

const t = policies.rules;

interface Props {
  form: RulesForm;
  onChange: (form: RulesForm) => void;
}

export function Presets({ form, onChange }: Props) {
  const current = presetOf(form);
  const none = rulesOf(form).categories === undefined;
  return (
    <div role="group" aria-label={t.presets}>
      <Text size="sm" fw={500}>
        {t.presets}
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        {t.presetsHint}
      </Text>
      <Group gap={6}>
        <Tooltip label={t.noPresetText}>
          <Button
            size="xs"
            variant={none ? "light" : "default"}
            aria-pressed={none}
            onClick={() => onChange(withPreset(form, undefined))}
          >
            {t.noPreset}
          </Button>
        </Tooltip>
        {PRESETS.map((preset) => (
          <Tooltip key={preset} label={t.presetTexts[preset]}>
            <Button
              size="xs"
              variant={preset === current ? "light" : "default"}
              aria-pressed={preset === current}
              onClick={() => onChange(withPreset(form, preset))}
            >
              {t.presetNames[preset]}
            </Button>
          </Tooltip>
        ))}
      </Group>
    </div>
  );
}
