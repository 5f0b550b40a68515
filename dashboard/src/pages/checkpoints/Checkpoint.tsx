// One Checkpoint: live progress, its figures beside the live model's, and the switch.
import { Alert, Button, Card, Group, Progress, Stack, Text, Title } from "@mantine/core";
import { IconSchool } from "@tabler/icons-react";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { query } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { useSubscription } from "@/api/subscribe";
import { Confirm } from "@/components/Confirm";
import { EmptyState } from "@/components/EmptyState";
import { AnchorLink } from "@/components/links";
import { tell } from "@/components/notify";
import { Page } from "@/components/Page";
import { StateBadge } from "@/components/StateBadge";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { CheckpointPageQuery as Result } from "@/gql/graphql";
import { creditAmount, duration, percent, sentence, timeSpan } from "@/logic/format";
import { checkpoints } from "@/texts/training";
import { Comparison } from "./Comparison";
import { Servers } from "./Servers";

const CheckpointQuery = graphql(`
  query CheckpointPage($id: ID!) {
    checkpoint(id: $id) {
      id
      state
      progress
      estimatedSecondsLeft
      error
      price
      autoActivate
      isActive
      judgeVersion
      createdAt
      startedAt
      finishedAt
      judge {
        id
        name
      }
      events(last: 50) {
        nodes {
          at
          level
          message
        }
      }
      metrics {
        better
        worse
        reason
        doubt
        trainingSamples
        holdOutSamples
        keys {
          key
          live {
            accuracy
            macroF1
            logLoss
            ece
          }
          checkpoint {
            accuracy
            macroF1
            logLoss
            ece
          }
        }
        servers {
          serverModel
          key
          correction
          checkpointSuffices
          given {
            count
            accuracy
            macroF1
            logLoss
            ece
          }
          recalibrated {
            accuracy
            macroF1
            logLoss
            ece
          }
          checkpoint {
            accuracy
            macroF1
            logLoss
            ece
          }
        }
      }
    }
  }
`);
const ProgressSubscription = graphql(`
  subscription CheckpointProgress($id: ID!) {
    checkpointProgress(id: $id) {
      id
      state
      progress
      estimatedSecondsLeft
      events(last: 50) {
        nodes {
          at
          level
          message
        }
      }
    }
  }
`);
const CancelMutation = graphql(`
  mutation CancelCheckpoint($id: ID!) {
    cancelCheckpoint(input: { id: $id }) {
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
const ActivateMutation = graphql(`
  mutation ActivateCheckpoint($id: ID!) {
    activateCheckpoint(input: { id: $id }) {
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
const DeactivateMutation = graphql(`
  mutation DeactivateCheckpoint($judgeId: ID!) {
    deactivateCheckpoint(input: { judgeId: $judgeId }) {
      judge {
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

const t = checkpoints.page;
const route = getRouteApi("/app/checkpoints/$checkpointId");
type CheckpointData = NonNullable<Result["checkpoint"]>;

export function Checkpoint() {
  const { checkpointId } = route.useParams();
  const options = query(CheckpointQuery, { id: checkpointId });
  const { data } = useSuspenseQuery(options);
  const client = useQueryClient();
  const checkpoint = data.checkpoint;
  const open = checkpoint?.state === "QUEUED" || checkpoint?.state === "RUNNING";
  useSubscription(
    ProgressSubscription,
    { id: checkpointId },
    ({ checkpointProgress: now }) => {
      client.setQueryData(options.queryKey, (old) =>
        old?.checkpoint ? { ...old, checkpoint: { ...old.checkpoint, ...now } } : old,
      );
      // Figures and times come with the end.
      if (now.state !== "QUEUED" && now.state !== "RUNNING") void client.invalidateQueries();
    },
    open,
  );
  if (!checkpoint) return <EmptyState icon={IconSchool} title={t.missing.title} text={t.missing.text} />;
  return (
    <Page
      title={t.title(checkpoint.judge.name)}
      text={
        <AnchorLink
          to="/judges/$judgeId/checkpoints"
          params={{ judgeId: checkpoint.judge.id }}
          inherit
          underline="always"
        >
          {t.back}
        </AnchorLink>
      }
      actions={<Actions checkpoint={checkpoint} open={open} />}
    >
      <Stack gap="md">
        {checkpoint.isActive && <Alert>{t.liveNow}</Alert>}
        {checkpoint.error && (
          <Alert color="red" role="alert">
            {checkpoint.error}
          </Alert>
        )}
        <Card>
          <Group justify="space-between" mb={open ? "sm" : 0}>
            <StateBadge state={checkpoint.state} label={checkpoints.states[checkpoint.state]} />
            <Facts checkpoint={checkpoint} />
          </Group>
          {open && (
            <Group gap="sm" wrap="nowrap">
              <Progress
                value={checkpoint.progress * 100}
                style={{ flex: 1 }}
                aria-label={t.progress}
                animated
                transitionDuration={400}
              />
              <Text size="sm" className="numeric" data-testid="progress">
                {percent(checkpoint.progress, 0)}
              </Text>
              {checkpoint.estimatedSecondsLeft !== null && (
                <Text size="sm" c="dimmed">
                  {t.left(timeSpan(checkpoint.estimatedSecondsLeft))}
                </Text>
              )}
            </Group>
          )}
        </Card>
        {checkpoint.metrics ? (
          <>
            <Comparison metrics={checkpoint.metrics} />
            {checkpoint.metrics.servers.length > 0 && <Servers servers={checkpoint.metrics.servers} />}
          </>
        ) : (
          open && (
            <Text size="sm" c="dimmed">
              {t.noMetrics}
            </Text>
          )
        )}
        <Card>
          <Title order={2} mb="sm">
            {t.events}
          </Title>
          <Stack gap={6} aria-live="polite">
            {[...checkpoint.events.nodes].reverse().map((event) => (
              <Group key={event.at + event.message} justify="space-between" wrap="nowrap" align="flex-start" gap="md">
                <Text size="sm" c={event.level === "WARNING" ? "var(--mantine-color-error)" : undefined}>
                  {sentence(event.message)}
                </Text>
                <Text size="sm" c="dimmed">
                  <Time at={event.at} />
                </Text>
              </Group>
            ))}
          </Stack>
        </Card>
      </Stack>
    </Page>
  );
}

function Facts({ checkpoint }: { checkpoint: CheckpointData }) {
  return (
    <Group gap="lg">
      <Text size="sm" c="dimmed">
        {t.facts.submitted} <Time at={checkpoint.createdAt} />
      </Text>
      {checkpoint.startedAt && checkpoint.finishedAt && (
        <Text size="sm" c="dimmed">
          {t.facts.took} {duration(checkpoint.startedAt, checkpoint.finishedAt)}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {t.facts.price} <span className="numeric">{creditAmount(checkpoint.price)}</span>
      </Text>
    </Group>
  );
}

function Actions({ checkpoint, open }: { checkpoint: CheckpointData; open: boolean }) {
  const canEdit = useCanEdit();
  const [asking, setAsking] = useState<"cancel" | "activate" | "deactivate">();
  const cancel = useAction(CancelMutation);
  const activate = useAction(ActivateMutation);
  const deactivate = useAction(DeactivateMutation);
  if (!canEdit) return null;
  const close = () => setAsking(undefined);
  const done = (message: string) => ({
    onSuccess: () => {
      close();
      tell(message);
    },
  });
  return (
    <>
      {open && (
        <Button variant="default" onClick={() => setAsking("cancel")}>
          {t.cancel}
        </Button>
      )}
      {checkpoint.state === "SUCCEEDED" && !checkpoint.isActive && (
        <Button onClick={() => setAsking("activate")}>{t.activate}</Button>
      )}
      {checkpoint.isActive && (
        <Button variant="default" onClick={() => setAsking("deactivate")}>
          {t.deactivate}
        </Button>
      )}
      <Confirm
        opened={asking === "cancel"}
        title={t.cancelTitle}
        action={t.cancel}
        danger
        loading={cancel.isPending}
        error={cancel.error}
        onClose={close}
        onConfirm={() => cancel.mutate({ id: checkpoint.id }, done(t.cancelled))}
      >
        <Text size="sm">{t.cancelText}</Text>
      </Confirm>
      <Confirm
        opened={asking === "activate"}
        title={t.activateTitle}
        action={t.activate}
        loading={activate.isPending}
        error={activate.error}
        onClose={close}
        onConfirm={() => activate.mutate({ id: checkpoint.id }, done(t.activated))}
      >
        <Text size="sm">{t.activateText}</Text>
        {checkpoint.metrics && !checkpoint.metrics.better && (
          <Alert color="yellow">{sentence(checkpoint.metrics.reason)}</Alert>
        )}
        {checkpoint.metrics?.doubt && <Alert color="yellow">{sentence(checkpoint.metrics.doubt)}</Alert>}
      </Confirm>
      <Confirm
        opened={asking === "deactivate"}
        title={t.deactivateTitle}
        action={t.deactivate}
        loading={deactivate.isPending}
        error={deactivate.error}
        onClose={close}
        onConfirm={() => deactivate.mutate({ judgeId: checkpoint.judge.id }, done(t.deactivated))}
      >
        <Text size="sm">{t.deactivateText}</Text>
      </Confirm>
    </>
  );
}
