import { describe, expect, it } from "vitest";
import { PRESETS, presetCategories, presetOf, withPreset } from "./policyPresets";
import { CATEGORIES, RULE_ACTIONS, formOf, rulesOf } from "./policyRules";

describe("presets", () => {
  it("hold what the API takes: thresholds above 0 and up to 1, which do not decrease", () => {
    for (const preset of PRESETS)
      for (const [name, { thresholds = {} }] of Object.entries(presetCategories(preset))) {
        const { review, ...actions } = thresholds;
        const values = Object.values(actions);
        expect([preset, name, values]).toEqual([preset, name, values.toSorted((a, b) => a - b)]);
        for (const value of [review ?? 0, ...values]) expect(value > 0 && value <= 1).toBe(true);
      }
  });

  it("are each stricter than the one before", () => {
    PRESETS.slice(1).forEach((preset, index) => {
      const milder = presetCategories(PRESETS[index]!);
      const stricter = presetCategories(preset);
      for (const name of CATEGORIES)
        for (const action of RULE_ACTIONS) {
          const before = milder[name]?.thresholds?.[action] ?? 1;
          expect([preset, name, action, (stricter[name]?.thresholds?.[action] ?? 1) <= before]).toEqual([
            preset,
            name,
            action,
            true,
          ]);
        }
    });
  });

  it("never punish people who speak of harming themselves", () => {
    for (const preset of PRESETS) {
      expect(Object.keys(presetCategories(preset).self_harm?.thresholds ?? {})).toEqual(["review"]);
    }
  });

  it("replace the categories, and leave the lists", () => {
    const form = formOf({ categories: { spam: { enabled: false } }, allow: { domains: ["a.example"] } });
    expect(presetOf(form)).toBeUndefined();
    const strict = withPreset(form, "strict");
    expect(presetOf(strict)).toBe("strict");
    expect(rulesOf(strict)).toEqual({
      categories: presetCategories("strict"),
      allow: { domains: ["a.example"] },
    });
    expect(rulesOf(withPreset(strict, undefined))).toEqual({ allow: { domains: ["a.example"] } });
    const changed = { ...strict.categories, hate: { ...strict.categories.hate, weight: 2 } };
    expect(presetOf({ ...strict, categories: changed })).toBeUndefined();
  });
});
