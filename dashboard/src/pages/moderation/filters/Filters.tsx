// What the queue shows, kept in the URL.
import { Button, Group, Popover, SegmentedControl, Select } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { RowsSkeleton } from "@/components/PageSkeleton";
import { SearchField } from "@/components/SearchField";
import { type QueueFilter, activeFilters, filterOf } from "@/logic/moderationFilter";
import { optional } from "@/logic/search";
import { queue } from "@/texts/moderation";
import { ActiveFilters } from "./ActiveFilters";
import { SavedViews } from "./SavedViews";

/** Fetched when it is opened: its fields are large. */
const FilterForm = lazy(() => import("./FilterForm").then((module) => ({ default: module.FilterForm })));

const t = queue.filters;
const route = getRouteApi("/app/moderation/");
const ORDERS = Object.entries(t.orders).map(([value, label]) => ({ value, label }));
const STATUSES = Object.entries(t.statuses).map(([value, label]) => ({ value, label }));

/** Changes filters; the list begins at its first page again. */
export function useSetFilter() {
  const filter = filterOf(route.useSearch());
  const navigate = route.useNavigate();
  return (change: Partial<QueueFilter>) => void navigate({ search: optional({ ...filter, ...change }) });
}

export function Filters({ order }: { order: NonNullable<QueueFilter["order"]> }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = useSetFilter();
  // The text has a field of its own.
  const active = activeFilters(search).filter((name) => name !== "text").length;
  return (
    <>
      <Group gap="xs" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label={t.status}
          data={STATUSES}
          value={search.status ?? "open"}
          onChange={(value) => set({ status: value === "open" ? undefined : (value as "decided" | "all") })}
        />
        <SearchField
          size="xs"
          w={{ base: "100%", xs: 200 }}
          aria-label={t.search}
          placeholder={t.searchHint}
          value={search.text}
          onSearch={(text) => set({ text })}
        />
        <Select
          size="xs"
          w={160}
          aria-label={t.order}
          data={ORDERS}
          value={order}
          allowDeselect={false}
          onChange={(value) => set({ order: value as QueueFilter["order"] })}
        />
        <Popover position="bottom-start" shadow="md" width={300} trapFocus>
          <Popover.Target>
            <Button size="xs" variant={active ? "light" : "default"} leftSection={<IconFilter size={14} />}>
              {active ? t.moreActive(active) : t.more}
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <Suspense fallback={<RowsSkeleton rows={5} />}>
              <FilterForm search={search} onChange={set} />
            </Suspense>
          </Popover.Dropdown>
        </Popover>
        <SavedViews filter={filterOf(search)} onChoose={(filter) => void navigate({ search: filter })} />
      </Group>
      <ActiveFilters search={search} onChange={set} />
    </>
  );
}
