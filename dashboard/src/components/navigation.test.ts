import { expect, it } from "vitest";
import { navigationFor, pagesFor, sectionOf } from "./navigation";

type Viewer = Parameters<typeof pagesFor>[0];

const groups = (viewer: Viewer) => navigationFor(viewer).map(({ label }) => label);
const paths = (viewer: Viewer) => pagesFor(viewer).map(({ to }) => to);

it("a path belongs to the link that it lies under, and to the longest of several", () => {
  expect(
    ["/", "/judges/judge_1/dataset", "/operator", "/operator/jobs", "/requests", "/checkpoints/checkpoint_1"].map(
      sectionOf,
    ),
  ).toEqual(["/", "/judges", "/operator", "/operator/jobs", "/requests", undefined]);
  expect(sectionOf("/operators")).toBeUndefined();
});

it("pages of operators are in the navigation and in the palette of operators alone", () => {
  expect(groups({ role: "OWNER", operator: false })).not.toContain("Operator");
  expect(groups({ role: "OWNER", operator: true })).toContain("Operator");
  expect(paths({ role: "ANALYST", operator: false })).toContain("/glossary");
  expect(paths({ role: "ANALYST", operator: false })).not.toContain("/operator/jobs");
  expect(paths({ role: "MODERATOR", operator: false })).toEqual(["/moderation", "/settings"]);
});
