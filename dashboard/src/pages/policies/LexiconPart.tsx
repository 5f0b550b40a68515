// Languages of the lexicon that do not count.
import { MultiSelect } from "@mantine/core";
import { languageName } from "@/logic/languages";
import { LEXICON_LANGUAGES, ruleError } from "@/logic/policyRules";
import { policies } from "@/texts/policies";

const t = policies.rules;
const OPTIONS = [
  { value: "*", label: t.lexiconAll },
  ...LEXICON_LANGUAGES.map((value) => ({ value, label: languageName(value) })).sort((a, b) =>
    a.label.localeCompare(b.label),
  ),
];

interface Props {
  off: string[];
  onChange: (off: string[]) => void;
  error: unknown;
  disabled: boolean;
}

export function LexiconPart({ off, onChange, error, disabled }: Props) {
  return (
    <MultiSelect
      label={t.lexiconOff}
      data={OPTIONS}
      value={off}
      // All languages, or some of them.
      onChange={(chosen) => onChange(chosen.at(-1) === "*" ? ["*"] : chosen.filter((one) => one !== "*"))}
      searchable
      clearable
      disabled={disabled}
      error={ruleError(error, "lexicon.off", off.join("\n")) ?? ruleError(error, "lexicon")}
    />
  );
}
