import { describe, expect, it } from "vitest";
import { delimiterOf, readCsv, writeCsv } from "./csv";
import { lookInto, readRows } from "./importFile";
import { guess, isComplete, mappedLines, withMeaning } from "./importMapping";
import { sampleFile } from "./sampleFile";

const judge = {
  questions: [
    { key: "team", type: "CHOICE", values: ["billing", "technical"] },
    { key: "urgent", type: "NOUL", values: ["true", "false"] },
  ],
  stateSchema: null,
};
const look = (name: string, text: string) => lookInto(new File([text], name));

describe("CSV", () => {
  it("has quotes, line breaks in cells and other delimiters", () => {
    expect(readCsv('a,b\r\n"x, ""y""\n",2\n\nlast', ",")).toEqual([
      { cells: ["a", "b"], line: 1 },
      { cells: ['x, "y"\n', "2"], line: 2 },
      { cells: ["last"], line: 5 },
    ]);
    expect(delimiterOf("text;label\na,b;c")).toBe(";");
    expect(writeCsv([["a,b", 'c"d', "e"]])).toBe('"a,b","c""d",e\r\n');
  });
});

describe("a file to import", () => {
  it("is sent as it is when the server knows its columns", async () => {
    expect((await look("a.csv", "state,ground_truth.team\nhello,billing")).direct).toBe(true);
    expect((await look("a.csv", "state;ground_truth.team\nhello;billing")).direct).toBe(false);
    expect((await look("a.jsonl", '{"state": "a", "ground_truth": {"team": "billing"}}')).direct).toBe(true);
    expect(await look("a.jsonl", "not json\n{}")).toMatchObject({ direct: true, columns: [] });
  });

  it("has columns whose names say what they mean", async () => {
    const { columns, rows } = await look("a.csv", "id,text,label,Urgent\n7,hello,Billing,yes");
    expect(rows).toEqual([{ line: 2, values: { id: "7", text: "hello", label: "Billing", Urgent: "yes" } }]);
    const mapping = guess(columns, judge);
    expect(mapping).toEqual({ Urgent: "truth.urgent", text: "state", label: "truth.team" });
    expect(isComplete(mapping)).toBe(true);
    // A meaning has one column.
    expect(withMeaning(mapping, "id", "state")).toEqual({ Urgent: "truth.urgent", label: "truth.team", id: "state" });
    expect(isComplete(withMeaning(mapping, "text", ""))).toBe(false);
  });

  it("is mapped to the lines that it has", () => {
    const text = 'text,label,urgent\n"two\nlines",BILLING,no\nplain,,1';
    const rows = readRows(text, { format: "csv", delimiter: "," });
    const lines = mappedLines(rows, { text: "state", label: "truth.team", urgent: "truth.urgent" }, judge).split("\n");
    expect(lines.map((line) => (line ? JSON.parse(line) : undefined))).toEqual([
      undefined,
      { state: "two\nlines", ground_truth: { team: "billing", urgent: false } },
      undefined,
      { state: "plain", ground_truth: { urgent: true } },
    ]);
  });

  it("fills in the members of a schema", () => {
    const properties = { total: { type: "number" }, paid: { type: "boolean" }, note: { type: "string" } };
    const checked = { ...judge, stateSchema: { type: "object", properties } };
    const mapping = guess(["total", "paid", "note", "team"], checked);
    const [row] = [{ line: 1, values: { total: "2.5", paid: "yes", note: "", team: "technical" } }];
    expect(JSON.parse(mappedLines([row], mapping, checked))).toEqual({
      state: { total: 2.5, paid: true },
      ground_truth: { team: "technical" },
    });
  });

  it("has an example for the Judge's questions, which is sent as it is", async () => {
    for (const format of ["csv", "jsonl"] as const) {
      const text = sampleFile(format, judge, ["one, with a comma", "two"]);
      expect(await look(`a.${format}`, text)).toMatchObject({ direct: true, rows: { length: 3 } });
    }
    expect(sampleFile("csv", judge, ["one"])).toContain("state,ground_truth.team,ground_truth.urgent");
  });
});
