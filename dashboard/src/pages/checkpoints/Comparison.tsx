// A Checkpoint's figures beside the live model's.
import { Alert, Card, Group, Table, Text, Title } from "@mantine/core";
import { DataTable } from "@/components/DataTable";
import { VerdictBadge } from "@/components/VerdictBadge";
import type { CheckpointPageQuery as Result } from "@/gql/graphql";
import { sentence } from "@/logic/format";
import { checkpoints } from "@/texts/training";
import { figures } from "./figures";

const t = checkpoints.page;
type Metrics = NonNullable<NonNullable<Result["checkpoint"]>["metrics"]>;

export function Comparison({ metrics }: { metrics: Metrics }) {
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
      <DataTable
        label={t.metrics}
        minWidth={560}
        columns={[
          t.columns.key,
          { name: t.columns.by, head: <span className="only-spoken">{t.columns.by}</span> },
          ...figures.map(({ name, help }) => ({ name, right: true, help })),
        ]}
      >
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
      </DataTable>
    </Card>
  );
}
