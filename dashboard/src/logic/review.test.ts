import { expect, it } from "vitest";
import { back, extend, keyOf, set, skip, start } from "./review";

const samples = [{ id: "a" }, { id: "b" }];
const begun = extend(start<{ id: string }>(), samples);

it("one key sets the value and shows the next sample", () => {
  const next = set(begun, ["team"], "billing");
  expect(next.position).toBe(1);
  expect(next.done).toEqual([{ sampleId: "a", key: "team", value: "billing", position: 0, question: 0 }]);
});

it("several questions come one after another", () => {
  const keys = ["team", "urgent"];
  const first = set(begun, keys, "billing");
  expect([first.position, first.question]).toEqual([0, 1]);
  const second = set(first, keys, "true");
  expect([second.position, second.question]).toEqual([1, 0]);
});

it("undo shows the question again, also after a skip", () => {
  const { review, undone } = back(skip(set(begun, ["team"], "billing")));
  expect(undone).toMatchObject({ sampleId: "a", value: "billing" });
  expect([review.position, review.done.length]).toEqual([0, 0]);
  expect(back(review).undone).toBeUndefined();
});

it("after the last sample nothing can be set", () => {
  const over = skip(skip(skip(begun)));
  expect(over.position).toBe(2);
  expect(set(over, ["team"], "x")).toBe(over);
});

it("samples that are fetched twice are shown once", () => {
  expect(extend(begun, [{ id: "b" }, { id: "c" }]).samples.map((sample) => sample.id)).toEqual(["a", "b", "c"]);
});

it("ten values have keys", () => {
  expect([0, 8, 9, 10].map(keyOf)).toEqual(["1", "9", "0", undefined]);
});
