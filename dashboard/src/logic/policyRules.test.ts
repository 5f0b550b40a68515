import { expect, it } from "vitest";
import { UserErrors } from "@/api/errors";
import { type Rules, formOf, newList, ruleError, rulesOf } from "./policyRules";

const rules: Rules = {
  categories: { hate: { thresholds: { review: 0.2, ban: 0.9 } }, toxic: { weight: 2 }, spam: { enabled: false } },
  block: [
    { action: "ban", phrases: ["rival guild", "nitro*"], domains: ["evil.example.com"] },
    { action: "review", phrases: ["ask a moderator"] },
  ],
  allow: { domains: ["our-clan.example.com"] },
  languages: { known: ["en", "de"], action: "review" },
  lexicon: { off: ["nl", "hi-Latn"] },
  new_accounts: { days: 7, weight: 2 },
  personal_data: { phone: { action: "review", certainty: 0.5 }, email: { action: "ban", certainty: 0.9 } },
  plain_rules: [
    {
      id: "no_trading",
      name: "No trading",
      text: "No trading outside #market",
      action: "warn",
      certainty: 0.7,
      channels: ["general"],
      examples: { allowed: ["where is the market?"], not_allowed: ["wts sword", "wtb bow"] },
    },
    { id: "rule_1", text: "No politics", action: "review", certainty: 0.5 },
  ],
};

it("rules come back as they were edited", () => {
  expect(rulesOf(formOf(rules))).toEqual(rules);
  expect(rulesOf(formOf({}))).toEqual({});
});

it("what changes nothing is left out", () => {
  const form = formOf({ categories: { hate: { weight: 1 } } });
  expect(
    rulesOf({
      ...form,
      allow: { phrases: " \n", domains: "" },
      block: [newList({ action: "warn", phrases: " a \n\nb" })],
    }),
  ).toEqual({ block: [{ action: "warn", phrases: ["a", "b"] }] });
  expect(rulesOf({ ...form, newAccounts: { days: 7, weight: "" } })).toEqual({ new_accounts: { days: 7, weight: 1 } });
});

const of = (field: string, message: string) =>
  new UserErrors([{ field, message: `${field} ${message}`, code: "VALIDATION_FAILED" }]);

it("errors stand at their field, and name the entry of a list", () => {
  const threshold = of("rules.categories.hate.thresholds.ban", "must be above 0 and at most 1");
  expect(ruleError(threshold, "categories.hate.thresholds.ban")).toBe("Must be above 0 and at most 1.");
  expect(ruleError(threshold, "categories.hate.thresholds.warn")).toBeUndefined();
  const entry = of("rules.block[1].domains[1]", "must be a domain");
  expect(ruleError(entry, "block[1].domains", "a.example\n\nnone")).toBe("“none” must be a domain.");
  expect(ruleError(entry, "block[0].domains", "a.example")).toBeUndefined();
  expect(ruleError(entry, "block")).toBeUndefined();
  expect(ruleError(of("rules.block", "must hold at most 10 lists"), "block")).toBe("Must hold at most 10 lists.");
});
