// A list of what has a name and can be archived: found by its name, with what is archived on request, both in the URL.
import { Button, Group, Switch } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { optional } from "@/logic/search";
import { EmptyState } from "./EmptyState";
import { List, pageArguments } from "./List";
import { SearchField } from "./SearchField";

/** What the URL keeps of such a list. */
export interface NamedListSearch {
  after?: string;
  before?: string;
  at?: number;
  name?: string;
  archived?: boolean;
}

interface Props<N> extends Omit<ComponentProps<typeof List<N>>, "onPage"> {
  search: NamedListSearch;
  onSearch: (search: NamedListSearch, options?: { replace: boolean }) => void;
  texts: { search: string; archived: string; nothing: { title: string; text: string; clear: string } };
  /** What is shown where there is nothing yet. */
  empty: ReactNode;
}

/** The list's arguments for a page of 20 rows. */
export function namedListArguments(search: NamedListSearch) {
  return { ...pageArguments(search, 20), name: search.name, includeArchived: search.archived ?? false };
}

export function NamedList<N>({ search, onSearch, texts, empty, ...list }: Props<N>) {
  const { name, archived } = search;
  const nothing = (
    <EmptyState icon={IconSearch} title={texts.nothing.title} text={texts.nothing.text}>
      <Button variant="default" onClick={() => onSearch(optional({ archived }))}>
        {texts.nothing.clear}
      </Button>
    </EmptyState>
  );
  return (
    <>
      <Group mb="sm" gap="md">
        <SearchField
          aria-label={texts.search}
          placeholder={texts.search}
          value={name}
          onSearch={(next) => onSearch(optional({ name: next, archived }), { replace: true })}
          w={{ base: "100%", xs: 260 }}
        />
        <Switch
          size="xs"
          label={texts.archived}
          checked={archived ?? false}
          onChange={(event) => onSearch(optional({ name, archived: event.currentTarget.checked || undefined }))}
        />
      </Group>
      <List<N>
        {...list}
        onPage={(page) => onSearch(optional({ name, archived, ...page }))}
        empty={name ? nothing : empty}
      />
    </>
  );
}
