// A Judge's Checkpoints, and the way to train one.
import { Badge, Button, Checkbox, Group, Stack, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconSchool } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { useCanEdit, useViewer } from "@/api/session";
import { Confirm } from "@/components/Confirm";
import { EmptyState } from "@/components/EmptyState";
import { Help } from "@/components/Help";
import { List, pageArguments } from "@/components/List";
import { tell } from "@/components/notify";
import { StateBadge } from "@/components/StateBadge";
import { VerdictBadge } from "@/components/VerdictBadge";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { usePrices } from "@/components/usePrices";
import { graphql } from "@/gql";
import type { JudgeCheckpointsQuery as Result } from "@/gql/graphql";
import { creditAmount, credits, percentOrDash } from "@/logic/format";
import { useJudge } from "@/pages/judge/query";
import { shell } from "@/texts/shell";
import { checkpoints as t } from "@/texts/training";

const CheckpointsQuery = graphql(`
  query JudgeCheckpoints($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    judge(id: $id) {
      checkpoints(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        nodes {
          id
          state
          progress
          createdAt
          judgeVersion
          isActive
          metrics {
            better
            worse
            keys {
              key
              live {
                accuracy
              }
              checkpoint {
                accuracy
              }
            }
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
const SubmitMutation = graphql(`
  mutation SubmitCheckpoint($input: SubmitCheckpointInput!) {
    submitCheckpoint(input: $input) {
      checkpoint {
        id
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

type Row = NonNullable<Result["judge"]>["checkpoints"]["nodes"][number];
const route = getRouteApi("/app/judges/$judgeId/checkpoints");

export function JudgeCheckpoints() {
  const judge = useJudge();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canEdit = useCanEdit() && !judge.archived;
  const [asking, { open, close }] = useDisclosure();
  const result = useQuery({
    ...pagedQuery(CheckpointsQuery, { id: judge.id, ...pageArguments(search, 20) }),
    refetchInterval: (running) =>
      running.state.data?.judge?.checkpoints.nodes.some((one) => one.state === "QUEUED" || one.state === "RUNNING")
        ? 2000
        : false,
  });
  const submit = canEdit && (
    <Button leftSection={<IconSchool size={16} />} onClick={open}>
      {t.submit}
    </Button>
  );
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" maw={560}>
          {t.text} <Help term="checkpoint" />
        </Text>
        {submit}
      </Group>
      <List<Row>
        label={t.submit}
        query={result}
        rows={result.data?.judge?.checkpoints}
        columns={[
          t.columns.state,
          t.columns.created,
          t.columns.version,
          t.columns.accuracy,
          t.columns.verdict,
          t.columns.live,
        ]}
        row={(one) => (
          <Table.Tr key={one.id}>
            <Table.Td>
              <Link to="/checkpoints/$checkpointId" params={{ checkpointId: one.id }} className="row-link">
                <StateBadge state={one.state} label={t.states[one.state]} />
              </Link>
            </Table.Td>
            <Table.Td>
              <Link to="/checkpoints/$checkpointId" params={{ checkpointId: one.id }} className="row-link">
                <Time at={one.createdAt} />
              </Link>
            </Table.Td>
            <Table.Td className="numeric">{one.judgeVersion}</Table.Td>
            <Table.Td>
              {one.metrics ? (
                one.metrics.keys.map((key) => (
                  <Text size="sm" key={key.key} className="numeric">
                    <span className="quiet">{key.key}</span> {percentOrDash(key.live.accuracy)} →{" "}
                    {percentOrDash(key.checkpoint.accuracy)}
                  </Text>
                ))
              ) : (
                <span className="quiet">–</span>
              )}
            </Table.Td>
            <Table.Td>{one.metrics && <VerdictBadge {...one.metrics} />}</Table.Td>
            <Table.Td ta="right">{one.isActive && <Badge variant="filled">{t.live}</Badge>}</Table.Td>
          </Table.Tr>
        )}
        onPage={(page) => void navigate({ search: page })}
        empty={
          <EmptyState
            icon={IconSchool}
            title={t.empty.title}
            text={
              <>
                {t.empty.text} {t.labelled(judge.stats.labelled)}
              </>
            }
          >
            {submit}
          </EmptyState>
        }
      />
      <Submit opened={asking} onClose={close} />
    </Stack>
  );
}

function Submit({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const judge = useJudge();
  const { account } = useViewer();
  const router = useRouter();
  const [auto, setAuto] = useState(true);
  const submit = useAction(SubmitMutation);
  const prices = usePrices(opened);
  const price = prices.of("CHECKPOINT");
  const known = price === undefined ? "…" : creditAmount(price);
  const run = () =>
    submit.mutate(
      { input: { judgeId: judge.id, autoActivate: auto } },
      {
        onSuccess: ({ submitCheckpoint }) => {
          onClose();
          tell(t.submitted);
          const id = submitCheckpoint.checkpoint?.id;
          if (id) void router.navigate({ to: "/checkpoints/$checkpointId", params: { checkpointId: id } });
        },
      },
    );
  return (
    <Confirm
      opened={opened}
      title={t.confirm.title}
      action={t.confirm.action(known)}
      why={price === undefined ? shell.why.price : price > account.available && t.confirm.poor}
      loading={submit.isPending}
      error={submit.error ?? prices.error}
      onClose={onClose}
      onConfirm={run}
    >
      <Text size="sm">{t.confirm.price(known, credits(account.available))}</Text>
      {price !== undefined && price > account.available && (
        <Text size="sm" c="var(--mantine-color-error)">
          {t.confirm.poor}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {t.confirm.what}
      </Text>
      <Checkbox
        label={t.confirm.auto}
        description={t.confirm.autoHint}
        checked={auto}
        onChange={(event) => setAuto(event.currentTarget.checked)}
      />
    </Confirm>
  );
}
