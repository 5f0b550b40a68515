// A Judge's samples: filter, look, correct, import, export.
import { Button, Checkbox, Group, Menu, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDatabase, IconDownload, IconFilterOff, IconUpload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { download } from "@/api/rest";
import { useCanEdit } from "@/api/session";
import { AnswerChip } from "@/components/AnswerChip";
import { EmptyState } from "@/components/EmptyState";
import { Help } from "@/components/Help";
import { ButtonLink } from "@/components/links";
import { List, pageArguments } from "@/components/List";
import { tellFailure } from "@/components/notify";
import { Time } from "@/components/Time";
import { answerFilter, exportPath, isFiltered, sampleFilter } from "@/logic/datasetFilter";
import { percentOrDash, plain } from "@/logic/format";
import { optional } from "@/logic/search";
import { useJudge } from "@/pages/judge/query";
import { dataset as t } from "@/texts/dataset";
import { Filters } from "./Filters";
import { Importer } from "./Importer";
import { SampleDrawer } from "./SampleDrawer";
import { SelectionBar } from "./SelectionBar";
import { type SampleRow, SamplesQuery } from "./queries";

const route = getRouteApi("/app/judges/$judgeId/dataset");
const SIZE = 25;

export function Dataset() {
  const judge = useJudge();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canEdit = useCanEdit();
  const [importing, { open, close }] = useDisclosure();

  const { sample, after, before, at, ...filters } = search;
  const result = useQuery(
    pagedQuery(SamplesQuery, {
      id: judge.id,
      ...pageArguments({ after, before }, SIZE),
      order: search.order ?? "NEWEST_FIRST",
      filter: sampleFilter(search),
      answer: answerFilter(search),
      text: search.text,
    }),
  );
  const rows = result.data?.judge?.samples;
  const ids = rows?.nodes.map((node) => node.id) ?? [];
  // What is selected on one page is not on another.
  const shown = JSON.stringify({ ...filters, after, before });
  const [selection, setSelection] = useState<{ shown: string; ids: string[] }>({ shown, ids: [] });
  const selected = selection.shown === shown ? selection.ids : [];
  const setSelected = (chosen: string[]) => setSelection({ shown, ids: chosen });

  const all = ids.length > 0 && ids.every((id) => selected.includes(id));
  const columns = [
    ...(canEdit
      ? [
          {
            name: t.columns.select,
            head: (
              <Checkbox
                size="xs"
                aria-label={t.selectAll}
                checked={all}
                indeterminate={!all && selected.length > 0}
                onChange={() => setSelected(all ? [] : ids)}
              />
            ),
          },
        ]
      : []),
    t.columns.state,
    ...judge.questions.map((question) => question.key),
    { name: t.columns.certainty, help: <Help term="certainty" /> },
    t.columns.recorded,
  ];
  const row = (node: SampleRow) => (
    <Table.Tr
      key={node.id}
      bg={
        selected.includes(node.id) ? "color-mix(in srgb, var(--mantine-color-pine-filled) 7%, transparent)" : undefined
      }
    >
      {canEdit && (
        <Table.Td w={36}>
          <Checkbox
            size="xs"
            aria-label={t.selectOne}
            checked={selected.includes(node.id)}
            onChange={() =>
              setSelected(selected.includes(node.id) ? selected.filter((id) => id !== node.id) : [...selected, node.id])
            }
          />
        </Table.Td>
      )}
      <Table.Td className="room">
        <Link
          from="/judges/$judgeId/dataset"
          to="."
          search={{ ...search, sample: node.id }}
          className="row-link clip"
          style={{ display: "block", fontWeight: 450 }}
          title={plain(node.state).slice(0, 300)}
        >
          {plain(node.state).slice(0, 160)}
        </Link>
      </Table.Td>
      {judge.questions.map((question) => {
        const answer = node.answers.find((one) => one.key === question.key);
        return (
          <Table.Td key={question.key}>
            {answer && <AnswerChip answer={answer} instructions={judge.instructions} />}
          </Table.Td>
        );
      })}
      <Table.Td className="numeric" title={t.certaintyHint}>
        {percentOrDash(node.certainty)}
      </Table.Td>
      <Table.Td>
        <Time at={node.createdAt} />
      </Table.Td>
    </Table.Tr>
  );
  const empty = isFiltered(search) ? (
    <EmptyState icon={IconFilterOff} title={t.nothing.title} text={t.nothing.text}>
      <Button variant="default" onClick={() => void navigate({ search: {} })}>
        {t.filters.clear}
      </Button>
    </EmptyState>
  ) : (
    <EmptyState icon={IconDatabase} title={t.empty.title} text={t.empty.text}>
      {canEdit && (
        <ButtonLink to="/judges/$judgeId" params={{ judgeId: judge.id }}>
          {t.tryIt}
        </ButtonLink>
      )}
      {canEdit && (
        <Button variant="default" onClick={open}>
          {t.import}
        </Button>
      )}
    </EmptyState>
  );

  return (
    <>
      <Group justify="space-between" mb="sm" gap="sm" align="flex-end">
        <Filters judge={judge} />
        <Group gap="xs">
          {rows?.totalCount !== undefined && (
            <Text size="sm" c="dimmed" className="numeric">
              {t.total(rows.totalCount)}
            </Text>
          )}
          {canEdit && (
            <Button size="xs" variant="default" leftSection={<IconUpload size={14} />} onClick={open}>
              {t.import}
            </Button>
          )}
          <ExportMenu judgeId={judge.id} />
        </Group>
      </Group>
      {selected.length > 0 && <SelectionBar judge={judge} ids={selected} onDone={() => setSelected([])} />}
      <List<SampleRow>
        label={t.columns.state}
        query={result}
        rows={rows}
        columns={columns}
        row={row}
        minWidth={Math.max(560, 420 + judge.questions.length * 130)}
        onPage={(page) => void navigate({ search: { ...filters, ...page } })}
        empty={empty}
      />
      <SampleDrawer
        judge={judge}
        sampleId={sample}
        onClose={() => void navigate({ search: optional({ ...filters, after, before, at }) })}
      />
      <Importer judge={judge} opened={importing} onClose={close} />
    </>
  );
}

function ExportMenu({ judgeId }: { judgeId: string }) {
  const search = route.useSearch();
  return (
    <Menu position="bottom-end" width={250}>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} />}>
          {t.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.exportHint}</Menu.Label>
        {[
          ["jsonl", "JSON Lines"],
          ["csv", "CSV"],
          ["parquet", "Parquet"],
        ].map(([format = "", name = ""]) => (
          <Menu.Item
            key={format}
            onClick={() =>
              void download(exportPath(judgeId, format, search), `${judgeId}.${format}`).catch(tellFailure)
            }
          >
            {t.exportAs(name)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
