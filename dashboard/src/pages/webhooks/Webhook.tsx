// One webhook endpoint with what was sent to it.
import { Alert, Button, Group, Select, Stack, Table, Text, Title } from "@mantine/core";
import { IconSend, IconWebhook } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { Confirm } from "@/components/Confirm";
import { EmptyState } from "@/components/EmptyState";
import { GuardedButton } from "@/components/GuardedButton";
import { AnchorLink } from "@/components/links";
import { List, pageArguments } from "@/components/List";
import { tell, tellFailure } from "@/components/notify";
import { Page } from "@/components/Page";
import { ErrorCard } from "@/components/PageError";
import { PageSkeleton } from "@/components/PageSkeleton";
import { ShownOnce } from "@/components/ShownOnce";
import { StateBadge } from "@/components/StateBadge";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { WebhookQuery as Result, WebhookDeliveryState } from "@/gql/graphql";
import { count } from "@/logic/format";
import { optional } from "@/logic/search";
import { webhooks } from "@/texts/integrate";
import { EndpointState } from "./Webhooks";

const WebhookQuery = graphql(`
  query Webhook($id: ID!, $first: Int, $after: String, $last: Int, $before: String, $state: WebhookDeliveryState) {
    webhookEndpoint(id: $id) {
      id
      url
      description
      enabled
      disabledReason
      eventTypes
      failingSince
      deliveries(first: $first, after: $after, last: $last, before: $before, state: $state) {
        totalCount
        nodes {
          id
          eventType
          state
          status
          error
          attempts
          attemptedAt
          nextAttemptAt
          createdAt
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
const UpdateMutation = graphql(`
  mutation UpdateWebhook($input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(input: $input) {
      webhookEndpoint {
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
const TestMutation = graphql(`
  mutation TestWebhook($id: ID!) {
    testWebhookEndpoint(input: { id: $id }) {
      webhookDelivery {
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
const RotateMutation = graphql(`
  mutation RotateWebhook($id: ID!) {
    rotateWebhookSecret(input: { id: $id }) {
      secret
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const DeleteMutation = graphql(`
  mutation DeleteWebhook($id: ID!) {
    deleteWebhookEndpoint(input: { id: $id }) {
      deletedWebhookEndpointId
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const RedeliverMutation = graphql(`
  mutation Redeliver($id: ID!) {
    redeliverWebhook(input: { id: $id }) {
      webhookDelivery {
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

const t = webhooks.page;
const route = getRouteApi("/app/webhooks/$webhookId");
type Endpoint = NonNullable<Result["webhookEndpoint"]>;

export function Webhook() {
  const { webhookId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canEdit = useCanEdit();
  const result = useQuery({
    ...pagedQuery(WebhookQuery, { id: webhookId, ...pageArguments(search, 20), state: search.state }),
    refetchInterval: (running) =>
      running.state.data?.webhookEndpoint?.deliveries.nodes.some((one) => one.state === "QUEUED") ? 2000 : false,
  });
  if (result.error && !result.data) return <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data) return <PageSkeleton />;
  const endpoint = result.data.webhookEndpoint;
  if (!endpoint) return <EmptyState icon={IconWebhook} title={t.missing.title} text={t.missing.text} />;
  const back = (
    <AnchorLink to="/webhooks" inherit underline="always">
      {t.back}
    </AnchorLink>
  );
  return (
    <Page
      title={endpoint.description || endpoint.url}
      heading={
        <Group component="span" gap="xs">
          <span style={{ overflowWrap: "anywhere" }}>{endpoint.description || endpoint.url}</span>
          <EndpointState endpoint={endpoint} />
        </Group>
      }
      text={
        <>
          {back} · {endpoint.url} · {endpoint.eventTypes.length ? endpoint.eventTypes.join(", ") : webhooks.all}
        </>
      }
      actions={canEdit && <Actions endpoint={endpoint} />}
    >
      <Stack gap="md">
        {endpoint.disabledReason && <Alert color="red">{endpoint.disabledReason}</Alert>}
        <Group justify="space-between" align="flex-end">
          <Title order={2}>{t.deliveries}</Title>
          <Select
            size="xs"
            w={140}
            aria-label={t.state}
            data={Object.entries(t.states).map(([value, label]) => ({ value, label }))}
            value={search.state ?? "any"}
            allowDeselect={false}
            onChange={(state) =>
              void navigate({
                search: optional({ state: state === "any" ? undefined : (state as WebhookDeliveryState) }),
              })
            }
          />
        </Group>
        <List
          label={t.deliveries}
          query={result}
          rows={endpoint.deliveries}
          columns={[
            t.columns.event,
            t.columns.state,
            t.columns.answer,
            t.columns.attempts,
            t.columns.last,
            t.columns.next,
            "",
          ]}
          row={(delivery) => <Delivery key={delivery.id} delivery={delivery} canEdit={canEdit} />}
          onPage={(page) => void navigate({ search: optional({ state: search.state, ...page }) })}
          minWidth={780}
          empty={<EmptyState icon={IconSend} title={t.none.title} text={t.none.text} />}
        />
      </Stack>
    </Page>
  );
}

function Delivery({ delivery, canEdit }: { delivery: Endpoint["deliveries"]["nodes"][number]; canEdit: boolean }) {
  const again = useAction(RedeliverMutation);
  return (
    <Table.Tr>
      <Table.Td className="mono">{delivery.eventType}</Table.Td>
      <Table.Td>
        <StateBadge state={delivery.state} label={t.states[delivery.state]} />
      </Table.Td>
      <Table.Td className="room">
        <div className="clip" title={delivery.error ?? undefined}>
          {delivery.status ?? ""} {delivery.error}
        </div>
      </Table.Td>
      <Table.Td className="numeric">{count(delivery.attempts)}</Table.Td>
      <Table.Td>
        <Time at={delivery.attemptedAt} />
      </Table.Td>
      <Table.Td>
        <Time at={delivery.nextAttemptAt} />
      </Table.Td>
      <Table.Td ta="right">
        {canEdit && (
          <Button
            size="compact-xs"
            variant="default"
            loading={again.isPending}
            onClick={() => again.mutate({ id: delivery.id }, { onSuccess: () => tell(t.queued), onError: tellFailure })}
          >
            {t.again}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const router = useRouter();
  const [asking, setAsking] = useState<"rotate" | "remove">();
  const update = useAction(UpdateMutation);
  const test = useAction(TestMutation);
  const rotate = useAction(RotateMutation);
  const remove = useAction(DeleteMutation);
  const close = () => setAsking(undefined);
  return (
    <>
      <GuardedButton
        variant="default"
        loading={test.isPending}
        why={!endpoint.enabled && t.testOff}
        onClick={() => test.mutate({ id: endpoint.id }, { onSuccess: () => tell(t.tested), onError: tellFailure })}
      >
        {t.test}
      </GuardedButton>
      <Button
        variant="default"
        loading={update.isPending}
        onClick={() =>
          update.mutate(
            { input: { id: endpoint.id, enabled: !endpoint.enabled } },
            { onSuccess: () => tell(t.changed), onError: tellFailure },
          )
        }
      >
        {endpoint.enabled ? t.disable : t.enable}
      </Button>
      <Button variant="default" onClick={() => setAsking("rotate")}>
        {t.rotate}
      </Button>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setAsking("remove")}>
        {t.remove}
      </Button>
      <Confirm
        opened={asking === "rotate"}
        title={t.rotateTitle}
        action={t.rotate}
        loading={rotate.isPending}
        error={rotate.error}
        onClose={close}
        onConfirm={() => rotate.mutate({ id: endpoint.id }, { onSuccess: close })}
      >
        <Text size="sm">{t.rotateText}</Text>
      </Confirm>
      <Confirm
        opened={asking === "remove"}
        title={t.removeTitle}
        action={t.remove}
        danger
        loading={remove.isPending}
        error={remove.error}
        onClose={close}
        onConfirm={() =>
          remove.mutate(
            { id: endpoint.id },
            {
              onSuccess: () => {
                tell(t.removed);
                void router.navigate({ to: "/webhooks" });
              },
            },
          )
        }
      >
        <Text size="sm">{t.removeText}</Text>
      </Confirm>
      <ShownOnce
        secret={rotate.data?.rotateWebhookSecret.secret}
        texts={webhooks.secret}
        onClose={() => rotate.reset()}
      />
    </>
  );
}
