// The first rows of a file to import, with what each column means.
import { Select, Stack, Table, Text } from "@mantine/core";
import { plain } from "@/logic/format";
import type { ImportFile } from "@/logic/importFile";
import { type Mapping, type Meaning, membersOf, unused } from "@/logic/importMapping";
import type { JudgeData } from "@/pages/judge/query";
import { dataset } from "@/texts/dataset";

const t = dataset.importer.preview;

interface Props {
  judge: JudgeData;
  file: ImportFile;
  /** Nothing where the columns have the names that the server knows. */
  mapping: Mapping | undefined;
  onMeaning: (column: string, meaning: Meaning) => void;
  busy: boolean;
}

export function ImportPreview({ judge, file, mapping, onMeaning, busy }: Props) {
  if (file.columns.length === 0) return null;
  const members = membersOf(judge);
  const states =
    members.length > 0
      ? members.map(({ key, label }) => ({ value: `state.${key}`, label: t.member(label) }))
      : [{ value: "state", label: t.state }];
  const truths = judge.questions
    .filter(({ values }) => values.length > 0)
    .map(({ key }) => ({ value: `truth.${key}`, label: t.truth(key) }));
  const meanings = [{ value: "", label: t.skip }, ...states, ...truths];
  const skipped = mapping ? unused(file, mapping) : [];
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        {mapping ? t.map : t.title}
      </Text>
      <Table.ScrollContainer
        minWidth={Math.min(file.columns.length * 150, 900)}
        type="native"
        tabIndex={0}
        role="region"
        aria-label={t.title}
      >
        <Table aria-label={t.title} layout="fixed" withTableBorder>
          <Table.Thead>
            <Table.Tr>
              {file.columns.map((column) => (
                <Table.Th key={column} className="clip" title={column}>
                  {column}
                </Table.Th>
              ))}
            </Table.Tr>
            {mapping && (
              <Table.Tr>
                {file.columns.map((column) => (
                  <Table.Td key={column}>
                    <Select
                      size="xs"
                      aria-label={t.meaning(column)}
                      data={meanings}
                      value={mapping[column] ?? ""}
                      allowDeselect={false}
                      disabled={busy}
                      onChange={(meaning) => onMeaning(column, (meaning ?? "") as Meaning)}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            )}
          </Table.Thead>
          <Table.Tbody>
            {file.rows.map(({ line, values }) => (
              <Table.Tr key={line}>
                {file.columns.map((column) => (
                  <Table.Td key={column} className="clip" title={plain(values[column] ?? "").slice(0, 300)}>
                    {plain(values[column] ?? "").slice(0, 80)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {skipped.length > 0 && (
        <Text size="xs" c="dimmed">
          {t.skipped(skipped.join(", "))}
        </Text>
      )}
    </Stack>
  );
}
