// One job: what became of it, why it failed, and what can be done about it.
import { Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { CodeBlock } from "@/components/Code";
import { Confirm } from "@/components/Confirm";
import { Facts } from "@/components/Facts";
import { GuardedButton } from "@/components/GuardedButton";
import { IdText } from "@/components/IdText";
import { tell, tellFailure } from "@/components/notify";
import { StateBadge } from "@/components/StateBadge";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { whyNoCancel, whyNoRetry } from "@/logic/operator";
import { jobs } from "@/texts/operator";
import { Account, type Job, jobName, stateName } from "./Job";

const RetryMutation = graphql(`
  mutation RetryJob($id: ID!) {
    retryJob(input: { id: $id }) {
      job {
        id
        state
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const CancelMutation = graphql(`
  mutation CancelJob($id: ID!) {
    cancelJob(input: { id: $id }) {
      job {
        id
        state
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = jobs.details;

interface Props {
  /** The id of the job; nothing while the drawer is closed. */
  shown: string | undefined;
  /** The job, if the list has it. */
  job: Job | undefined;
  onClose: () => void;
}

export function JobDrawer({ shown, job, onClose }: Props) {
  return (
    <Drawer
      opened={Boolean(shown)}
      onClose={onClose}
      position="right"
      size={520}
      title={job ? jobName(job) : t.title}
      padding="lg"
    >
      {shown && (job ? <Content job={job} /> : <Text size="sm">{t.missing}</Text>)}
    </Drawer>
  );
}

function Content({ job }: { job: Job }) {
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <StateBadge state={job.state} label={stateName(job)} />
        <Actions job={job} />
      </Group>
      <Stack gap={6}>
        <Title order={3}>{t.error}</Title>
        {job.error ? (
          <CodeBlock text={job.error} label={t.error} wrap />
        ) : (
          <Text size="sm" c="dimmed">
            {t.noError}
          </Text>
        )}
      </Stack>
      <Facts
        facts={[
          [t.id, <IdText key="id" id={job.id} />],
          [jobs.columns.subject, <IdText key="subject" id={job.subject} />],
          [jobs.columns.account, <Account key="account" id={job.accountId} />],
          [jobs.columns.attempts, jobs.attempts(job.attempts, job.maxAttempts)],
          [jobs.columns.created, <Time key="created" at={job.createdAt} />],
          [t.started, <Time key="started" at={job.startedAt} />],
          [t.finished, <Time key="finished" at={job.finishedAt} />],
        ]}
      />
    </Stack>
  );
}

function Actions({ job }: { job: Job }) {
  const [asking, setAsking] = useState(false);
  const retry = useAction(RetryMutation);
  const cancel = useAction(CancelMutation);
  const noRetry = whyNoRetry(job);
  const noCancel = whyNoCancel(job);
  const close = () => {
    setAsking(false);
    cancel.reset();
  };
  return (
    <Group gap="xs">
      <GuardedButton
        size="xs"
        variant="default"
        why={noRetry && jobs.why[noRetry]}
        loading={retry.isPending}
        onClick={() => retry.mutate({ id: job.id }, { onSuccess: () => tell(jobs.retried), onError: tellFailure })}
      >
        {jobs.retry}
      </GuardedButton>
      <GuardedButton
        size="xs"
        variant="default"
        c={noCancel ? undefined : "var(--mantine-color-error)"}
        why={noCancel && jobs.why[noCancel]}
        onClick={() => setAsking(true)}
      >
        {jobs.cancel}
      </GuardedButton>
      <Confirm
        opened={asking}
        title={jobs.cancelTitle}
        action={jobs.cancel}
        danger
        loading={cancel.isPending}
        error={cancel.error}
        onClose={close}
        onConfirm={() =>
          cancel.mutate(
            { id: job.id },
            {
              onSuccess: () => {
                close();
                tell(jobs.cancelled);
              },
            },
          )
        }
      >
        <Text size="sm">{jobs.cancelText}</Text>
      </Confirm>
    </Group>
  );
}
