import { expect, it } from "vitest";
import { diffRules } from "./policyDiff";

it("changes of a policy are said under what they are about", () => {
  const changes = diffRules(
    {
      categories: { hate: { thresholds: { warn: 0.4, ban: 0.9 } }, spam: { enabled: false }, toxic: { weight: 2 } },
      block: [{ action: "ban", phrases: ["rival guild", "old"], domains: ["evil.example"] }],
      allow: { phrases: ["headshot"] },
      languages: { known: ["en"], action: "review" },
      lexicon: { off: ["nl"] },
    },
    {
      categories: { hate: { thresholds: { warn: 0.4, ban: 0.875, review: 0.2 } } },
      block: [
        { action: "warn", phrases: ["rival guild", "new"] },
        { action: "ban", domains: ["evil.example"] },
      ],
      allow: { phrases: ["headshot"], domains: ["clan.example"] },
      languages: { known: ["en", "de"], action: "warn" },
      lexicon: { off: ["hi-Latn"] },
      new_accounts: { days: 7, weight: 2 },
    },
  );
  expect(changes).toEqual([
    { about: "Toxic", changes: ["Weight: 2 → 1"] },
    { about: "Hate", changes: ["Review from: never → 20%", "Ban from: 90% → 87.5%"] },
    { about: "Spam", changes: ["Counts again"] },
    {
      about: "Block lists",
      changes: ["Action: Ban → Warn: “rival guild”", "Removed: “old”", "Added (Warn): “new”"],
    },
    { about: "Allow list", changes: ["Added: “clan.example”"] },
    { about: "Languages", changes: ["Added: German", "Action on others: Review → Warn"] },
    { about: "Lexicon", changes: ["On: Dutch", "Off: Hindi (Latin)"] },
    { about: "New accounts", changes: ["no difference → younger than 7 days count 2 times"] },
  ]);
});

it("rules that mean the same have no changes", () => {
  expect(diffRules({}, {})).toEqual([]);
  // The server names defaults, and the order of lists says nothing.
  expect(
    diffRules(
      { categories: { hate: { weight: 1 } }, block: [{ action: "ban", phrases: ["a", "b"] }] },
      {
        block: [
          { action: "ban", phrases: ["b"] },
          { action: "ban", phrases: ["a"] },
        ],
      },
    ),
  ).toEqual([]);
});

it("of many entries some are named", () => {
  const phrases = Array.from({ length: 12 }, (_, index) => `w${index}`);
  const [block] = diffRules({}, { block: [{ action: "ban", phrases }] });
  expect(block?.changes).toEqual(["Added (Ban): “w0”, “w1”, “w2”, “w3”, “w4”, “w5”, “w6”, “w7” and 4 more"]);
});

it("rules in plain language are told apart by their ids", () => {
  const kept = { id: "a", text: "No trading", action: "warn" as const, certainty: 0.5 };
  const changes = diffRules(
    { plain_rules: [kept, { ...kept, id: "b", text: "No politics" }] },
    {
      plain_rules: [
        { ...kept, certainty: 0.8 },
        { ...kept, id: "c", text: "No religion" },
      ],
    },
  );
  expect(changes).toEqual([
    {
      about: "Rules in plain language",
      changes: ["Added: “No religion”", "Removed: “No politics”", "Edited: “No trading”"],
    },
  ]);
});
