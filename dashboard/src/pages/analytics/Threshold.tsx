// Where to act, for the precision that one needs.
import { Card, Group, NumberInput, Select, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { graphql } from "@/gql";
import type { SampleFilterInput } from "@/gql/graphql";
import { percent } from "@/logic/format";
import { analytics } from "@/texts/analytics";

const ThresholdQuery = graphql(`
  query Threshold($id: ID!, $key: String!, $value: String!, $precision: Float!, $filter: SampleFilterInput) {
    judge(id: $id) {
      stats(filter: $filter) {
        key(key: $key) {
          threshold(value: $value, precision: $precision) {
            probability
            precision
            recall
          }
        }
      }
    }
  }
`);

const t = analytics.threshold;

interface Props {
  judgeId: string;
  questionKey: string;
  filter: SampleFilterInput;
  values: string[];
  label: (value: string) => string;
}

export function Threshold({ judgeId, questionKey, filter, values, label }: Props) {
  const [value, setValue] = useState(values.includes("true") ? "true" : (values[0] ?? ""));
  const [precision, setPrecision] = useState<number | string>(95);
  const current = values.includes(value) ? value : (values[0] ?? "");
  const result = useQuery(
    pagedQuery(ThresholdQuery, {
      id: judgeId,
      key: questionKey,
      value: current,
      precision: Math.min(Math.max(Number(precision) || 0, 1), 100) / 100,
      filter,
    }),
  );
  const threshold = result.data?.judge?.stats.key?.threshold;
  return (
    <Card>
      <Title order={2}>{t.title}</Title>
      <Text size="xs" c="dimmed" mb="sm">
        {t.text}
      </Text>
      <Group gap="sm" mb="sm">
        <Select
          size="xs"
          label={t.value}
          data={values.map((one) => ({ value: one, label: label(one) }))}
          value={current}
          allowDeselect={false}
          onChange={(one) => setValue(one ?? "")}
          w={180}
        />
        <NumberInput
          size="xs"
          label={t.precision}
          suffix="%"
          min={1}
          max={100}
          value={precision}
          onChange={setPrecision}
          w={130}
        />
      </Group>
      {result.error && (
        <Text size="sm" c="var(--mantine-color-error)">
          {result.error.message}
        </Text>
      )}
      {result.data && (
        <Text size="sm">
          {threshold
            ? t.result(percent(threshold.probability), percent(threshold.precision), percent(threshold.recall))
            : t.none}
        </Text>
      )}
    </Card>
  );
}
