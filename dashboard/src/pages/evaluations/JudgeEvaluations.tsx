// A Judge's evaluations, and two of them side by side.
import { Button, Checkbox, Group, Progress, Stack, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChecklist, IconScale } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { EmptyState } from "@/components/EmptyState";
import { GuardedButton } from "@/components/GuardedButton";
import { Help } from "@/components/Help";
import { List, pageArguments } from "@/components/List";
import { StateBadge } from "@/components/StateBadge";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { JudgeEvaluationsQuery as Result } from "@/gql/graphql";
import { count, percentOrDash } from "@/logic/format";
import { useJudge } from "@/pages/judge/query";
import { evaluations as t } from "@/texts/training";
import { Compare } from "./Compare";
import { modelOf } from "./modelOf";
import { StartEvaluation } from "./StartEvaluation";

const EvaluationsQuery = graphql(`
  query JudgeEvaluations($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    judge(id: $id) {
      evaluations(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        nodes {
          id
          state
          done
          samples
          createdAt
          judgeVersion
          backend
          checkpoint {
            id
          }
          metrics {
            key
            accuracy
          }
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
    }
  }
`);

type Row = NonNullable<Result["judge"]>["evaluations"]["nodes"][number];
const route = getRouteApi("/app/judges/$judgeId/evaluations");

export function JudgeEvaluations() {
  const judge = useJudge();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canEdit = useCanEdit() && !judge.archived;
  const [asking, { open, close }] = useDisclosure();
  const [chosen, setChosen] = useState<string[]>([]);
  const result = useQuery({
    ...pagedQuery(EvaluationsQuery, { id: judge.id, ...pageArguments(search, 20) }),
    refetchInterval: (running) =>
      running.state.data?.judge?.evaluations.nodes.some((one) => one.state === "QUEUED" || one.state === "RUNNING")
        ? 1500
        : false,
  });
  if (search.old && search.new)
    return <Compare oldId={search.old} newId={search.new} onClose={() => void navigate({ search: {} })} />;
  const rows = result.data?.judge?.evaluations;
  // The older one is what the newer is compared with.
  const pair = rows?.nodes.filter((one) => chosen.includes(one.id)) ?? [];
  const start = canEdit && (
    <Button leftSection={<IconChecklist size={16} />} onClick={open}>
      {t.start}
    </Button>
  );
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" maw={560}>
          {t.text} <Help term="evaluation" />
        </Text>
        <Group gap="xs">
          {(rows?.nodes.length ?? 0) > 1 && (
            <GuardedButton
              variant="default"
              leftSection={<IconScale size={16} />}
              why={pair.length !== 2 && t.compareHint}
              onClick={() => void navigate({ search: { new: pair[0]?.id, old: pair[1]?.id } })}
            >
              {t.compareSelected}
            </GuardedButton>
          )}
          {start}
        </Group>
      </Group>
      <List<Row>
        label={t.start}
        query={result}
        rows={rows}
        columns={[
          { name: t.columns.compare, head: <span className="only-spoken">{t.columns.compare}</span> },
          t.columns.run,
          t.columns.state,
          t.columns.samples,
          t.columns.accuracy,
          t.columns.created,
        ]}
        row={(one) => (
          <Table.Tr key={one.id}>
            <Table.Td w={36}>
              {one.state === "SUCCEEDED" && (
                <Checkbox
                  size="xs"
                  aria-label={t.select}
                  checked={chosen.includes(one.id)}
                  onChange={() =>
                    setChosen(
                      chosen.includes(one.id) ? chosen.filter((id) => id !== one.id) : [...chosen.slice(-1), one.id],
                    )
                  }
                />
              )}
            </Table.Td>
            <Table.Td>
              <Link to="/evaluations/$evaluationId" params={{ evaluationId: one.id }} className="row-link">
                {modelOf(one)}, {t.version(one.judgeVersion)}
              </Link>
            </Table.Td>
            <Table.Td>
              <StateBadge state={one.state} label={t.states[one.state]} />
            </Table.Td>
            <Table.Td className="numeric">
              {one.state === "RUNNING" ? (
                <Progress
                  value={(one.done / Math.max(one.samples, 1)) * 100}
                  aria-label={t.page.progress(count(one.done), count(one.samples))}
                  w={90}
                />
              ) : (
                count(one.samples)
              )}
            </Table.Td>
            <Table.Td>
              {one.metrics.map((metric) => (
                <Text size="sm" key={metric.key} className="numeric">
                  <span className="quiet">{metric.key}</span> {percentOrDash(metric.accuracy)}
                </Text>
              ))}
            </Table.Td>
            <Table.Td>
              <Time at={one.createdAt} />
            </Table.Td>
          </Table.Tr>
        )}
        onPage={(page) => void navigate({ search: page })}
        empty={
          <EmptyState icon={IconChecklist} title={t.empty.title} text={t.empty.text}>
            {start}
          </EmptyState>
        }
      />
      <StartEvaluation judge={judge} opened={asking} onClose={close} />
    </Stack>
  );
}
