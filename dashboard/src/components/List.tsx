// A table in a card, with its loading, empty and error states, and its pages.
import { ActionIcon, Card, Group, Table, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { count } from "@/logic/format";
import { shell as t } from "@/texts/shell";
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
  columns: ReactNode[];
  row: (node: N) => ReactNode;
  empty: ReactNode;
  /** Goes to another page. */
  onPage?: (page: { after?: string; before?: string }) => void;
  minWidth?: number;
}

export function List<N>({ label, query, rows, columns, row, empty, onPage, minWidth = 640 }: Props<N>) {
  if (query.error && !rows) return <ErrorCard error={query.error} onRetry={() => void query.refetch()} />;
  const page = rows?.pageInfo;
  let body: ReactNode;
  if (!rows) body = <RowsSkeleton />;
  else if (rows.nodes.length === 0) body = empty;
  else
    body = (
      <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="region" aria-label={label}>
        <Table aria-label={label} style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column, index) => (
                // oxlint-disable-next-line react/no-array-index-key
                <Table.Th key={index}>{column}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{rows.nodes.map(row)}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    );
  return (
    <Card className="table-card">
      {body}
      {rows && onPage && page && (page.hasNextPage || page.hasPreviousPage) && (
        <Group justify="space-between" px="md" py={8} style={{ borderTop: "1px solid var(--hairline)" }}>
          <Text size="xs" c="dimmed" className="numeric">
            {rows.totalCount !== undefined && t.list.total(rows.nodes.length, count(rows.totalCount))}
          </Text>
          <Group gap={4}>
            <ActionIcon
              variant="default"
              aria-label={t.list.newer}
              disabled={!page.hasPreviousPage}
              onClick={() => onPage({ before: page.startCursor ?? undefined })}
            >
              <IconChevronLeft size={16} />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={t.list.older}
              disabled={!page.hasNextPage}
              onClick={() => onPage({ after: page.endCursor ?? undefined })}
            >
              <IconChevronRight size={16} />
            </ActionIcon>
          </Group>
        </Group>
      )}
    </Card>
  );
}

/** The arguments of a connection for a page of `size` rows. */
export function pageArguments(search: { after?: string; before?: string }, size: number) {
  return search.before ? { last: size, before: search.before } : { first: size, after: search.after };
}
