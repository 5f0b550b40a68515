// Accuracy against price of a cascade of two evaluated models, and the threshold that reaches a wanted accuracy.
import { Group, NumberInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { query } from "@/api/graphql";
import { ChartCard } from "@/components/charts/Chart";
import { Plot } from "@/components/charts/Plot";
import { graphql } from "@/gql";
import { creditAmount, percent } from "@/logic/format";
import { evaluations } from "@/texts/training";

const CascadeQuery = graphql(`
  query EvaluationCascade($evaluations: [ID!]!) {
    evaluationCascade(evaluations: $evaluations) {
      samples
      curve {
        below
        accuracy
        credits
        asked
      }
    }
  }
`);

const t = evaluations.cascade;
const COLOR = "var(--mantine-color-pine-6)";

export function CascadeCurve({ first, second }: { first: string; second: string }) {
  const [wanted, setWanted] = useState<number | string>("");
  const result = useQuery(query(CascadeQuery, { evaluations: [first, second] }));
  const cascade = result.data?.evaluationCascade;
  const start = cascade?.curve[0];
  const end = cascade?.curve.at(-1);
  // Without samples that both answered there is nothing to show.
  if (!cascade || !start || !end) return null;
  const cheapest = wanted === "" ? undefined : cascade.curve.find(({ accuracy }) => accuracy >= Number(wanted) / 100);
  return (
    <ChartCard
      title={t.title}
      note={t.note(cascade.samples)}
      summary={t.summary(
        percent(start.accuracy),
        creditAmount(start.credits),
        percent(end.accuracy),
        creditAmount(end.credits),
      )}
      controls={
        <Group align="end" mt="md">
          <NumberInput
            label={t.wanted}
            value={wanted}
            onChange={setWanted}
            min={0}
            max={100}
            suffix="%"
            placeholder="95%"
            maw={180}
          />
          {wanted !== "" && (
            <Text size="sm" aria-live="polite" pb={8}>
              {cheapest
                ? t.cheapest(cheapest.below[0] ?? 0, percent(cheapest.accuracy), creditAmount(cheapest.credits))
                : t.unreached(percent(end.accuracy))}
            </Text>
          )}
        </Group>
      }
    >
      <Plot
        columns={cascade.curve.map((point) => ({
          id: String(point.credits),
          label: creditAmount(point.credits),
          parts: [{ name: t.accuracy, value: point.accuracy, color: COLOR }],
          note: t.point(point.below[0] ?? 0, percent(point.asked[1] ?? 0, 0)),
        }))}
        top={1}
        height={210}
        format={(value) => percent(value, 0)}
      />
    </ChartCard>
  );
}
