// Webhook endpoints: a list, and a form whose secret is shown once.
import { Badge, Button, Group, Modal, MultiSelect, Stack, Table, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconWebhook } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { pagedQuery } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { EmptyState } from "@/components/EmptyState";
import { FormAlert } from "@/components/FormAlert";
import { GuardedButton } from "@/components/GuardedButton";
import { List } from "@/components/List";
import { Page } from "@/components/Page";
import { ShownOnce } from "@/components/ShownOnce";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { WebhooksQuery as Result } from "@/gql/graphql";
import { webhooks as t } from "@/texts/integrate";
import { shell } from "@/texts/shell";

const WebhooksQuery = graphql(`
  query Webhooks {
    account {
      webhookEndpoints {
        id
        url
        description
        enabled
        eventTypes
        failingSince
        createdAt
      }
    }
  }
`);
const CreateMutation = graphql(`
  mutation CreateWebhook($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) {
      secret
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

type Endpoint = Result["account"]["webhookEndpoints"][number];

export function Webhooks() {
  const canEdit = useCanEdit();
  const [creating, { open, close }] = useDisclosure();
  const [secret, setSecret] = useState<string>();
  const show = (created: string) => {
    setSecret(created);
    close();
  };
  const result = useQuery(pagedQuery(WebhooksQuery));
  const create = canEdit && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {t.create}
    </Button>
  );
  const endpoints = result.data?.account.webhookEndpoints;
  return (
    <Page title={t.title} text={t.text} actions={create}>
      <List<Endpoint>
        label={t.title}
        query={result}
        rows={endpoints && { nodes: endpoints }}
        columns={[t.columns.url, t.columns.events, t.columns.state, t.columns.created]}
        row={(endpoint) => (
          <Table.Tr key={endpoint.id}>
            <Table.Td className="room">
              <Link
                to="/webhooks/$webhookId"
                params={{ webhookId: endpoint.id }}
                className="row-link clip"
                style={{ display: "block" }}
              >
                {endpoint.url}
              </Link>
            </Table.Td>
            <Table.Td className="room clip" c="dimmed" title={endpoint.eventTypes.join(", ")}>
              {endpoint.eventTypes.length ? endpoint.eventTypes.join(", ") : t.all}
            </Table.Td>
            <Table.Td>
              <EndpointState endpoint={endpoint} />
            </Table.Td>
            <Table.Td>
              <Time at={endpoint.createdAt} />
            </Table.Td>
          </Table.Tr>
        )}
        empty={
          <EmptyState icon={IconWebhook} title={t.empty.title} text={t.empty.text}>
            {create}
          </EmptyState>
        }
      />
      <Modal opened={creating} onClose={close} title={t.form.title} closeOnClickOutside={false}>
        {creating && <NewEndpoint onClose={close} onCreated={show} />}
      </Modal>
      <ShownOnce secret={secret} texts={t.secret} onClose={() => setSecret(undefined)} />
    </Page>
  );
}

export function EndpointState({ endpoint }: { endpoint: { enabled: boolean; failingSince?: string | null } }) {
  if (!endpoint.enabled) return <Badge color="gray">{t.disabled}</Badge>;
  return <Badge color={endpoint.failingSince ? "red" : "pine"}>{endpoint.failingSince ? t.failing : t.enabled}</Badge>;
}

function NewEndpoint({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: string) => void }) {
  const [url, setUrl] = useState("");
  const [description, setDescription] = useState("");
  const [eventTypes, setEventTypes] = useState<string[]>([]);
  const create = useAction(CreateMutation);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { input: { url, description, eventTypes } },
      { onSuccess: ({ createWebhookEndpoint }) => onCreated(createWebhookEndpoint.secret ?? "") },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <FormAlert message={formError(create.error, ["url", "description", "eventTypes"])} error={create.error} />
        <TextInput
          label={t.form.url}
          description={t.form.urlHint}
          placeholder="https://example.com/hooks"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={fieldError(create.error, "url")}
          data-autofocus
        />
        <TextInput
          label={t.form.description}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={fieldError(create.error, "description")}
        />
        <MultiSelect
          label={t.form.events}
          description={t.form.eventsHint}
          data={t.events}
          value={eventTypes}
          onChange={setEventTypes}
          error={fieldError(create.error, "eventTypes")}
          clearable
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {shell.cancel}
          </Button>
          <GuardedButton type="submit" why={!url.trim() && t.form.missing} loading={create.isPending}>
            {t.form.submit}
          </GuardedButton>
        </Group>
      </Stack>
    </form>
  );
}
