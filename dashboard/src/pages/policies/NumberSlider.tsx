// A slider with its number beside it, to be exact.
import { CloseButton, Group, NumberInput, Slider, Text } from "@mantine/core";
import type { Typed } from "@/logic/policyRules";
import { policies } from "@/texts/policies";

const t = policies.rules;

interface Props {
  label: string;
  /** The label as screen readers say it, with what it belongs to. */
  spoken: string;
  hint: string;
  color?: string;
  value: Typed;
  min: number;
  max: number;
  step: number;
  format: (value: number) => string;
  /** What no value means; left out where there is always one. */
  empty?: string;
  disabled: boolean;
  error: string | undefined;
  onSlide: (value: number) => void;
  onType: (value: Typed) => void;
}

export function NumberSlider(props: Props) {
  const { label, spoken, hint, color, value, min, max, step, format, empty, disabled, error, onSlide, onType } = props;
  const isSet = value !== "";
  const number = isSet && Number.isFinite(Number(value)) ? Number(value) : max;
  return (
    <div>
      <div className="number-slider" data-unset={!isSet || undefined}>
        <Text size="sm" title={hint}>
          {label}
        </Text>
        <Slider
          size="sm"
          color={isSet ? color : "gray"}
          thumbLabel={spoken}
          value={Math.min(Math.max(number, min), max)}
          min={min}
          max={max}
          step={step}
          label={(shown) => (isSet || !empty ? format(shown) : empty)}
          disabled={disabled}
          onChange={(next) => onSlide(Number(next.toFixed(3)))}
        />
        <Group gap={2} wrap="nowrap">
          <NumberInput
            size="xs"
            aria-label={spoken}
            value={value}
            onChange={onType}
            disabled={disabled}
            min={0}
            step={step}
            decimalScale={3}
            placeholder={empty}
            w={78}
            error={error !== undefined}
          />
          {empty && (
            <CloseButton
              size="sm"
              aria-label={t.clear(spoken)}
              style={{ visibility: isSet && !disabled ? undefined : "hidden" }}
              onClick={() => onType("")}
            />
          )}
        </Group>
      </div>
      <Text size="xs" c={error ? "var(--mantine-color-error)" : "dimmed"} role={error ? "alert" : undefined}>
        {error ?? hint}
      </Text>
    </div>
  );
}
