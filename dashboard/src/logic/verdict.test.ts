import { expect, it } from "vitest";
import { decidedAction, harms, isHarm, toggled } from "./verdict";

const noul = (key: string, probability: number, groundTruth?: string) => ({
  key,
  value: String(probability >= 0.5),
  probabilities: { true: probability, false: 1 - probability },
  groundTruth,
});
const answers = [
  { key: "action", value: "ban", probabilities: { ban: 0.9 }, groundTruth: "warn" },
  noul("toxic", 0.4),
  noul("scam", 0.98),
  noul("hate", 0.1, "true"),
];

it("harms are in the order of their probability, and a moderator's word counts more", () => {
  const found = harms(answers);
  expect(found.map((harm) => harm.category)).toEqual(["scam", "toxic", "hate"]);
  expect(found.filter(isHarm).map((harm) => harm.category)).toEqual(["scam", "hate"]);
  expect(decidedAction(answers)).toBe("warn");
  expect(decidedAction([])).toBeUndefined();
});

it("a category is toggled to the contrary of the verdict, and back to nothing", () => {
  const [scam, toxic] = harms(answers);
  const once = toggled(toggled({}, scam!), toxic!);
  expect(once).toEqual({ scam: false, toxic: true });
  expect(toggled(once, scam!)).toEqual({ toxic: true });
});
