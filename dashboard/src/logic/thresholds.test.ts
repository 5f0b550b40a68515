import { expect, it } from "vitest";
import { acts, setThresholds, thresholdText, withThreshold } from "./thresholds";

const none = { review: "", warn: "", timeout: "", ban: "" } as const;

it("a slider takes the others with it, so that stricter actions begin later", () => {
  const set = { ...none, review: 0.2, warn: 0.4, timeout: 0.6, ban: 0.9 };
  expect(withThreshold(set, "warn", 0.7)).toEqual({ review: 0.2, warn: 0.7, timeout: 0.7, ban: 0.9 });
  expect(withThreshold(set, "ban", 0.5)).toEqual({ review: 0.2, warn: 0.4, timeout: 0.5, ban: 0.5 });
  // A review may begin anywhere, and what is not set stays so.
  expect(withThreshold(set, "review", 0.95)).toEqual({ ...set, review: 0.95 });
  expect(withThreshold({ ...none, ban: 0.9 }, "warn", 0.95)).toEqual({ ...none, warn: 0.95, ban: 0.95 });
  expect(withThreshold(set, "timeout", "")).toEqual({ ...set, timeout: "" });
});

it("thresholds are read as percentages", () => {
  expect(setThresholds({ ...none, warn: 0.4 })).toEqual([["warn", 0.4]]);
  expect([acts({ ...none, review: 0.2 }), acts({ ...none, ban: 0.9 })]).toEqual([false, true]);
  expect([0.125, 0.9, 1].map(thresholdText)).toEqual(["12.5%", "90%", "100%"]);
});
