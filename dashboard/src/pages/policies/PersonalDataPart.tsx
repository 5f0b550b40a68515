// What personal data of each type leads to.
import { Select, SimpleGrid } from "@mantine/core";
import {
  PERSONAL_DATA_TYPES,
  type PersonalDataForm,
  type PersonalDataType,
  RULE_ACTIONS,
  type RuleAction,
  ruleError,
} from "@/logic/policyRules";
import { policies } from "@/texts/policies";

const t = policies.rules.personalData;
/** Stands for a type without a rule. */
const NO_RULE = "none";
const ACTIONS = RULE_ACTIONS.map((value) => ({ value, label: policies.rules.actions[value] }));

interface Props {
  rules: Record<PersonalDataType, PersonalDataForm>;
  onChange: (rules: Record<PersonalDataType, PersonalDataForm>) => void;
  error: unknown;
  disabled: boolean;
}

export function PersonalDataPart({ rules, onChange, error, disabled }: Props) {
  const set = (type: PersonalDataType, change: Partial<PersonalDataForm>) =>
    onChange({ ...rules, [type]: { ...rules[type], ...change } });
  return (
    <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
      {PERSONAL_DATA_TYPES.map((type) => (
        <Select
          key={type}
          label={t.types[type]}
          data={[{ value: NO_RULE, label: t.nothing }, ...ACTIONS]}
          value={rules[type].action || NO_RULE}
          allowDeselect={false}
          disabled={disabled}
          onChange={(action) => set(type, { action: action === NO_RULE ? "" : (action as RuleAction) })}
          error={ruleError(error, `personal_data.${type}.action`)}
        />
      ))}
    </SimpleGrid>
  );
}
