// A Checkpoint's figures beside the live model's.
import { Alert, Card, Group, Table, Text, Title } from "@mantine/core";
import { VerdictBadge } from "@/components/VerdictBadge";
import type { CheckpointPageQuery as Result } from "@/gql/graphql";
import { figure, percentOrDash, sentence } from "@/logic/format";
import { checkpoints } from "@/texts/training";

const t = checkpoints.page;
type Metrics = NonNullable<NonNullable<Result["checkpoint"]>["metrics"]>;

export function Comparison({ metrics }: { metrics: Metrics }) {
  const figures = [
    { name: t.columns.accuracy, of: (one: Metrics["keys"][number]["live"]) => percentOrDash(one.accuracy) },
    { name: t.columns.f1, of: (one: Metrics["keys"][number]["live"]) => figure(one.macroF1) },
    { name: t.columns.loss, of: (one: Metrics["keys"][number]["live"]) => figure(one.logLoss) },
    { name: t.columns.ece, of: (one: Metrics["keys"][number]["live"]) => figure(one.ece) },
  ];
  return (
    <Card className="table-card">
      <div style={{ padding: "var(--mantine-spacing-md)" }}>
        <Group justify="space-between" gap="xs">
          <Title order={2}>{t.metrics}</Title>
          <VerdictBadge {...metrics} size="lg" />
        </Group>
        <Text size="xs" c="dimmed">
          {t.metricsNote(metrics.trainingSamples, metrics.holdOutSamples)}
        </Text>
        <Text size="sm" mt="xs">
          {sentence(metrics.reason)}
        </Text>
        {metrics.doubt && (
          <Alert color="yellow" mt="xs" py="xs">
            {sentence(metrics.doubt)}
          </Alert>
        )}
      </div>
      <Table.ScrollContainer minWidth={560} type="native" tabIndex={0} role="region" aria-label={t.metrics}>
        <Table aria-label={t.metrics}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.columns.key}</Table.Th>
              <Table.Th>
                {""}
                <span className="only-spoken">{t.columns.live}</span>
              </Table.Th>
              {figures.map((one) => (
                <Table.Th key={one.name} ta="right">
                  {one.name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {metrics.keys.flatMap((key) => [
              <Table.Tr key={`${key.key}-live`}>
                <Table.Td fw={550}>{key.key}</Table.Td>
                <Table.Td c="dimmed">{t.columns.live}</Table.Td>
                {figures.map((one) => (
                  <Table.Td key={one.name} ta="right" className="numeric">
                    {one.of(key.live)}
                  </Table.Td>
                ))}
              </Table.Tr>,
              <Table.Tr key={`${key.key}-checkpoint`}>
                <Table.Td>
                  <span className="only-spoken">{key.key}</span>
                </Table.Td>
                <Table.Td>{t.columns.checkpoint}</Table.Td>
                {figures.map((one) => (
                  <Table.Td key={one.name} ta="right" fw={600} className="numeric">
                    {one.of(key.checkpoint)}
                  </Table.Td>
                ))}
              </Table.Tr>,
            ])}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}
