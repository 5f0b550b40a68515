// Which rows of a list a page shows. Cursors do not say, so the URL keeps the number of the row that its cursor is of.

/** A page after or before a row, whose number is `at`. */
export interface PageCursor {
  after?: string;
  before?: string;
  at?: number;
}

interface Rows {
  length: number;
  total?: number;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/** The number of the first row that is shown, from 1; nothing when nobody knows. */
export function firstOf({ after, before, at }: PageCursor, rows: Rows): number | undefined {
  if (!rows.hasPreviousPage) return 1;
  if (!rows.hasNextPage && rows.total !== undefined) return rows.total - rows.length + 1;
  if (at === undefined) return undefined;
  const first = before ? at - rows.length : at + 1;
  return after || before ? first : undefined;
}
