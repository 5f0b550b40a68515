// What the list of samples shows, kept in the URL.
import { Button, Group, Popover, Select, Stack } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { SearchField } from "@/components/SearchField";
import { type DatasetSearch, answerFilter } from "@/logic/datasetFilter";
import { instructionFor, valueLabel } from "@/logic/instructions";
import { optional } from "@/logic/search";
import type { JudgeData } from "@/pages/judge/query";
import { dataset } from "@/texts/dataset";

const t = dataset.filters;
const route = getRouteApi("/app/judges/$judgeId/dataset");

const options = (texts: Record<string, string>) => Object.entries(texts).map(([value, label]) => ({ value, label }));

export function Filters({ judge }: { judge: JudgeData }) {
  const { after: _a, before: _b, at: _n, sample: _s, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: Partial<DatasetSearch>) => void navigate({ search: optional({ ...search, ...change }) });
  const question = judge.questions.find((one) => one.key === search.key);
  const values = (question?.values ?? []).map((value) => ({
    value,
    label: valueLabel(instructionFor(judge.instructions, search.key ?? ""), value),
  }));
  const versions = Array.from({ length: judge.version }, (_, index) => String(judge.version - index));
  const active = [search.source, search.version, answerFilter(search)].filter(Boolean).length;
  return (
    <Group gap="xs" align="flex-end">
      <SearchField
        size="xs"
        w={{ base: "100%", xs: 190 }}
        label={t.search}
        placeholder={t.searchPlaceholder}
        value={search.text}
        onSearch={(text) => set({ text })}
      />
      <Select
        size="xs"
        w={158}
        label={t.order}
        data={options(t.orders)}
        value={search.order ?? "NEWEST_FIRST"}
        allowDeselect={false}
        onChange={(value) => set({ order: value === "NEWEST_FIRST" ? undefined : (value as DatasetSearch["order"]) })}
      />
      <Select
        size="xs"
        w={126}
        label={t.labelled}
        data={options(t.labelledOptions)}
        value={search.labelled ?? "any"}
        allowDeselect={false}
        onChange={(value) => set({ labelled: value === "any" ? undefined : (value as "yes" | "no") })}
      />
      <Popover position="bottom-start" shadow="md" width={270}>
        <Popover.Target>
          <Button size="xs" variant={active ? "light" : "default"} leftSection={<IconFilter size={14} />}>
            {t.more}
            {active > 0 && ` (${active})`}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap="xs">
            <Select
              size="xs"
              label={t.source}
              data={options(t.sources)}
              value={search.source ?? "any"}
              allowDeselect={false}
              comboboxProps={{ withinPortal: false }}
              onChange={(value) => set({ source: value === "any" ? undefined : (value as DatasetSearch["source"]) })}
            />
            <Select
              size="xs"
              label={t.version}
              data={versions}
              value={search.version ? String(search.version) : null}
              placeholder={t.any}
              clearable
              comboboxProps={{ withinPortal: false }}
              onChange={(value) => set({ version: value ? Number(value) : undefined })}
            />
            <Select
              size="xs"
              label={t.key}
              data={judge.questions.map((one) => one.key)}
              value={search.key ?? null}
              placeholder={t.any}
              clearable
              comboboxProps={{ withinPortal: false }}
              onChange={(value) =>
                set({ key: value ?? undefined, value: undefined, truth: undefined, agrees: undefined })
              }
            />
            {question && (
              <>
                <Select
                  size="xs"
                  label={t.value}
                  data={values}
                  value={search.value ?? null}
                  placeholder={t.any}
                  clearable
                  comboboxProps={{ withinPortal: false }}
                  onChange={(value) => set({ value: value ?? undefined })}
                />
                <Select
                  size="xs"
                  label={t.truth}
                  data={values}
                  value={search.truth ?? null}
                  placeholder={t.any}
                  clearable
                  comboboxProps={{ withinPortal: false }}
                  onChange={(value) => set({ truth: value ?? undefined })}
                />
                <Select
                  size="xs"
                  label={t.agrees}
                  data={options(t.agreesOptions)}
                  value={search.agrees ?? "any"}
                  allowDeselect={false}
                  comboboxProps={{ withinPortal: false }}
                  onChange={(value) => set({ agrees: value === "any" ? undefined : (value as "yes" | "no") })}
                />
              </>
            )}
            {active > 0 && (
              <Button
                size="xs"
                variant="subtle"
                color="gray"
                onClick={() => void navigate({ search: optional({ order: search.order }) })}
              >
                {t.clear}
              </Button>
            )}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}
