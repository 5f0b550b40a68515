// Requests of the account that were refused or failed.
import { Button, Group, Select, Text } from "@mantine/core";
import { IconArrowsExchange, IconFilterOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { pagedQuery, query } from "@/api/graphql";
import { EmptyState } from "@/components/EmptyState";
import { ButtonLink } from "@/components/links";
import { pageArguments } from "@/components/List";
import { SearchField } from "@/components/SearchField";
import { graphql } from "@/gql";
import { LIVE, lookAgain } from "@/logic/live";
import { STATUSES, whyNone } from "@/logic/requests";
import { optional } from "@/logic/search";
import { requests as t } from "@/texts/requests";
import { FailedDrawer } from "./FailedDrawer";
import { FailedList } from "./FailedList";

const FailedQuery = graphql(`
  query FailedRequests(
    $first: Int
    $after: String
    $last: Int
    $before: String
    $requestId: ID
    $status: Int
    $keyId: ID
  ) {
    account {
      failedRequests(
        first: $first
        after: $after
        last: $last
        before: $before
        requestId: $requestId
        status: $status
        keyId: $keyId
      ) {
        totalCount
        nodes {
          ...FailedRequestFields
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
const KeysQuery = graphql(`
  query RequestKeys {
    account {
      apiKeys(first: 100, includeRevoked: true) {
        nodes {
          id
          name
        }
      }
    }
  }
`);

const route = getRouteApi("/app/requests");

export function Failed() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { id, status, key, shown } = search;
  const result = useQuery({
    ...pagedQuery(FailedQuery, { ...pageArguments(search, 25), requestId: id, status, keyId: key }),
    refetchInterval: ({ state }) =>
      id ? lookAgain(state.data?.account.failedRequests.nodes.length, state.dataUpdateCount) : LIVE,
  });
  const rows = result.data?.account.failedRequests;
  const listed = rows?.nodes.find((one) => one.requestId === shown);
  // A link to a request may be followed when the list shows others.
  const alone = useQuery({
    ...query(FailedQuery, { first: 1, requestId: shown }),
    enabled: shown !== undefined && rows !== undefined && !listed,
  });
  const request = listed ?? (shown === undefined ? undefined : alone.data?.account.failedRequests.nodes[0]);
  return (
    <>
      <Filters />
      <FailedList
        label={t.failed.label}
        query={result}
        rows={rows}
        link={(one, text) => (
          <Link to="/requests" search={{ ...search, shown: one.requestId }} className="row-link" resetScroll={false}>
            {text}
          </Link>
        )}
        onPage={(page) => void navigate({ search: optional({ id, status, key, ...page }) })}
        empty={<Nothing />}
      />
      <Text size="xs" c="dimmed" mt="xs">
        {t.failed.note}
      </Text>
      <FailedDrawer
        shown={shown}
        request={request}
        query={alone}
        onClose={() => void navigate({ search: optional({ ...search, shown: undefined }), resetScroll: false })}
      />
    </>
  );
}

function Filters() {
  const { id, status, key } = route.useSearch();
  const navigate = route.useNavigate();
  const keys = useQuery(query(KeysQuery)).data?.account.apiKeys.nodes ?? [];
  const filter = (change: { id?: string; status?: number; key?: string }) =>
    void navigate({ search: optional({ id, status, key, ...change }) });
  return (
    <Group mb="sm" gap="xs" align="flex-end">
      <SearchField
        size="xs"
        w={{ base: "100%", xs: 280 }}
        label={t.id}
        placeholder="req_…"
        value={id}
        onSearch={(value) => filter({ id: value?.trim() || undefined })}
      />
      <Select
        size="xs"
        w={130}
        label={t.status}
        placeholder={t.anyStatus}
        data={(status && !STATUSES.includes(status) ? [...STATUSES, status] : STATUSES).map(String)}
        value={status === undefined ? null : String(status)}
        clearable
        onChange={(value) => filter({ status: value ? Number(value) : undefined })}
      />
      <Select
        size="xs"
        w={200}
        label={t.key}
        placeholder={t.anyKey}
        data={keys.map(({ id: value, name }) => ({ value, label: name }))}
        value={key ?? null}
        searchable
        clearable
        onChange={(value) => filter({ key: value ?? undefined })}
      />
    </Group>
  );
}

function Nothing() {
  const { id, status, key } = route.useSearch();
  const navigate = route.useNavigate();
  const why = whyNone({ id, status, key });
  if (why === "empty")
    return <EmptyState icon={IconArrowsExchange} title={t.failed.empty.title} text={t.failed.empty.text} />;
  return (
    <EmptyState icon={IconFilterOff} title={t.failed[why].title} text={t.failed[why].text}>
      {id && (
        <ButtonLink to="/requests" search={{ tab: "charged", id }} variant="default">
          {t.failed.unknown.charged}
        </ButtonLink>
      )}
      <Button variant="default" onClick={() => void navigate({ search: {} })}>
        {t.clear}
      </Button>
    </EmptyState>
  );
}
