// Chooses the backends that a key or an account may use; null for all.
import { Radio, Stack, TagsInput } from "@mantine/core";
import { allowedBackends as t } from "@/texts/allowedBackends";

interface Props {
  value: string[] | null;
  onChange: (value: string[] | null) => void;
  error?: string;
}

export function BackendsField({ value, onChange, error }: Props) {
  return (
    <Radio.Group
      label={t.label}
      description={t.hint}
      value={value ? "some" : "all"}
      onChange={(kind) => onChange(kind === "all" ? null : [])}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="all" label={t.choices.all} />
        <Radio value="some" label={t.choices.some} />
        {value && (
          <TagsInput
            aria-label={t.names}
            placeholder={t.placeholder}
            value={value}
            onChange={onChange}
            acceptValueOnBlur
            error={error}
          />
        )}
      </Stack>
    </Radio.Group>
  );
}
