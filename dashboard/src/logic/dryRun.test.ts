import { expect, it } from "vitest";
import { outcomes } from "./dryRun";

const result = (content: string, verdict: string, withoutPolicy: string) => ({
  content,
  verdict: { action: verdict },
  withoutPolicy: { action: withoutPolicy },
});

it("what would change stands first, beside what was decided before", () => {
  const found = outcomes(
    [{ content: "a", before: "BAN" }, { content: "b" }, { content: "c", before: "NONE" }, { content: "d" }],
    [result("a", "BAN", "NONE"), result("b", "NONE", "WARN"), result("c", "BAN", "NONE"), result("d", "NONE", "NONE")],
  );
  expect(found.map(({ result: { content }, before, change }) => [content, before, change])).toEqual([
    ["c", "NONE", 3],
    ["b", "WARN", -1],
    ["a", "BAN", 0],
    ["d", "NONE", 0],
  ]);
});
