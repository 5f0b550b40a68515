// One bulk batch, as its items are run.
import { Alert, Button, Card, Group, Progress, Stack, Text } from "@mantine/core";
import { IconStack2 } from "@tabler/icons-react";
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
import { count, creditAmount, credits } from "@/logic/format";
import { batches } from "@/texts/integrate";
import { Results } from "./Results";

const BatchQuery = graphql(`
  query BatchPage($id: ID!) {
    batch(id: $id) {
      id
      status
      total
      completed
      failed
      creditsCharged
      creditsHeld
      error
      createdAt
      finishedAt
    }
  }
`);
const ProgressSubscription = graphql(`
  subscription BatchProgress($id: ID!) {
    batchProgress(id: $id) {
      id
      status
      total
      completed
      failed
      creditsCharged
      creditsHeld
      error
      createdAt
      finishedAt
    }
  }
`);
const CancelMutation = graphql(`
  mutation CancelBatch($id: ID!) {
    cancelBatch(input: { id: $id }) {
      batch {
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

const t = batches.page;
const route = getRouteApi("/app/batches/$batchId");

export function Batch() {
  const { batchId } = route.useParams();
  const options = query(BatchQuery, { id: batchId });
  const { data } = useSuspenseQuery(options);
  const client = useQueryClient();
  const canEdit = useCanEdit();
  const [asking, setAsking] = useState(false);
  const cancel = useAction(CancelMutation);
  const batch = data.batch;
  const open = batch?.status === "QUEUED" || batch?.status === "RUNNING";
  useSubscription(
    ProgressSubscription,
    { id: batchId },
    ({ batchProgress }) => {
      client.setQueryData(options.queryKey, { batch: batchProgress });
      if (batchProgress.finishedAt) void client.invalidateQueries();
    },
    open,
  );
  if (!batch) return <EmptyState icon={IconStack2} title={t.missing.title} text={t.missing.text} />;
  const done = batch.completed + batch.failed;
  return (
    <Page
      title={t.title}
      text={
        <AnchorLink to="/batches" inherit underline="always">
          {t.back}
        </AnchorLink>
      }
      actions={
        open &&
        canEdit && (
          <Button variant="default" onClick={() => setAsking(true)}>
            {t.cancel}
          </Button>
        )
      }
    >
      <Stack gap="md">
        {batch.error && (
          <Alert color="red" role="alert">
            {batch.error}
          </Alert>
        )}
        <Card>
          <Stack gap="sm">
            <Group justify="space-between">
              <Group gap="sm">
                <StateBadge state={batch.status} label={batches.statuses[batch.status]} />
                <span className="mono">{batch.id}</span>
              </Group>
              <Text size="sm" c="dimmed">
                <Time at={batch.createdAt} />
              </Text>
            </Group>
            <Progress
              value={(done / batch.total) * 100}
              animated={open}
              aria-label={t.progress(count(done), count(batch.total))}
            />
            <Group gap="lg">
              <Text size="sm" className="numeric">
                {t.progress(count(done), count(batch.total))}
              </Text>
              {batch.failed > 0 && (
                <Text size="sm" className="numeric">
                  {t.failed(count(batch.failed))}
                </Text>
              )}
              <Text size="sm" className="numeric">
                {t.charged(creditAmount(batch.creditsCharged))}
              </Text>
              {batch.creditsHeld > 0 && (
                <Text size="sm" className="numeric">
                  {t.held(credits(batch.creditsHeld))}
                </Text>
              )}
            </Group>
          </Stack>
        </Card>
        <Results batchId={batch.id} done={done} />
      </Stack>
      <Confirm
        opened={asking}
        title={t.cancelTitle}
        action={t.cancel}
        danger
        loading={cancel.isPending}
        error={cancel.error}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          cancel.mutate(
            { id: batch.id },
            {
              onSuccess: () => {
                setAsking(false);
                tell(t.cancelled);
              },
            },
          )
        }
      >
        <Text size="sm">{t.cancelText}</Text>
      </Confirm>
    </Page>
  );
}
