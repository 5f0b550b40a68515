import { expect, it } from "vitest";
import { wilson } from "./interval";
import { firstOf } from "./pages";

const middle = { hasNextPage: true, hasPreviousPage: true, total: 60, length: 20 };

it("a page knows its rows from its cursor's row, from its ends, or not at all", () => {
  expect(firstOf({}, { ...middle, hasPreviousPage: false })).toBe(1);
  expect(firstOf({ after: "x", at: 20 }, middle)).toBe(21);
  expect(firstOf({ before: "x", at: 41 }, middle)).toBe(21);
  expect(firstOf({ after: "x" }, { ...middle, hasNextPage: false, length: 6 })).toBe(55);
  expect(firstOf({ after: "x" }, middle)).toBeUndefined();
});

it("an interval is Wilson's", () => {
  const interval = wilson(8, 10);
  expect(interval?.low).toBeCloseTo(0.4902, 4);
  expect(interval?.high).toBeCloseTo(0.9433, 4);
  expect(wilson(0, 0)).toBeUndefined();
});
