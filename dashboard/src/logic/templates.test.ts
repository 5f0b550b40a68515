import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { instructionsOf, problems } from "./instructions";
import { draftsFrom, exampleLines, type Measured, templates } from "./templates";

interface Example {
  state: unknown;
  truths: Record<string, unknown>;
  part: "choose" | "report";
}

function written(id: string): Example[] {
  const file = new URL(`../../../presets/examples/${id}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Example);
}

/** Right three times in four, and at least ten points above the commonest answer. */
function good(accuracy: number | undefined, { baseline }: Measured): boolean {
  return accuracy !== undefined && accuracy >= 0.75 && accuracy >= baseline + 0.1;
}

it("templates differ in what identifies them", () => {
  for (const field of ["id", "name", "description"] as const)
    expect(new Set(templates.map((template) => template[field])).size).toBe(templates.length);
});

describe.each(templates)("the template $id", (template) => {
  const examples = written(template.id);

  it("asks questions that a form shows and the server takes", () => {
    expect(problems(draftsFrom(template))).toEqual([]);
    expect(instructionsOf(draftsFrom(template))).toEqual(template.instructions);
  });

  it("answers each question well, by itself or once it is trained on its examples", () => {
    expect(Object.keys(template.measured)).toEqual(Object.keys(template.instructions));
    for (const [key, figure] of Object.entries(template.measured))
      expect(good(figure.accuracy, figure) || good(figure.trained, figure), key).toBe(true);
  });

  it("is measured on written examples, half of them kept out of every choice", () => {
    const report = examples.filter(({ part }) => part === "report");
    expect(examples.length).toBeGreaterThanOrEqual(60);
    expect(report.length).toBeGreaterThanOrEqual(30);
    expect(new Set(examples.map(({ state }) => JSON.stringify(state))).size).toBe(examples.length);
    for (const [key, { of, n, baseline }] of Object.entries(template.measured)) {
      expect([of, n]).toEqual(["report", report.length]);
      const counts = new Map<unknown, number>();
      for (const { truths } of report) counts.set(truths[key], (counts.get(truths[key]) ?? 0) + 1);
      expect(baseline, key).toBeCloseTo(Math.max(...counts.values()) / n, 3);
    }
  });

  it("imports only examples of the half that chose", () => {
    const choose = examples.filter(({ part }) => part === "choose");
    if (template.examples) expect(template.examples.length).toBeGreaterThanOrEqual(16);
    for (const { state, ground_truth } of template.examples ?? []) {
      const source = choose.find((example) => JSON.stringify(example.state) === JSON.stringify(state));
      expect(source?.truths).toMatchObject(ground_truth);
    }
  });
});

it("examples have labels for the questions that were not edited", () => {
  const toxicity = templates.find(({ id }) => id === "toxicity");
  const lines = exampleLines(toxicity, toxicity?.instructions).split("\n");
  expect(lines).toHaveLength(toxicity?.examples?.length ?? 0);
  const edited = { ...toxicity?.instructions, hostile: "Is it hostile?" };
  const first = JSON.parse(exampleLines(toxicity, edited).split("\n")[0] ?? "") as Record<string, unknown>;
  expect(Object.keys(first.ground_truth as object)).toEqual(["degree"]);
  expect(exampleLines(toxicity, {})).toBe("");
  expect(exampleLines(undefined, {})).toBe("");
});
