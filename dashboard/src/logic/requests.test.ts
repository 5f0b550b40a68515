import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { errorCodes } from "@/texts/requests";
import { lookAgain } from "./live";
import { explanationOf, latency, STATUSES, statusColor, whyNone } from "./requests";

it("explains every code of the documentation, whose statuses are those of the filter", () => {
  const docs = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const rows = [...docs.matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \|/gm)];
  expect(rows.length).toBeGreaterThan(10);
  expect(Object.keys(errorCodes).toSorted()).toEqual(rows.map(([, , code]) => code).toSorted());
  expect(STATUSES).toEqual([...new Set(rows.map(([, status]) => Number(status)))]);
});

it("explains no code that is not Gavel's", () => {
  expect(explanationOf("RATE_LIMITED")?.todo).toContain("Retry-After");
  expect(explanationOf("")).toBeUndefined();
  expect(explanationOf("toString")).toBeUndefined();
});

it("the colour says whose turn it is", () => {
  expect([500, 503, 402, 429, 400, 422].map(statusColor)).toEqual([
    "red",
    "red",
    "orange",
    "orange",
    "yellow",
    "yellow",
  ]);
});

it("an empty list says why it is empty", () => {
  expect(whyNone({})).toBe("empty");
  expect(whyNone({ status: 429 })).toBe("nothing");
  expect(whyNone({ key: "key_1" })).toBe("nothing");
  expect(whyNone({ id: "req_1", status: 429 })).toBe("unknown");
});

it("a latency has the digits that matter", () => {
  expect([0.42, 9.96, 12.6, 999, 1240].map(latency)).toEqual(["0.4 ms", "10.0 ms", "13 ms", "999 ms", "1.2 s"]);
});

it("looks soon, and not forever, for a request that has just failed", () => {
  expect([lookAgain(0, 1), lookAgain(0, 5), lookAgain(1, 1), lookAgain(undefined, 0)]).toEqual([
    2_000, 10_000, 10_000, 10_000,
  ]);
});
