// The answers of an evaluation: all, the mistakes, or those of a cell of the confusion matrix.
import { Badge, Button, Group, Menu, SegmentedControl, Table, Text, Title } from "@mantine/core";
import { IconChecklist, IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { pagedQuery } from "@/api/graphql";
import { download } from "@/api/rest";
import { EmptyState } from "@/components/EmptyState";
import { List, pageArguments } from "@/components/List";
import { tellFailure } from "@/components/notify";
import { graphql } from "@/gql";
import type { EvaluationAnswerFilterInput, EvaluationAnswersQuery as Result } from "@/gql/graphql";
import { answersPath } from "@/logic/evaluationAnswers";
import { percentOrDash, plain } from "@/logic/format";
import { instructionFor, valueLabel } from "@/logic/instructions";
import { evaluations } from "@/texts/training";

const AnswersQuery = graphql(`
  query EvaluationAnswers(
    $id: ID!
    $filter: EvaluationAnswerFilterInput!
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    evaluation(id: $id) {
      id
      answers(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
        totalCount
        nodes {
          key
          groundTruth
          answer
          probability
          trained
          sample {
            id
            state
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

type Row = NonNullable<Result["evaluation"]>["answers"]["nodes"][number];

const t = evaluations.answers;
const route = getRouteApi("/app/evaluations/$evaluationId");

export function RunAnswers({ instructions }: { instructions: unknown }) {
  const { evaluationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { key, truth, answer, mistakes } = search;
  const cell = key && truth && answer;
  // The confusion matrix leaves out what the Checkpoint was trained on.
  const trained = cell ? false : undefined;
  const filter = { key, groundTruth: truth, answer, trained, agrees: mistakes ? false : undefined };
  const result = useQuery(pagedQuery(AnswersQuery, { id: evaluationId, filter, ...pageArguments(search, 20) }));
  const label = (one: Row, value: string | null | undefined) =>
    value == null ? t.abstained : valueLabel(instructionFor(instructions, one.key), value);
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Title order={2} style={{ flexGrow: 1 }}>
          {t.title}
        </Title>
        {cell ? (
          <Button variant="default" size="xs" onClick={() => void navigate({ search: {}, resetScroll: false })}>
            {t.showAll(key, valueLabel(instructionFor(instructions, key), truth))}
          </Button>
        ) : (
          <SegmentedControl
            size="xs"
            value={mistakes ? "mistakes" : "all"}
            onChange={(value) =>
              void navigate({ search: value === "mistakes" ? { mistakes: true } : {}, resetScroll: false })
            }
            data={[
              { value: "all", label: t.all },
              { value: "mistakes", label: t.mistakes },
            ]}
            aria-label={t.title}
          />
        )}
        <ExportMenu id={evaluationId} filter={filter} />
      </Group>
      <List<Row>
        label={t.title}
        query={result}
        rows={result.data?.evaluation?.answers}
        columns={[t.columns.sample, t.columns.key, t.columns.truth, t.columns.answer, t.columns.probability]}
        row={(one) => (
          <Table.Tr key={`${one.sample?.id}-${one.key}`}>
            <Table.Td className="room clip" title={plain(one.sample?.state ?? "")}>
              {one.sample ? plain(one.sample.state).slice(0, 160) : <span className="quiet">{t.purged}</span>}
            </Table.Td>
            <Table.Td>{one.key}</Table.Td>
            <Table.Td>{label(one, one.groundTruth)}</Table.Td>
            <Table.Td>
              <Badge color={one.answer === one.groundTruth ? "pine" : "red"} variant="light">
                {label(one, one.answer)}
              </Badge>
              {one.trained && (
                <Text span size="xs" c="dimmed">
                  {" "}
                  {t.trained}
                </Text>
              )}
            </Table.Td>
            <Table.Td className="numeric">{percentOrDash(one.probability)}</Table.Td>
          </Table.Tr>
        )}
        onPage={(page) =>
          void navigate({
            search: (before) => ({ ...before, after: undefined, before: undefined, ...page }),
            resetScroll: false,
          })
        }
        empty={<EmptyState icon={IconChecklist} title={t.empty.title} text={t.empty.text} />}
      />
    </div>
  );
}

function ExportMenu({ id, filter }: { id: string; filter: EvaluationAnswerFilterInput }) {
  const save = (format: string) => void download(answersPath(id, format, filter), `${id}.${format}`).catch(tellFailure);
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} />}>
          {t.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.exportHint}</Menu.Label>
        <Menu.Item onClick={() => save("jsonl")}>{t.exportAs("JSON Lines")}</Menu.Item>
        <Menu.Item onClick={() => save("csv")}>{t.exportAs("CSV")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
