// The account's ledger.
import { Badge, Group, Select, Table } from "@mantine/core";
import { IconReceipt2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { pagedQuery } from "@/api/graphql";
import { EmptyState } from "@/components/EmptyState";
import { EndpointName } from "@/components/EndpointName";
import { List, pageArguments } from "@/components/List";
import { Page } from "@/components/Page";
import { SearchField } from "@/components/SearchField";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { LedgerEntryKind, LedgerQuery as Result } from "@/gql/graphql";
import { since } from "@/logic/datasetFilter";
import { count, credits, signed } from "@/logic/format";
import type { PageCursor } from "@/logic/pages";
import { optional } from "@/logic/search";
import { ledger as t } from "@/texts/account";

const LedgerQuery = graphql(`
  query Ledger(
    $first: Int
    $after: String
    $last: Int
    $before: String
    $kind: LedgerEntryKind
    $since: DateTime
    $requestId: ID
  ) {
    account {
      ledger(
        first: $first
        after: $after
        last: $last
        before: $before
        kind: $kind
        since: $since
        requestId: $requestId
      ) {
        totalCount
        nodes {
          seq
          kind
          items
          amount
          balanceAfter
          endpoint
          reference
          note
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

const COLORS: Record<LedgerEntryKind, string> = { CHARGE: "gray", GRANT: "pine", REFUND: "blue", ADJUSTMENT: "yellow" };
type Entry = Result["account"]["ledger"]["nodes"][number];
const route = getRouteApi("/app/ledger");

function WhatFor({ entry }: { entry: Entry }) {
  if (entry.note) return entry.note;
  if (!entry.endpoint) return "–";
  return (
    <>
      <EndpointName endpoint={entry.endpoint} />
      {entry.judge && `: ${entry.judge.name}`}
    </>
  );
}

export function Ledger() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { after, before, at: _, ...filters } = search;
  const result = useQuery(
    pagedQuery(LedgerQuery, {
      ...pageArguments({ after, before }, 25),
      kind: search.kind,
      since: since(search.days),
      requestId: search.request,
    }),
  );
  const { days: periodName, all } = t.periods;
  const filter = (change: Omit<typeof search, keyof PageCursor>) =>
    void navigate({ search: optional({ ...filters, ...change }) });
  return (
    <Page title={t.title} text={t.text}>
      <Group mb="sm" gap="xs">
        <Select
          size="xs"
          w={140}
          label={t.kind}
          data={Object.entries(t.kinds).map(([value, label]) => ({ value, label }))}
          value={search.kind ?? "any"}
          allowDeselect={false}
          onChange={(kind) => filter({ kind: kind === "any" ? undefined : (kind as LedgerEntryKind) })}
        />
        <Select
          size="xs"
          w={120}
          label={t.period}
          data={[
            { value: "0", label: all },
            ...[1, 7, 30, 90].map((days) => ({ value: String(days), label: periodName(days) })),
          ]}
          value={String(search.days ?? 0)}
          allowDeselect={false}
          onChange={(days) => filter({ days: Number(days) || undefined })}
        />
        <SearchField
          size="xs"
          w={{ base: "100%", xs: 260 }}
          label={t.request}
          placeholder="req_…"
          value={search.request}
          onSearch={(value) => filter({ request: value?.trim() || undefined })}
        />
      </Group>
      <List<Entry>
        label={t.title}
        query={result}
        rows={result.data?.account.ledger}
        columns={[
          t.columns.seq,
          t.columns.kind,
          t.columns.what,
          t.columns.by,
          t.columns.reference,
          { name: t.columns.items, right: true },
          { name: t.columns.amount, right: true },
          { name: t.columns.balance, right: true },
          t.columns.when,
        ]}
        row={(entry) => (
          <Table.Tr key={entry.seq}>
            <Table.Td className="numeric" c="dimmed">
              {count(entry.seq)}
            </Table.Td>
            <Table.Td>
              <Badge color={COLORS[entry.kind]}>{t.kindNames[entry.kind]}</Badge>
            </Table.Td>
            <Table.Td className="room">
              <div className="clip" title={entry.note ?? entry.judge?.name}>
                <WhatFor entry={entry} />
              </div>
            </Table.Td>
            <Table.Td maw={180}>
              <div className="clip" title={entry.payer?.id}>
                {entry.payer ? (entry.payer.name ?? entry.payer.id) : "–"}
              </div>
            </Table.Td>
            <Table.Td className="room">
              <div className="mono clip" title={entry.reference ?? undefined}>
                {entry.reference ?? "–"}
              </div>
            </Table.Td>
            <Table.Td className="numeric" ta="right">
              {entry.items > 0 ? count(entry.items) : "–"}
            </Table.Td>
            <Table.Td className="numeric" ta="right" fw={550} c={entry.amount > 0 ? "var(--positive)" : undefined}>
              {signed(entry.amount)}
            </Table.Td>
            <Table.Td className="numeric" ta="right">
              {credits(entry.balanceAfter)}
            </Table.Td>
            <Table.Td>
              <Time at={entry.createdAt} />
            </Table.Td>
          </Table.Tr>
        )}
        onPage={(page) => void navigate({ search: { ...filters, ...page } })}
        minWidth={1000}
        empty={<EmptyState icon={IconReceipt2} title={t.empty.title} text={t.empty.text} />}
      />
    </Page>
  );
}
