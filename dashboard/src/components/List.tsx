// A table in a card, with its loading, empty and error states, and its pages.
import { ActionIcon, Card, Group, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { count } from "@/logic/format";
import { firstOf, type PageCursor } from "@/logic/pages";
import { shell as t } from "@/texts/shell";
import { type Column, DataTable } from "./DataTable";
import { ErrorCard } from "./PageError";
import { RowsSkeleton } from "./PageSkeleton";

interface Connection<N> {
  nodes: N[];
  totalCount?: number;
  pageInfo?: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor?: string | null; endCursor?: string | null };
}

interface Props<N> {
  /** What the table holds, for screen readers. */
  label: string;
  query: Pick<UseQueryResult, "error" | "isPending" | "isPlaceholderData" | "refetch">;
  rows: Connection<N> | undefined;
  columns: Column[];
  row: (node: N) => ReactNode;
  empty: ReactNode;
  /** Goes to another page. */
  onPage?: (page: PageCursor) => void;
  minWidth?: number;
}

export function List<N>({ label, query, rows, columns, row, empty, onPage, minWidth = 640 }: Props<N>) {
  if (query.error && !rows) return <ErrorCard error={query.error} onRetry={() => void query.refetch()} />;
  let body: ReactNode;
  if (!rows) body = <RowsSkeleton />;
  else if (rows.nodes.length === 0) body = empty;
  else
    body = (
      <DataTable
        label={label}
        columns={columns}
        minWidth={minWidth}
        style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}
      >
        {rows.nodes.map(row)}
      </DataTable>
    );
  return (
    <Card className="table-card">
      {body}
      {rows && rows.nodes.length > 0 && <Pages rows={rows} onPage={onPage} />}
    </Card>
  );
}

/** Which rows of how many are shown, and the ways to others. */
function Pages<N>({ rows, onPage }: { rows: Connection<N>; onPage?: (page: PageCursor) => void }) {
  const search: PageCursor = useSearch({ strict: false });
  const { pageInfo: page, totalCount: total } = rows;
  if (!page) return null;
  const length = rows.nodes.length;
  const first = firstOf(search, { length, total, ...page });
  let shown = total === undefined ? undefined : t.list.some(count(length), count(total));
  if (total !== undefined && first !== undefined)
    shown = t.list.range(count(first), count(first + length - 1), count(total));
  return (
    <Group justify="space-between" px="md" py={8} mih={45} style={{ borderTop: "1px solid var(--hairline)" }}>
      <Text size="xs" c="dimmed" className="numeric">
        {shown}
      </Text>
      {onPage && (page.hasNextPage || page.hasPreviousPage) && (
        <Group gap={4}>
          <ActionIcon
            variant="default"
            aria-label={t.list.newer}
            disabled={!page.hasPreviousPage}
            title={page.hasPreviousPage ? undefined : t.list.first}
            onClick={() => onPage({ before: page.startCursor ?? undefined, at: first })}
          >
            <IconChevronLeft size={16} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            aria-label={t.list.older}
            disabled={!page.hasNextPage}
            title={page.hasNextPage ? undefined : t.list.last}
            onClick={() => onPage({ after: page.endCursor ?? undefined, at: first && first + length - 1 })}
          >
            <IconChevronRight size={16} />
          </ActionIcon>
        </Group>
      )}
    </Group>
  );
}

/** The arguments of a connection for a page of `size` rows. */
export function pageArguments(search: { after?: string; before?: string }, size: number) {
  return search.before ? { last: size, before: search.before } : { first: size, after: search.after };
}
