// Requests of the account that were charged, from its ledger.
import { Group, Table } from "@mantine/core";
import { IconFilterOff, IconReceipt2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { pagedQuery } from "@/api/graphql";
import { EmptyState } from "@/components/EmptyState";
import { EndpointName } from "@/components/EndpointName";
import { IdText } from "@/components/IdText";
import { AnchorLink, ButtonLink } from "@/components/links";
import { List, pageArguments } from "@/components/List";
import { SearchField } from "@/components/SearchField";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { ChargedRequestsQuery } from "@/gql/graphql";
import { count, credits } from "@/logic/format";
import { optional } from "@/logic/search";
import { requests } from "@/texts/requests";

const ChargedQuery = graphql(`
  query ChargedRequests($first: Int, $after: String, $last: Int, $before: String, $requestId: ID) {
    account {
      ledger(first: $first, after: $after, last: $last, before: $before, kind: CHARGE, requestId: $requestId) {
        totalCount
        nodes {
          seq
          requestId
          items
          amount
          endpoint
          createdAt
          payer {
            id
            name
          }
          judge {
            id
            name
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

const t = requests.charged;
const route = getRouteApi("/app/requests");
type Charge = ChargedRequestsQuery["account"]["ledger"]["nodes"][number];

const COLUMNS = [
  t.columns.what,
  t.columns.by,
  t.columns.id,
  { name: t.columns.items, right: true },
  { name: t.columns.amount, right: true },
  t.columns.when,
  "",
];

export function Charged() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { tab, id } = search;
  const result = useQuery(pagedQuery(ChargedQuery, { ...pageArguments(search, 25), requestId: id }));
  return (
    <>
      <Group mb="sm" gap="xs" align="flex-end" justify="space-between">
        <SearchField
          size="xs"
          w={{ base: "100%", xs: 280 }}
          label={requests.id}
          placeholder="req_…"
          value={id}
          onSearch={(value) => void navigate({ search: optional({ tab, id: value?.trim() || undefined }) })}
        />
        <AnchorLink to="/ledger" search={id ? { request: id } : {}} size="sm">
          {t.all}
        </AnchorLink>
      </Group>
      <List<Charge>
        label={t.label}
        query={result}
        rows={result.data?.account.ledger}
        columns={COLUMNS}
        minWidth={880}
        row={(charge) => <Row key={charge.seq} charge={charge} />}
        onPage={(page) => void navigate({ search: optional({ tab, id, ...page }) })}
        empty={
          id ? (
            <EmptyState icon={IconFilterOff} title={t.nothing.title} text={t.nothing.text}>
              <ButtonLink to="/requests" search={{ id }} variant="default">
                {t.failed}
              </ButtonLink>
            </EmptyState>
          ) : (
            <EmptyState icon={IconReceipt2} title={t.empty.title} text={t.empty.text} />
          )
        }
      />
    </>
  );
}

function Row({ charge }: { charge: Charge }) {
  return (
    <Table.Tr>
      <Table.Td className="room">
        <div className="clip" title={charge.judge?.name}>
          {charge.endpoint ? <EndpointName endpoint={charge.endpoint} /> : "–"}
          {charge.judge && `: ${charge.judge.name}`}
        </div>
      </Table.Td>
      <Table.Td maw={180}>
        <div className="clip" title={charge.payer?.id}>
          {charge.payer ? (charge.payer.name ?? charge.payer.id) : "–"}
        </div>
      </Table.Td>
      <Table.Td className="room">
        <IdText id={charge.requestId} />
      </Table.Td>
      <Table.Td className="numeric" ta="right">
        {count(charge.items)}
      </Table.Td>
      <Table.Td className="numeric" ta="right" fw={550}>
        {credits(-charge.amount)}
      </Table.Td>
      <Table.Td>
        <Time at={charge.createdAt} />
      </Table.Td>
      <Table.Td ta="right">
        <AnchorLink to="/ledger" search={{ request: charge.requestId }} size="xs" className="numeric">
          {t.ledger}
        </AnchorLink>
      </Table.Td>
    </Table.Tr>
  );
}
