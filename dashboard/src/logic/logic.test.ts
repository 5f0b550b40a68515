import { describe, expect, it } from "vitest";
import { agent } from "./agent";
import { readLines } from "./batchLines";
import { answerFilter, exportPath, isFiltered, since } from "./datasetFilter";
import { credits, duration, relativeTime, shareWithInterval, signed } from "./format";
import { parts } from "./highlight";
import { size, tooManyBytes, tooManyChars } from "./limits";
import { choice, integer, optional, text } from "./search";
import { busiest, daily, lastDays, niceTop } from "./series";
import { python, snippet } from "./snippets";
import { tourSteps } from "./tour";

describe("the URL", () => {
  it("gives what it means, and nothing else", () => {
    expect([text("a"), text(5), text(""), text(undefined)]).toEqual(["a", "5", undefined, undefined]);
    expect([integer("7"), integer(-1), integer("x")]).toEqual([7, undefined, undefined]);
    expect([choice("a", ["a", "b"]), choice("c", ["a", "b"])]).toEqual(["a", undefined]);
    // What was not understood stays as undefined: the router keeps what the URL says of members that are left out.
    expect(Object.entries(optional({ a: undefined, b: 1 }))).toEqual([
      ["a", undefined],
      ["b", 1],
    ]);
  });
  it("filters a dataset", () => {
    expect(answerFilter({ value: "x" })).toBeUndefined();
    expect(answerFilter({ key: "team", agrees: "no" })).toEqual({ key: "team", agrees: false });
    expect(isFiltered({ order: "OLDEST_FIRST", key: "team" })).toBe(false);
    expect(exportPath("judge_1", "csv", { labelled: "yes", source: "IMPORT" })).toBe(
      "/api/v1/judges/judge_1/dataset?format=csv&labelled=true&source=import",
    );
    expect(exportPath("judge_1", "jsonl", { text: "a b", key: "team", truth: "sales", agrees: "no" })).toBe(
      "/api/v1/judges/judge_1/dataset?format=jsonl&text=a+b&key=team&ground_truth=sales&agrees=false",
    );
    expect(since(1, Date.UTC(2026, 0, 2, 3, 4))).toBe("2026-01-01T03:00:00.000Z");
  });
});

describe("figures", () => {
  it("are read by people", () => {
    expect([credits(1234.5), signed(5), signed(-0.5)]).toEqual(["1,234.5", "+5", "−0.5"]);
    expect(duration("2026-01-01T00:00:00Z", "2026-01-01T00:01:05Z")).toBe("1 min 5 s");
    expect(shareWithInterval(0.8, { low: 0.4902, high: 0.9433 })).toBe("80.0% (49–94%)");
    expect(shareWithInterval(null, null)).toBe("–");
    const now = Date.UTC(2026, 0, 1);
    expect(relativeTime("2025-12-31T23:58:00Z", now)).toBe("2 minutes ago");
    expect(relativeTime("2026-01-01T00:00:15Z", now)).toBe("just now");
    expect(relativeTime("2026-01-08T00:00:00Z", now)).toBe("in 7 days");
  });
  it("have a row for each day and a column for each name", () => {
    const usage = [
      { start: "2026-01-01T00:00:00Z", name: "a", requests: 2, items: 2, credits: 1 },
      { start: "2026-01-03T00:00:00Z", name: "b", requests: 5, items: 5, credits: 3 },
    ];
    const days = lastDays(3, new Date("2026-01-03T12:00:00Z"));
    expect(days).toEqual(["2026-01-01", "2026-01-02", "2026-01-03"]);
    expect(daily(usage, days, "credits")).toEqual([
      { day: days[0], a: 1, b: 0 },
      { day: days[1], a: 0, b: 0 },
      { day: days[2], a: 0, b: 3 },
    ]);
    expect(busiest(usage)).toEqual(["b", "a"]);
  });
  it("have an axis of four round steps", () => {
    expect([0, 3.2, 4, 9, 41, 90, 1000].map(niceTop)).toEqual([4, 4, 4, 12, 60, 100, 1000]);
  });
});

describe("programs to copy", () => {
  it("survive quotes", () => {
    const code = snippet("curl", "http://h", { path: "/p", body: { content: "it's" } });
    expect(code).toContain(String.raw`it'\''s`);
  });
  it("are Python, not JSON", () => {
    expect(python({ explain: true, state: null })).toBe('{\n    "explain": True,\n    "state": None,\n}');
    expect(snippet("python", "http://h", { path: "/p", body: { a: false } })).toContain('"a": False');
  });
  it("send files as forms", () => {
    expect(snippet("curl", "http://h", { path: "/p", form: { image: "a.png" } })).toContain("-F image=@'a.png'");
  });
});

it("signals are cut by code points, also behind an emoji", () => {
  const found = parts("😀 free nitro", [
    { name: "scam", start: 2, end: 6 },
    { name: "age", start: 0, end: 0 },
  ]);
  expect(found).toEqual([
    { text: "😀 ", signals: [] },
    { text: "free", signals: ["scam"] },
    { text: " nitro", signals: [] },
  ]);
});

it("the lines of a batch are counted, and the first fault is named", () => {
  expect(readLines('{"url":"/api/v1/moderate/text"}\n\n{"url":"/api/v1/inference"}')).toEqual({
    texts: 1,
    inferences: 1,
  });
  expect(readLines('{"url":"x"}\nnot json').fault).toBe(2);
});

it("what is too large is said before it is sent, as the server counts", () => {
  expect(tooManyChars("a".repeat(10), 10)).toBeUndefined();
  expect(tooManyChars("😀".repeat(10), 10)).toBeUndefined();
  expect(tooManyChars("a".repeat(1_001), 1_000)).toBe("Up to 1,000 characters. You have 1,001.");
  // Quotes are escaped on their way.
  expect(tooManyBytes('"'.repeat(600), 1024)).toBe("Up to 1 KB. This is 2 KB.");
  expect(tooManyBytes("ä".repeat(511), 1024)).toBeUndefined();
  expect(tooManyBytes(undefined, 1)).toBeUndefined();
  expect([size(262_144), size(10_485_760), size(1_572_864)]).toEqual(["256 KB", "10 MB", "1.5 MB"]);
});

it("the tour follows the account", () => {
  expect(tourSteps(0, [])).toEqual([false, false, false]);
  expect(tourSteps(1, [{ stats: { count: 3 } }])).toEqual([true, true, true]);
});

it("browsers are named in a few words", () => {
  expect(agent("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36")).toBe(
    "Chrome on Linux",
  );
  expect(agent("curl/8.0")).toBe("curl/8.0");
});

it("signals that overlap share the part that is in both", () => {
  const found = parts("a👩‍👧bc nitro", [
    { name: "link", start: 1, end: 6 },
    { name: "scam", start: 4, end: 99 },
    { name: "beyond", start: 50, end: 60 },
  ]);
  expect(found).toEqual([
    { text: "a", signals: [] },
    { text: "👩‍👧", signals: ["link"] },
    { text: "bc", signals: ["link", "scam"] },
    { text: " nitro", signals: ["scam"] },
  ]);
  expect(found.map((part) => part.text).join("")).toBe("a👩‍👧bc nitro");
});
