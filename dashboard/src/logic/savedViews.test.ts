import { expect, it } from "vitest";
import { currentView, readViews } from "./savedViews";

it("views come back as they were saved, without filters that are not understood", () => {
  const views = [{ name: "Scams", filter: { categories: "scam", days: 7 } }];
  expect(readViews(views)).toEqual(views);
  expect(readViews([{ name: "a", filter: { actions: "kick", author: "bob" } }])).toEqual([
    { name: "a", filter: { author: "bob" } },
  ]);
  expect(readViews([{ name: "a", filter: null }])).toEqual([{ name: "a", filter: {} }]);
});

it("the view in use is known by its filters", () => {
  const views = readViews([
    { name: "Bans", filter: { actions: "ban" } },
    { name: "Mine", filter: { mine: true, status: "all" } },
  ]);
  expect(currentView(views, { status: "all", mine: true })?.name).toBe("Mine");
  expect(currentView(views, {})).toBeUndefined();
});
