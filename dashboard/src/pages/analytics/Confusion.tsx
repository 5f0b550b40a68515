// Which ground truth got which answer.
import { Card, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Help } from "@/components/Help";
import { Matrix } from "@/components/Matrix";
import { useJudge } from "@/pages/judge/query";
import { analytics as t } from "@/texts/analytics";
import type { KeyStats } from "./Analytics";

interface Props {
  stats: { key: string; agreement: Pick<KeyStats["agreement"], "confusion"> };
  /** What is counted, which the samples behind a cell are to be as well. */
  filters: { version?: number; days?: number };
  label: (value: string | null | undefined) => string;
}

export function Confusion({ stats, filters, label }: Props) {
  const judge = useJudge();
  return (
    <Card>
      <Title order={2}>
        {t.confusion}
        <Help term="confusion-matrix" />
      </Title>
      <Text size="xs" c="dimmed" mb="md">
        {t.confusionNote}
      </Text>
      <Matrix
        cells={stats.agreement.confusion}
        label={label}
        link={(truth, answered, number, spoken) => (
          <Link
            to="/judges/$judgeId/dataset"
            params={{ judgeId: judge.id }}
            search={{ ...filters, key: stats.key, truth, value: answered }}
            className="row-link"
            title={spoken}
            aria-label={spoken}
          >
            {number}
          </Link>
        )}
      />
    </Card>
  );
}
