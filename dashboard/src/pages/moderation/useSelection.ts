// Which messages of the queue are selected: some of those on the page, or all that match the filters.
import { useState } from "react";

interface Selection {
  /** The list that was selected from. */
  list: string;
  ids: string[];
  all: boolean;
}

/** `list` names the filters and the page: what is selected on one is not on another. */
export function useSelection(list: string, shown: { id: string }[]) {
  const [selection, setSelection] = useState<Selection>({ list, ids: [], all: false });
  const current = selection.list === list ? selection : { list, ids: [], all: false };
  const ids = current.ids.filter((id) => shown.some((row) => row.id === id));
  const set = (change: Partial<Selection>) => setSelection({ list, ids, all: false, ...change });
  return {
    ids,
    all: current.all,
    number: current.all ? shown.length : ids.length,
    toggle: (id: string) => {
      const chosen = current.all ? shown.map((row) => row.id) : ids;
      set({ ids: chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id] });
    },
    selectPage: () => set({ ids: shown.map((row) => row.id) }),
    selectAll: () => set({ all: true }),
    clear: () => set({ ids: [] }),
  };
}
