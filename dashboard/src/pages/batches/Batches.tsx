// The account's bulk batches.
import { Button, Progress, Table } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconStack2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { pagedQuery } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { EmptyState } from "@/components/EmptyState";
import { List, pageArguments } from "@/components/List";
import { Page } from "@/components/Page";
import { StateBadge } from "@/components/StateBadge";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { BatchesQuery as Result } from "@/gql/graphql";
import { count, credits } from "@/logic/format";
import { batches as t } from "@/texts/integrate";
import { NewBatch } from "./NewBatch";

const BatchesQuery = graphql(`
  query Batches($first: Int, $after: String, $last: Int, $before: String) {
    account {
      batches(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        nodes {
          id
          status
          total
          completed
          failed
          creditsCharged
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

type Row = Result["account"]["batches"]["nodes"][number];
const route = getRouteApi("/app/batches");

export function Batches() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canEdit = useCanEdit();
  const [creating, { open, close }] = useDisclosure();
  const result = useQuery({
    ...pagedQuery(BatchesQuery, pageArguments(search, 20)),
    refetchInterval: (running) =>
      running.state.data?.account.batches.nodes.some((one) => one.status === "QUEUED" || one.status === "RUNNING")
        ? 1500
        : false,
  });
  const create = canEdit && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} text={t.text} actions={create}>
      <List<Row>
        label={t.title}
        query={result}
        rows={result.data?.account.batches}
        columns={[
          t.columns.status,
          t.columns.id,
          t.columns.items,
          t.columns.progress,
          t.columns.failed,
          t.columns.credits,
          t.columns.created,
        ]}
        row={(batch) => (
          <Table.Tr key={batch.id}>
            <Table.Td>
              <StateBadge state={batch.status} label={t.statuses[batch.status]} />
            </Table.Td>
            <Table.Td>
              <Link to="/batches/$batchId" params={{ batchId: batch.id }} className="row-link mono">
                {batch.id}
              </Link>
            </Table.Td>
            <Table.Td className="numeric">{count(batch.total)}</Table.Td>
            <Table.Td w={130}>
              <Progress
                value={((batch.completed + batch.failed) / batch.total) * 100}
                aria-label={t.page.progress(count(batch.completed + batch.failed), count(batch.total))}
              />
            </Table.Td>
            <Table.Td className="numeric">{count(batch.failed)}</Table.Td>
            <Table.Td className="numeric">{credits(batch.creditsCharged)}</Table.Td>
            <Table.Td>
              <Time at={batch.createdAt} />
            </Table.Td>
          </Table.Tr>
        )}
        onPage={(page) => void navigate({ search: page })}
        minWidth={780}
        empty={
          <EmptyState icon={IconStack2} title={t.empty.title} text={t.empty.text}>
            {create}
          </EmptyState>
        }
      />
      <NewBatch opened={creating} onClose={close} />
    </Page>
  );
}
