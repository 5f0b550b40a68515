// A probability as a bar with its figure.
import { Box, Group, Text } from "@mantine/core";
import { percent } from "@/logic/format";

interface Props {
  label: string;
  value: number;
  color?: string;
  strong?: boolean;
  hint?: string;
}

/** The probability of something unwanted: the more probable, the more alarming its colour. */
export function RiskMeter(props: Omit<Props, "color">) {
  const color = props.value >= 0.5 ? "red-6" : props.value >= 0.2 ? "orange-6" : "gray-5";
  return <Meter {...props} color={`var(--mantine-color-${color})`} />;
}

export function Meter({ label, value, color, strong, hint }: Props) {
  return (
    <Box>
      <Group justify="space-between" gap="xs" wrap="nowrap" mb={3}>
        <Text size="sm" fw={strong ? 600 : 400} className="clip" title={hint ?? label}>
          {label}
        </Text>
        <Text size="sm" className="numeric" fw={strong ? 600 : 400}>
          {percent(value)}
        </Text>
      </Group>
      <div
        className="meter"
        role="meter"
        aria-label={label}
        aria-valuenow={Math.round(value * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ width: `${Math.max(value * 100, 0.5)}%`, ["--meter" as string]: color }} />
      </div>
    </Box>
  );
}
