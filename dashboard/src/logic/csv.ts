// Reads and writes CSV (RFC 4180), also with semicolons or tabs, as spreadsheets export it.

export interface CsvRow {
  cells: string[];
  /** The line on which the row begins, from 1. */
  line: number;
}

const DELIMITERS = [",", ";", "\t"];

/** The delimiter that the first line has most of. */
export function delimiterOf(text: string): string {
  const [first = ""] = text.split("\n", 1);
  const often = (delimiter: string) => first.split(delimiter).length;
  return DELIMITERS.toSorted((a, b) => often(b) - often(a))[0] ?? ",";
}

/** The rows of a text; empty lines are none. */
export function readCsv(text: string, delimiter: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let row: CsvRow = { cells: [], line: 1 };
  let cell = "";
  let quoted = false;
  let line = 1;
  const endRow = () => {
    row.cells.push(cell);
    cell = "";
    if (row.cells.length > 1 || row.cells[0] !== "") rows.push(row);
  };
  for (let index = text.startsWith("\uFEFF") ? 1 : 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === "\n") line += 1;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[index + 1] === '"') {
        cell += char;
        index += 1;
      } else quoted = false;
    } else if (char === '"' && cell === "") quoted = true;
    else if (char === delimiter) {
      row.cells.push(cell);
      cell = "";
    } else if (char === "\n") {
      endRow();
      row = { cells: [], line };
    } else if (char !== "\r" || text[index + 1] !== "\n") cell += char;
  }
  endRow();
  return rows;
}

/** Rows as CSV. */
export function writeCsv(rows: string[][]): string {
  return rows.map((row) => `${row.map(written).join(",")}\r\n`).join("");
}

/** A cell, in quotes where it needs them. */
function written(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
