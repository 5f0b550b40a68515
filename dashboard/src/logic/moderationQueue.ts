// The moderation queue while decisions are on their way to the server: what is shown, and what has the focus. Pure, so
// that keys can be fast.

interface Row {
  id: string;
}

/** A row that was decided here, at its place in the list. */
export interface Decided<R extends Row> {
  row: R;
  index: number;
  action: string;
}

export interface Queue<R extends Row> {
  /** The message that keys decide on; the first one if it is not shown. */
  focused?: string;
  /** What was decided here and not undone, the newest last. */
  decided: Decided<R>[];
  /** What was undone, until the server's list has it again. */
  returned: { row: R; index: number }[];
}

export function emptyQueue<R extends Row>(): Queue<R> {
  return { decided: [], returned: [] };
}

/** The server's rows to show. In a list of open messages, those that were decided here are left out. */
export function shownRows<R extends Row>(queue: Queue<R>, rows: R[], openOnly: boolean): R[] {
  const decided = new Set(openOnly ? queue.decided.map(({ row }) => row.id) : []);
  const shown = rows.filter((row) => !decided.has(row.id));
  if (!openOnly) return shown;
  const known = new Set(rows.map((row) => row.id));
  for (const { row, index } of queue.returned) if (!known.has(row.id)) shown.splice(index, 0, row);
  return shown;
}

/** How many match, of `total` by the server's count when it gave `rows`. */
export function shownTotal<R extends Row>(queue: Queue<R>, rows: R[], total: number, openOnly: boolean): number {
  return Math.max(0, total + shownRows(queue, rows, openOnly).length - rows.length);
}

/** The row that has the focus. */
export function focusedRow<R extends Row>(queue: Queue<R>, shown: R[]): R | undefined {
  return shown.find((row) => row.id === queue.focused) ?? shown[0];
}

/** Moves the focus by `step` rows, and stops at the ends. */
export function moveFocus<R extends Row>(queue: Queue<R>, shown: R[], step: number): Queue<R> {
  const current = focusedRow(queue, shown);
  const index = current ? shown.indexOf(current) + step : 0;
  return { ...queue, focused: shown[Math.min(Math.max(index, 0), shown.length - 1)]?.id };
}

/** Decides on a row of those shown. The next one has the focus, or the last one at the end. */
export function decide<R extends Row>(queue: Queue<R>, shown: R[], id: string, action: string): Queue<R> {
  const index = shown.findIndex((row) => row.id === id);
  const row = shown[index];
  if (!row) return queue;
  const next = shown[index + 1] ?? shown[index - 1] ?? row;
  return {
    focused: next.id,
    decided: [...queue.decided.filter((one) => one.row.id !== id), { row, index, action }],
    returned: queue.returned.filter((one) => one.row.id !== id),
  };
}

/** Takes the last decision back: its row has the focus, at its old place. */
export function undoLast<R extends Row>(queue: Queue<R>): { queue: Queue<R>; undone?: Decided<R> } {
  const undone = queue.decided.at(-1);
  if (!undone) return { queue };
  return { queue: { ...takeBack(queue, undone.row.id), focused: undone.row.id }, undone };
}

/** Takes a decision back that the server refused. The focus stays. */
export function takeBack<R extends Row>(queue: Queue<R>, id: string): Queue<R> {
  const found = queue.decided.find((one) => one.row.id === id);
  if (!found) return queue;
  const { row, index } = found;
  return {
    ...queue,
    decided: queue.decided.filter((one) => one !== found),
    returned: [...queue.returned.filter((one) => one.row.id !== id), { row, index }],
  };
}

/** Without a row that was given back: the server's list says by now whether it is open. */
export function forget<R extends Row>(queue: Queue<R>, id: string): Queue<R> {
  return { ...queue, returned: queue.returned.filter(({ row }) => row.id !== id) };
}

/** Without what was undone, on the way to another list, which says itself what it has. */
export function forAnotherList<R extends Row>(queue: Queue<R>): Queue<R> {
  return { ...queue, focused: undefined, returned: [] };
}
