// Requests of all accounts that the server failed to answer.
import { Group, Stack, Text, Title } from "@mantine/core";
import { IconCircleCheck, IconFilterOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { pagedQuery, query } from "@/api/graphql";
import { EmptyState } from "@/components/EmptyState";
import { pageArguments } from "@/components/List";
import { SearchField } from "@/components/SearchField";
import { graphql } from "@/gql";
import { LIVE } from "@/logic/live";
import { optional } from "@/logic/search";
import { FailedDrawer } from "@/pages/requests/FailedDrawer";
import { FailedList } from "@/pages/requests/FailedList";
import { deployment } from "@/texts/operator";
import { requests } from "@/texts/requests";

const ServerErrorsQuery = graphql(`
  query ServerErrors($first: Int, $after: String, $last: Int, $before: String, $requestId: ID) {
    operator {
      failedRequests(first: $first, after: $after, last: $last, before: $before, requestId: $requestId) {
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

const t = deployment.errors;
const route = getRouteApi("/app/operator/");

export function ServerErrors() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { id, shown } = search;
  const result = useQuery({
    ...pagedQuery(ServerErrorsQuery, { ...pageArguments(search, 10), requestId: id }),
    refetchInterval: LIVE,
  });
  const rows = result.data?.operator.failedRequests;
  const listed = rows?.nodes.find((one) => one.requestId === shown);
  const alone = useQuery({
    ...query(ServerErrorsQuery, { first: 1, requestId: shown }),
    enabled: shown !== undefined && rows !== undefined && !listed,
  });
  const request = listed ?? (shown === undefined ? undefined : alone.data?.operator.failedRequests.nodes[0]);
  return (
    <Stack gap="xs" component="section" aria-label={t.title}>
      <Group justify="space-between" align="flex-end" gap="xs">
        <div>
          <Title order={2}>{t.title}</Title>
          <Text size="sm" c="dimmed">
            {t.text}
          </Text>
        </div>
        <SearchField
          size="xs"
          w={{ base: "100%", xs: 260 }}
          label={requests.id}
          placeholder="req_…"
          value={id}
          onSearch={(value) => void navigate({ search: optional({ id: value?.trim() || undefined }) })}
        />
      </Group>
      <FailedList
        label={t.title}
        query={result}
        rows={rows}
        link={(one, text) => (
          <Link to="/operator" search={{ ...search, shown: one.requestId }} className="row-link" resetScroll={false}>
            {text}
          </Link>
        )}
        onPage={(page) => void navigate({ search: optional({ id, ...page }), resetScroll: false })}
        empty={
          id ? <EmptyState icon={IconFilterOff} {...t.nothing} /> : <EmptyState icon={IconCircleCheck} {...t.empty} />
        }
      />
      <FailedDrawer
        shown={shown}
        request={request}
        query={alone}
        onClose={() => void navigate({ search: optional({ ...search, shown: undefined }), resetScroll: false })}
      />
    </Stack>
  );
}
