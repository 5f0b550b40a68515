// A file to import as it is: its columns and its first rows.
import { type CsvRow, delimiterOf, readCsv } from "./csv";

export type Format = "csv" | "jsonl";

/** A row by its columns, and the line on which it begins. */
export interface SourceRow {
  line: number;
  values: Record<string, unknown>;
}

export interface ImportFile {
  format: Format;
  delimiter: string;
  columns: string[];
  /** The first rows. */
  rows: SourceRow[];
  /** Whether the server reads it without being told what its columns mean. */
  direct: boolean;
}

/** Bytes that are read to see what a file is like. */
const HEAD = 64 * 1024;
/** Rows that are shown. */
const SHOWN = 5;

/** What the server takes, and what it accepts and ignores (docs/datasets.md). */
const KNOWN = new Set(
  (
    "state content instructions answers ground_truth model id created_at source judge_version backend latency_ms " +
    "credits request_id content_hash"
  ).split(" "),
);
const KNOWN_PREFIX = /^(ground_truth|answer|probability)\./;

export const formatOf = (name: string): Format => (/\.(csv|tsv|txt)$/i.test(name) ? "csv" : "jsonl");

/** Reads the beginning of a file. One that cannot be parsed is uploaded unchanged: the server reports the error. */
export async function lookInto(file: File): Promise<ImportFile> {
  const head = await file.slice(0, HEAD).text();
  const format = formatOf(file.name);
  const delimiter = format === "csv" ? delimiterOf(head) : "";
  const unread: ImportFile = { format, delimiter, columns: [], rows: [], direct: true };
  let rows: SourceRow[];
  try {
    rows = readRows(head, { format, delimiter });
  } catch {
    return unread;
  }
  // The last row may have been cut off.
  const whole = file.size <= HEAD ? rows : rows.slice(0, -1);
  const columns = [...new Set(whole.slice(0, 100).flatMap(({ values }) => Object.keys(values)))];
  // A file that is no UTF-8 has no columns that anybody could name.
  if (columns.length === 0 || head.includes("\uFFFD")) return unread;
  const known = columns.every((column) => KNOWN.has(column) || KNOWN_PREFIX.test(column));
  const direct = known && (format === "jsonl" || delimiter === ",");
  return { format, delimiter, columns, rows: whole.slice(0, SHOWN), direct };
}

/** The rows of a text. A line that is no JSON object is refused, unless it is the last, which may be cut off. */
export function readRows(text: string, { format, delimiter }: Pick<ImportFile, "format" | "delimiter">): SourceRow[] {
  if (format === "jsonl") return readLines(text);
  const [header, ...rows] = readCsv(text, delimiter);
  return rows.map((row) => named(header, row));
}

function named(header: CsvRow | undefined, { cells, line }: CsvRow): SourceRow {
  const names = header?.cells.map((name) => name.trim()) ?? [];
  return { line, values: Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""])) };
}

function readLines(text: string): SourceRow[] {
  const rows: SourceRow[] = [];
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    try {
      const values: unknown = JSON.parse(line);
      if (typeof values !== "object" || values === null || Array.isArray(values)) throw new Error("no object");
      rows.push({ line: index + 1, values: values as Record<string, unknown> });
    } catch (cause) {
      if (index < lines.length - 1) throw cause;
      rows.push({ line: index + 1, values: {} });
    }
  });
  return rows;
}
