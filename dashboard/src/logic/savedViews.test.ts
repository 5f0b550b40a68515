import { expect, it } from "vitest";
import { currentView, parseViews, withView } from "./savedViews";

it("views come back as they were saved, whatever else the browser has", () => {
  const views = withView([], { name: "Scams", filter: { categories: "scam", days: 7 } });
  expect(parseViews(JSON.stringify(views))).toEqual(views);
  for (const stored of [undefined, "", "{", "null", "{}", '[null, 1, {"name": "a"}]']) {
    expect(parseViews(stored)).toEqual([]);
  }
  expect(parseViews('[{"name": "a", "filter": {"actions": "kick", "author": "bob"}}]')).toEqual([
    { name: "a", filter: { author: "bob" } },
  ]);
});

it("a view of the same name is replaced, and the one in use is known by its filters", () => {
  let views = withView([], { name: "Mine", filter: { mine: true } });
  views = withView(views, { name: "Bans", filter: { actions: "ban" } });
  views = withView(views, { name: "Mine", filter: { mine: true, status: "all" } });
  expect(views.map((view) => view.name)).toEqual(["Bans", "Mine"]);
  expect(currentView(views, { status: "all", mine: true })?.name).toBe("Mine");
  expect(currentView(views, {})).toBeUndefined();
});
