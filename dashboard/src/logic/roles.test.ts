import { expect, it } from "vitest";
import { isForModerators, mayEdit, mayModerate, maySee } from "./roles";

it("a moderator decides on messages, and changes nothing else", () => {
  expect([mayModerate("MODERATOR"), mayEdit("MODERATOR")]).toEqual([true, false]);
  expect([mayModerate("ANALYST"), mayEdit("ANALYST")]).toEqual([false, false]);
  expect([mayModerate("EDITOR"), mayEdit("OWNER")]).toEqual([true, true]);
});

it("a moderator sees the queue, its insights and the own settings alone", () => {
  for (const path of ["/moderation", "/moderation/", "/moderation/insights", "/settings"])
    expect([path, isForModerators(path)]).toEqual([path, true]);
  for (const path of ["/", "/moderation/settings", "/moderation-log", "/keys", "/judges/judge_1/review"])
    expect([path, isForModerators(path)]).toEqual([path, false]);
});

it("pages of operators are for operators of any role, and all others for all but moderators", () => {
  for (const path of ["/operator", "/operator/", "/operator/jobs"]) {
    expect([path, maySee({ role: "OWNER", operator: false }, path)]).toEqual([path, false]);
    expect([path, maySee({ role: "OWNER", operator: true }, path)]).toEqual([path, true]);
    expect([path, maySee({ role: "MODERATOR", operator: true }, path)]).toEqual([path, true]);
  }
  expect(maySee({ role: "ANALYST", operator: false }, "/requests")).toBe(true);
  expect(maySee({ role: "ANALYST", operator: false }, "/operators")).toBe(true);
  expect(maySee({ role: "MODERATOR", operator: true }, "/requests")).toBe(false);
});
