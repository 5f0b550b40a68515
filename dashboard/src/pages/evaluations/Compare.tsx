// Two evaluations side by side, and the answers that changed.
import { Badge, Button, Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import { IconEqual } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { DataTable } from "@/components/DataTable";
import { EmptyState } from "@/components/EmptyState";
import { Help } from "@/components/Help";
import { ErrorCard } from "@/components/PageError";
import { AnchorLink } from "@/components/links";
import { PageSkeleton } from "@/components/PageSkeleton";
import { Time } from "@/components/Time";
import { VerdictBadge } from "@/components/VerdictBadge";
import { graphql } from "@/gql";
import type { CompareEvaluationsQuery as Result } from "@/gql/graphql";
import { figure, percentOrDash, plain, sentence } from "@/logic/format";
import { instructionFor, valueLabel } from "@/logic/instructions";
import { useJudge } from "@/pages/judge/query";
import { evaluations } from "@/texts/training";
import { CascadeCurve } from "./CascadeCurve";
import { modelOf } from "./modelOf";

const CompareQuery = graphql(`
  query CompareEvaluations($old: ID!, $new: ID!) {
    compareEvaluations(old: $old, new: $new, first: 50) {
      better
      worse
      reason
      old {
        id
        createdAt
        judgeVersion
        backend
        checkpoint {
          id
        }
      }
      new {
        id
        createdAt
        judgeVersion
        backend
        checkpoint {
          id
        }
      }
      keys {
        key
        old {
          accuracy
          macroF1
          logLoss
          ece
        }
        new {
          accuracy
          macroF1
          logLoss
          ece
        }
      }
      changes {
        totalCount
        nodes {
          sampleId
          key
          groundTruth
          old
          new
          improved
          sample {
            id
            state
          }
        }
      }
    }
  }
`);

const t = evaluations.comparison;

type Compared = Result["compareEvaluations"]["old"];

function Run({ label, run }: { label: string; run: Compared }) {
  return (
    <Text size="sm">
      <span className="quiet">{label}</span>{" "}
      <AnchorLink to="/evaluations/$evaluationId" params={{ evaluationId: run.id }} underline="always">
        {modelOf(run)}, {evaluations.version(run.judgeVersion)}
      </AnchorLink>
      {", "}
      <Time at={run.createdAt} />
    </Text>
  );
}

export function Compare({ oldId, newId, onClose }: { oldId: string; newId: string; onClose: () => void }) {
  const judge = useJudge();
  const result = useQuery(query(CompareQuery, { old: oldId, new: newId }));
  const label = (key: string, value: string | null | undefined) =>
    value == null ? "–" : valueLabel(instructionFor(judge.instructions, key), value);
  if (result.error) return <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data) return <PageSkeleton />;
  const comparison = result.data.compareEvaluations;
  const f = evaluations.page.figures;
  const figures = [
    {
      name: f.accuracy,
      help: undefined,
      of: (one: (typeof comparison.keys)[number]["old"]) => percentOrDash(one.accuracy),
    },
    {
      name: f.f1,
      help: <Help term="macro-f1" />,
      of: (one: (typeof comparison.keys)[number]["old"]) => figure(one.macroF1),
    },
    {
      name: f.loss,
      help: <Help term="log-loss" />,
      of: (one: (typeof comparison.keys)[number]["old"]) => figure(one.logLoss),
    },
    {
      name: f.ece,
      help: <Help term="calibration-error" />,
      of: (one: (typeof comparison.keys)[number]["old"]) => figure(one.ece),
    },
  ];
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{t.title}</Title>
          <VerdictBadge {...comparison} size="lg" />
        </Group>
        <Button variant="default" size="xs" onClick={onClose}>
          {t.close}
        </Button>
      </Group>
      <Group gap="lg">
        <Run label={t.before} run={comparison.old} />
        <Run label={t.after} run={comparison.new} />
      </Group>
      <Text size="sm">{sentence(comparison.reason)}</Text>
      <Card className="table-card">
        <DataTable
          label={t.title}
          minWidth={600}
          columns={[t.columns.key, ...figures.map(({ name, help }) => ({ name, right: true, help }))]}
        >
          {comparison.keys.map((key) => (
            <Table.Tr key={key.key}>
              <Table.Td fw={550}>{key.key}</Table.Td>
              {figures.map((one) => (
                <Table.Td key={one.name} ta="right" className="numeric">
                  {one.of(key.old)} → <b>{one.of(key.new)}</b>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </DataTable>
      </Card>
      <CascadeCurve first={oldId} second={newId} />
      <Card className="table-card">
        <Title order={2} px="md" pt="md" pb="xs">
          {t.changes} ({comparison.changes.totalCount})
        </Title>
        {comparison.changes.nodes.length === 0 ? (
          <EmptyState icon={IconEqual} title={t.noChanges} text={comparison.reason} />
        ) : (
          <DataTable
            label={t.changes}
            minWidth={680}
            columns={[
              t.columns.sample,
              t.columns.key,
              t.columns.truth,
              t.columns.old,
              t.columns.new,
              { name: t.columns.effect, head: <span className="only-spoken">{t.columns.effect}</span> },
            ]}
          >
            {comparison.changes.nodes.map((change) => (
              <Table.Tr key={change.sampleId + change.key}>
                <Table.Td className="room clip" title={plain(change.sample?.state ?? "")}>
                  {plain(change.sample?.state ?? change.sampleId).slice(0, 120)}
                </Table.Td>
                <Table.Td>{change.key}</Table.Td>
                <Table.Td>{label(change.key, change.groundTruth)}</Table.Td>
                <Table.Td>{label(change.key, change.old)}</Table.Td>
                <Table.Td>{label(change.key, change.new)}</Table.Td>
                <Table.Td>
                  {change.improved != null && (
                    <Badge color={change.improved ? "pine" : "red"}>{change.improved ? t.improved : t.worse}</Badge>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </DataTable>
        )}
      </Card>
    </Stack>
  );
}
