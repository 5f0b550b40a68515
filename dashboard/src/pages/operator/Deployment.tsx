// The deployment at a glance: its health, its queues, and what failed in it.
import { Badge, Card, Group, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { IconServer, IconSubtask } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { DataTable } from "@/components/DataTable";
import { EmptyState } from "@/components/EmptyState";
import { AnchorLink } from "@/components/links";
import { Page } from "@/components/Page";
import { ErrorCard } from "@/components/PageError";
import { RowsSkeleton } from "@/components/PageSkeleton";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { DeploymentQuery as Result } from "@/gql/graphql";
import { count, words } from "@/logic/format";
import { LIVE } from "@/logic/live";
import { type PartState, partState } from "@/logic/operator";
import { deployment as t } from "@/texts/operator";
import { Backends } from "./Backends";
import { ServerErrors } from "./ServerErrors";

const DeploymentQuery = graphql(`
  query Deployment {
    operator {
      version
      health {
        database
        storage
        charging
        text
        image
        decision
        queue
      }
      queues {
        lane
        queued
        running
        oldestQueuedAt
      }
      workers {
        id
        name
        version
        startedAt
        seenAt
        lost
        jobs {
          id
          kind
          subject
        }
      }
    }
  }
`);

type Operator = Result["operator"];
const COLORS: Record<PartState, string> = { up: "pine", down: "red", unknown: "gray" };
const PARTS = ["database", "storage", "charging", "text", "image", "decision", "queue"] as const;
const QUEUE_COLUMNS = [
  t.queues.columns.lane,
  { name: t.queues.columns.queued, right: true },
  { name: t.queues.columns.running, right: true },
  t.queues.columns.oldest,
];

const WORKER_COLUMNS = [
  t.workers.columns.name,
  t.workers.columns.version,
  t.workers.columns.started,
  t.workers.columns.seen,
  t.workers.columns.jobs,
];

export function Deployment() {
  const result = useQuery({ ...query(DeploymentQuery), refetchInterval: LIVE });
  const operator = result.data?.operator;
  let state = <RowsSkeleton rows={3} />;
  if (operator) {
    state = (
      <>
        <Health health={operator.health} />
        <Queues queues={operator.queues} />
        <Workers workers={operator.workers} />
      </>
    );
  } else if (result.error) {
    state = <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
  }
  return (
    <Page title={t.title} text={operator ? t.text(operator.version) : t.loading}>
      <Stack gap="lg">
        {state}
        <Backends />
        <ServerErrors />
      </Stack>
    </Page>
  );
}

function Health({ health }: { health: Operator["health"] }) {
  const down = PARTS.filter((part) => partState(health[part]) === "down").length;
  return (
    <Card component="section" aria-label={t.health.title} data-testid="health">
      <Group justify="space-between" mb="sm">
        <Title order={2}>{t.health.title}</Title>
        <Text size="sm" c={down ? "var(--mantine-color-error)" : "dimmed"} role="status">
          {down ? t.health.down(down) : t.health.allUp}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" verticalSpacing="xs">
        {PARTS.map((part) => {
          const works = partState(health[part]);
          return (
            <Group key={part} justify="space-between" wrap="nowrap" gap="xs" className="health-part">
              <Text size="sm">{t.health.parts[part]}</Text>
              <Badge color={COLORS[works]}>{t.health.states[works]}</Badge>
            </Group>
          );
        })}
      </SimpleGrid>
    </Card>
  );
}

function Queues({ queues }: { queues: Operator["queues"] }) {
  return (
    <Card className="table-card" component="section" aria-label={t.queues.title}>
      <Group justify="space-between" px="md" pt="md" pb="xs">
        <Title order={2}>{t.queues.title}</Title>
        <AnchorLink to="/operator/jobs" size="sm">
          {t.queues.jobs}
        </AnchorLink>
      </Group>
      {queues.length === 0 ? (
        <EmptyState icon={IconSubtask} title={t.queues.empty.title} text={t.queues.empty.text} />
      ) : (
        <DataTable label={t.queues.title} columns={QUEUE_COLUMNS} minWidth={520}>
          {queues.map((queue) => (
            <Table.Tr key={queue.lane}>
              <Table.Td>{t.queues.lanes[queue.lane] ?? words(queue.lane)}</Table.Td>
              <Table.Td className="numeric" ta="right" fw={queue.queued ? 550 : undefined}>
                {count(queue.queued)}
              </Table.Td>
              <Table.Td className="numeric" ta="right" fw={queue.running ? 550 : undefined}>
                {count(queue.running)}
              </Table.Td>
              <Table.Td>
                <Time at={queue.oldestQueuedAt} empty={t.queues.none} />
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
    </Card>
  );
}

function Workers({ workers }: { workers: Operator["workers"] }) {
  return (
    <Card className="table-card" component="section" aria-label={t.workers.title}>
      <Group px="md" pt="md" pb="xs">
        <Title order={2}>{t.workers.title}</Title>
      </Group>
      {workers.length === 0 ? (
        <EmptyState icon={IconServer} title={t.workers.empty.title} text={t.workers.empty.text} />
      ) : (
        <DataTable label={t.workers.title} columns={WORKER_COLUMNS} minWidth={720}>
          {workers.map((worker) => (
            <Table.Tr key={worker.id}>
              <Table.Td className="room">
                <div className="mono clip" title={worker.id}>
                  {worker.name}
                </div>
              </Table.Td>
              <Table.Td>{worker.version}</Table.Td>
              <Table.Td>
                <Time at={worker.startedAt} />
              </Table.Td>
              <Table.Td>
                <Group gap={8} wrap="nowrap">
                  <Badge color={worker.lost ? "red" : "pine"}>{worker.lost ? t.workers.lost : t.workers.alive}</Badge>
                  <Time at={worker.seenAt} />
                </Group>
              </Table.Td>
              <Table.Td className="room">
                {worker.jobs.length === 0 && <span className="quiet">{t.workers.idle}</span>}
                {worker.jobs.map((job) => (
                  <div key={job.id} className="clip">
                    <AnchorLink to="/operator/jobs" search={{ shown: job.id }} size="sm" title={job.subject}>
                      {words(job.kind)}
                    </AnchorLink>
                  </div>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
    </Card>
  );
}
