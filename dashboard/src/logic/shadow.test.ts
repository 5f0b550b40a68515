import { expect, it } from "vitest";
import { shadowTotals } from "./shadow";

it("messages on which a shadow differs are counted apart", () => {
  expect(shadowTotals([])).toEqual({ all: 0, changed: 0 });
  const outcomes = [
    { live: "NONE", shadow: "NONE", messages: 90 },
    { live: "NONE", shadow: "BAN", messages: 3 },
    { live: "BAN", shadow: "NONE", messages: 2 },
  ];
  expect(shadowTotals(outcomes)).toEqual({ all: 95, changed: 5 });
});
