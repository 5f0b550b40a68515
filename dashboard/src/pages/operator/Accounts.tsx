// All accounts of the deployment: what they own, and how much they may ask.
import { Badge, Button, Group, Stack, Table } from "@mantine/core";
import { IconBuilding, IconFilterOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { EmptyState } from "@/components/EmptyState";
import { IdText } from "@/components/IdText";
import { List, pageArguments } from "@/components/List";
import { Page } from "@/components/Page";
import { SearchField } from "@/components/SearchField";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { CustomersQuery as Result } from "@/gql/graphql";
import { count, credits } from "@/logic/format";
import { limitKind } from "@/logic/operator";
import { optional } from "@/logic/search";
import { allowedBackends } from "@/texts/allowedBackends";
import { accounts as t } from "@/texts/operator";
import { GrantCredits } from "./GrantCredits";
import { SetAccountBackends } from "./SetAccountBackends";
import { SetRateLimit } from "./SetRateLimit";

const CustomersQuery = graphql(`
  query Customers($first: Int, $after: String, $last: Int, $before: String, $query: String) {
    operator {
      accounts(first: $first, after: $after, last: $last, before: $before, query: $query) {
        totalCount
        nodes {
          id
          name
          owners
          available
          balance
          held
          rateLimitPerMinute
          backends
          createdAt
          erasedAt
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

export type Customer = Result["operator"]["accounts"]["nodes"][number];
const route = getRouteApi("/app/operator/accounts");

const COLUMNS = [
  t.columns.account,
  t.columns.owners,
  { name: t.columns.available, right: true },
  { name: t.columns.held, right: true },
  t.columns.limit,
  t.columns.created,
  "",
];

export function Accounts() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const result = useQuery(pagedQuery(CustomersQuery, { ...pageArguments(search, 25), query: search.query }));
  return (
    <Page title={t.title} text={t.text}>
      <SearchField
        mb="sm"
        maw={360}
        aria-label={t.search}
        placeholder={t.placeholder}
        value={search.query}
        onSearch={(query) => void navigate({ search: optional({ query: query?.trim() || undefined }) })}
      />
      <List<Customer>
        label={t.title}
        query={result}
        rows={result.data?.operator.accounts}
        columns={COLUMNS}
        minWidth={1040}
        row={(customer) => <Row key={customer.id} customer={customer} />}
        onPage={(page) => void navigate({ search: optional({ query: search.query, ...page }) })}
        empty={
          search.query ? (
            <EmptyState icon={IconFilterOff} {...t.nothing} />
          ) : (
            <EmptyState icon={IconBuilding} {...t.empty} />
          )
        }
      />
    </Page>
  );
}

function Row({ customer }: { customer: Customer }) {
  const [changing, setChanging] = useState<"credits" | "limit" | "backends">();
  const close = () => setChanging(undefined);
  return (
    <Table.Tr>
      <Table.Td className="room">
        <Stack gap={0} align="flex-start">
          <Group gap={6} wrap="nowrap" maw="100%">
            <span className="clip" style={{ fontWeight: 550 }} title={customer.name}>
              {customer.name}
            </span>
            {customer.erasedAt && <Badge color="gray">{t.erased}</Badge>}
          </Group>
          <IdText id={customer.id} />
        </Stack>
      </Table.Td>
      <Table.Td className="room">
        <div className="clip" title={customer.owners.join(", ")}>
          {customer.owners.join(", ") || <span className="quiet">{t.noOwners}</span>}
        </div>
      </Table.Td>
      <Table.Td className="numeric" ta="right" fw={550}>
        {credits(customer.available)}
      </Table.Td>
      <Table.Td className="numeric" ta="right">
        {credits(customer.held)}
      </Table.Td>
      <Table.Td className="numeric">{limitText(customer.rateLimitPerMinute)}</Table.Td>
      <Table.Td>
        <Time at={customer.createdAt} />
      </Table.Td>
      <Table.Td ta="right">
        {!customer.erasedAt && (
          <Group gap={6} wrap="nowrap" justify="flex-end">
            <Button
              size="compact-xs"
              variant="default"
              aria-label={t.credits.of(customer.name)}
              onClick={() => setChanging("credits")}
            >
              {t.credits.open}
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={t.limit.of(customer.name)}
              onClick={() => setChanging("limit")}
            >
              {t.limit.open}
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={allowedBackends.title(customer.name)}
              onClick={() => setChanging("backends")}
            >
              {allowedBackends.open}
            </Button>
            <GrantCredits customer={customer} opened={changing === "credits"} onClose={close} />
            <SetRateLimit customer={customer} opened={changing === "limit"} onClose={close} />
            <SetAccountBackends customer={customer} opened={changing === "backends"} onClose={close} />
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function limitText(perMinute: number | null | undefined): string {
  const kind = limitKind(perMinute);
  return kind === "own" ? t.limits.perMinute(count(perMinute ?? 0)) : t.limits[kind];
}
