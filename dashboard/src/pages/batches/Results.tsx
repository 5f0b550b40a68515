// The results of a batch: how many there are of which kind, the first of them in a table, and all as a file.
import { Badge, Button, Card, Group, Table, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { download } from "@/api/rest";
import { ActionBadge } from "@/components/ActionBadge";
import { DataTable } from "@/components/DataTable";
import { tellFailure } from "@/components/notify";
import { graphql } from "@/gql";
import type { BatchResultsQuery } from "@/gql/graphql";
import { countResults, readResult } from "@/logic/batchResults";
import { count, words } from "@/logic/format";
import { batches } from "@/texts/integrate";

const ResultsQuery = graphql(`
  query BatchResults($id: ID!) {
    batch(id: $id) {
      id
      finishedAt
      results {
        lines
        nextPart
      }
    }
  }
`);

const t = batches.page;
/** Rows that are shown at first, and by each press of the button. */
const SHOWN = 20;

const linesOf = (results: BatchResultsQuery | undefined) =>
  (results?.batch?.results.lines ?? "").split("\n").filter(Boolean);

/**
 * Whether a later answer shows more: it was given while the batch ran (which may have ended since), and has fewer lines
 * than are shown.
 */
function mayGrow(results: BatchResultsQuery | undefined): boolean {
  return results?.batch?.finishedAt === null && linesOf(results).length < SHOWN;
}

export function Results({ batchId, done }: { batchId: string; done: number }) {
  const result = useQuery({
    ...pagedQuery(ResultsQuery, { id: batchId }),
    refetchInterval: ({ state }) => (mayGrow(state.data) ? 2000 : false),
  });
  const [shown, setShown] = useState(SHOWN);
  const results = linesOf(result.data).map(readResult);
  const { actions, errors } = countResults(results);
  const of = results.length < done ? t.countsOf(count(results.length), count(done)) : t.counts;
  return (
    <Card className="table-card">
      <Group justify="space-between" p="md" gap="sm">
        <div>
          <Title order={2}>{t.results}</Title>
          <Text size="xs" c="dimmed">
            {results.length ? of : t.none}
          </Text>
        </div>
        {results.length > 0 && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => void download(`/api/v1/batches/${batchId}/results`, `${batchId}.jsonl`).catch(tellFailure)}
          >
            {t.download}
          </Button>
        )}
      </Group>
      {(actions.length > 0 || errors.length > 0) && (
        <Group gap="md" px="md" pb="sm">
          {actions.map(([action, number]) => (
            <Group key={action} gap={6}>
              <ActionBadge action={action} />
              <Text size="sm" className="numeric">
                {count(number)}
              </Text>
            </Group>
          ))}
          {errors.map(([error, number]) => (
            <Group key={error} gap={6}>
              <Badge color="red">{words(error)}</Badge>
              <Text size="sm" className="numeric">
                {count(number)}
              </Text>
            </Group>
          ))}
        </Group>
      )}
      {results.length > 0 && (
        <DataTable label={t.results} minWidth={520} columns={[t.columns.id, t.columns.outcome, t.columns.answer]}>
          {results.slice(0, shown).map((one) => (
            <Table.Tr key={one.id}>
              <Table.Td className="room mono clip" title={one.id}>
                {one.id}
              </Table.Td>
              <Table.Td>
                {one.action && <ActionBadge action={one.action} />}
                {one.error && <Badge color="red">{words(one.error)}</Badge>}
                {!one.action && !one.error && <Badge>{t.answered}</Badge>}
              </Table.Td>
              <Table.Td className="room clip" title={one.text}>
                {one.action ? t.threat(one.text) : one.text}
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
      {results.length > shown && (
        <Group justify="center" p="sm" style={{ borderTop: "1px solid var(--hairline)" }}>
          <Button size="xs" variant="subtle" onClick={() => setShown(shown + 5 * SHOWN)}>
            {t.more(count(Math.min(5 * SHOWN, results.length - shown)))}
          </Button>
        </Group>
      )}
    </Card>
  );
}
