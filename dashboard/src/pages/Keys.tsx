// API keys: create, see once, revoke.
import { Badge, Button, Group, Switch, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { Confirm } from "@/components/Confirm";
import { EmptyState } from "@/components/EmptyState";
import { List, pageArguments } from "@/components/List";
import { tell } from "@/components/notify";
import { Page } from "@/components/Page";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { ApiKeysQuery } from "@/gql/graphql";
import { allowedBackends } from "@/texts/allowedBackends";
import { keys as t } from "@/texts/keys";
import { shell } from "@/texts/shell";
import { NewKey } from "./keys/NewKey";
import { SetKeyBackends } from "./keys/SetKeyBackends";

const KeysQuery = graphql(`
  query ApiKeys($first: Int, $after: String, $last: Int, $before: String, $includeRevoked: Boolean!) {
    account {
      apiKeys(first: $first, after: $after, last: $last, before: $before, includeRevoked: $includeRevoked) {
        totalCount
        nodes {
          id
          name
          hint
          scopes
          backends
          active
          createdAt
          expiresAt
          lastUsedAt
          revokedAt
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
const RevokeMutation = graphql(`
  mutation RevokeApiKey($id: ID!) {
    revokeApiKey(input: { id: $id }) {
      apiKey {
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

type Key = ApiKeysQuery["account"]["apiKeys"]["nodes"][number];
const route = getRouteApi("/app/keys");

export function Keys() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canEdit = useCanEdit();
  const [creating, { open, close }] = useDisclosure();
  const result = useQuery(
    pagedQuery(KeysQuery, { ...pageArguments(search, 20), includeRevoked: search.revoked ?? false }),
  );
  const create = canEdit && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} text={t.text} actions={create}>
      <Group mb="sm">
        <Switch
          size="xs"
          label={t.showRevoked}
          checked={search.revoked ?? false}
          onChange={(event) => void navigate({ search: event.currentTarget.checked ? { revoked: true } : {} })}
        />
      </Group>
      <List<Key>
        label={t.title}
        query={result}
        rows={result.data?.account.apiKeys}
        columns={[
          t.columns.name,
          t.columns.key,
          t.columns.scopes,
          t.columns.used,
          t.columns.created,
          t.columns.expires,
          t.columns.state,
          "",
        ]}
        row={(key) => <Row key={key.id} apiKey={key} canEdit={canEdit} />}
        onPage={(page) => void navigate({ search: { ...(search.revoked ? { revoked: true } : {}), ...page } })}
        minWidth={900}
        empty={
          <EmptyState icon={IconKey} title={t.empty.title} text={t.empty.text}>
            {create}
          </EmptyState>
        }
      />
      <NewKey opened={creating} onClose={close} />
    </Page>
  );
}

function Row({ apiKey: key, canEdit }: { apiKey: Key; canEdit: boolean }) {
  const [asking, setAsking] = useState(false);
  const [limiting, { open, close }] = useDisclosure();
  const revoke = useAction(RevokeMutation);
  const state = key.revokedAt ? "revoked" : key.active ? "active" : "expired";
  return (
    <Table.Tr>
      <Table.Td fw={550} className="room clip" title={key.name}>
        {key.name}
      </Table.Td>
      <Table.Td className="mono">{key.hint}…</Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap">
          {key.scopes.map((scope) => (
            <Badge key={scope} color="gray" size="sm">
              {t.scopes[scope].name}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        <Time at={key.lastUsedAt} empty={shell.never} />
      </Table.Td>
      <Table.Td>
        <Time at={key.createdAt} />
      </Table.Td>
      <Table.Td>
        <Time at={key.expiresAt} empty={shell.never} />
      </Table.Td>
      <Table.Td>
        <Badge color={state === "active" ? "pine" : "gray"}>{t.states[state]}</Badge>
      </Table.Td>
      <Table.Td ta="right">
        {canEdit && state === "active" && (
          <Group gap={6} wrap="nowrap" justify="flex-end">
            <Button
              size="compact-xs"
              variant="default"
              aria-label={allowedBackends.title(key.name)}
              title={key.backends?.join(", ")}
              onClick={open}
            >
              {allowedBackends.open}
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => setAsking(true)}>
              {t.revoke}
            </Button>
            <SetKeyBackends apiKey={key} opened={limiting} onClose={close} />
          </Group>
        )}
        <Confirm
          opened={asking}
          title={t.revokeTitle(key.name)}
          action={t.revoke}
          danger
          loading={revoke.isPending}
          error={revoke.error}
          onClose={() => setAsking(false)}
          onConfirm={() =>
            revoke.mutate(
              { id: key.id },
              {
                onSuccess: () => {
                  setAsking(false);
                  tell(t.revoked);
                },
              },
            )
          }
        >
          <Text size="sm">{t.revokeText}</Text>
        </Confirm>
      </Table.Td>
    </Table.Tr>
  );
}
