import { describe, expect, it } from "vitest";
import { draftsOf, instructionsOf, newDraft, problems, readState, valueLabel } from "./instructions";
import { draftsFrom, templates } from "./templates";

describe("instructions", () => {
  it("come back as they were edited", () => {
    const stored = {
      team: { type: "choice", instructions: "Which?", criteria: { billing: "invoices", sales: null } },
      level: { type: "score", instructions: "How bad?", criteria: ["fine", "bad"] },
      spam: { type: "noul", instructions: "Is it spam?" },
    };
    expect(instructionsOf(draftsOf(stored) ?? [])).toEqual(stored);
  });

  it("are read in every short form", () => {
    const drafts = draftsOf({ team: ["a", "b"], urgent: "Is it urgent?" });
    expect(drafts?.map((draft) => draft.type)).toEqual(["choice", "noul"]);
    expect(draftsOf(["Is it spam?"])?.[0]).toMatchObject({ key: "q1", type: "noul", text: "Is it spam?" });
    expect(draftsOf("Is it spam?")?.[0]).toMatchObject({ key: "answer", type: "noul" });
  });

  it("stay JSON when a form would lose something", () => {
    expect(draftsOf({ a: { type: "noul", instructions: { text: "x" } } })).toBeUndefined();
    expect(draftsOf({ a: { type: "noul", criteria: { true: "x", false: "y" } } })).toBeUndefined();
    expect(draftsOf({ a: { type: "choice", criteria: { x: null, y: null }, extra: 1 } })).toBeUndefined();
  });

  it("name what the server would refuse", () => {
    const first = newDraft({
      key: "a",
      type: "choice",
      options: [
        { name: "x", text: "" },
        { name: " x ", text: "" },
      ],
    });
    const second = newDraft({ key: "a", type: "score", options: [{ name: "x", text: "" }] });
    expect(problems([first, second]).map((problem) => problem.kind)).toEqual(["sameOption", "repeated", "few"]);
    expect(problems([newDraft({ key: " ", type: "noul" })])[0]?.kind).toBe("empty");
  });

  it("of every template can be sent", () => {
    for (const template of templates) expect(problems(draftsFrom(template)), template.name).toEqual([]);
  });
});

it("a state is JSON only when it is an object or a list", () => {
  expect(readState('{"a": 1}')).toEqual({ a: 1 });
  expect(readState("{not json")).toBe("{not json");
  expect(readState("5")).toBe("5");
});

it("values are named in words", () => {
  expect(valueLabel({ type: "score", criteria: ["calm", "furious"] }, "1")).toBe("furious");
  expect(valueLabel("Is it?", "false")).toBe("No");
  expect(valueLabel(["a"], "a")).toBe("a");
});
