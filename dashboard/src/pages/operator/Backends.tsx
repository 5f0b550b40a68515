// The backends of inferences: whether they answer, how fast, how often not, and what they cost.
import { Badge, Card, Group, Table, Text, Title, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { DataTable } from "@/components/DataTable";
import { ErrorCard } from "@/components/PageError";
import { RowsSkeleton } from "@/components/PageSkeleton";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { DeployedBackendsQuery as Result } from "@/gql/graphql";
import { count, credits, percent } from "@/logic/format";
import { LIVE } from "@/logic/live";
import { backendColor, milliseconds } from "@/logic/operator";
import { backends as t } from "@/texts/operator";

const BackendsQuery = graphql(`
  query DeployedBackends {
    operator {
      backends {
        name
        kind
        url
        model
        external
        state
        fault
        requests
        errors
        latencyP50Ms
        latencyP95Ms
        credits
        costUsd
        calibratedAs
        calibratedAt
      }
    }
  }
`);

type Backend = Result["operator"]["backends"][number];
const COLUMNS = [
  t.columns.name,
  t.columns.state,
  { name: t.columns.requests, right: true },
  { name: t.columns.errors, right: true },
  { name: t.columns.latency, right: true },
  { name: t.columns.spend, right: true },
  t.columns.calibrated,
];

export function Backends() {
  const result = useQuery({ ...query(BackendsQuery), refetchInterval: LIVE });
  const backends = result.data?.operator.backends;
  if (!backends) {
    if (result.error) return <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
    return <RowsSkeleton rows={2} />;
  }
  return (
    <Card className="table-card" component="section" aria-label={t.title}>
      <div style={{ padding: "var(--mantine-spacing-md) var(--mantine-spacing-md) var(--mantine-spacing-xs)" }}>
        <Title order={2}>{t.title}</Title>
        <Text size="sm" c="dimmed">
          {t.text}
        </Text>
      </div>
      <DataTable label={t.title} columns={COLUMNS} minWidth={880}>
        {backends.map((backend) => (
          <Row key={backend.name} backend={backend} />
        ))}
      </DataTable>
    </Card>
  );
}

function Row({ backend }: { backend: Backend }) {
  const { requests, errors, latencyP50Ms, latencyP95Ms } = backend;
  const where = [t.kinds[backend.kind] ?? backend.kind, backend.url, backend.model].filter(Boolean).join(" · ");
  return (
    <Table.Tr>
      <Table.Td className="room">
        <Text size="sm" fw={550} className="clip">
          {backend.name}
        </Text>
        <Text size="xs" c="dimmed" className="clip" title={where}>
          {where}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          <Tooltip label={backend.fault} disabled={!backend.fault}>
            <Badge color={backendColor(backend.state)} tabIndex={backend.fault ? 0 : undefined}>
              {t.states[backend.state]}
            </Badge>
          </Tooltip>
          {backend.external && <Badge color="gray">{t.external}</Badge>}
        </Group>
      </Table.Td>
      <Table.Td className="numeric" ta="right">
        {count(requests)}
      </Table.Td>
      <Table.Td className="numeric" ta="right" c={errors ? "var(--mantine-color-error)" : undefined}>
        {requests ? `${count(errors)} (${percent(errors / requests)})` : "–"}
      </Table.Td>
      <Table.Td className="numeric" ta="right">
        {`${milliseconds(latencyP50Ms)} / ${milliseconds(latencyP95Ms)}`}
      </Table.Td>
      <Table.Td className="numeric" ta="right">
        {credits(backend.credits)}
        {backend.costUsd != null && <div className="quiet">{t.cost(backend.costUsd)}</div>}
      </Table.Td>
      <Table.Td className="room">
        <span title={backend.calibratedAs ?? undefined}>
          <Time at={backend.calibratedAt} empty={t.notCalibrated} />
        </span>
      </Table.Td>
    </Table.Tr>
  );
}
