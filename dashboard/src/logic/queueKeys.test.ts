import { expect, it } from "vitest";
import { commandOf } from "./queueKeys";

const press = (key: string, more = {}) =>
  commandOf({ key, repeat: false, ctrlKey: false, metaKey: false, altKey: false, ...more });

it("a key alone is a command of the queue", () => {
  expect(press("Enter")).toEqual({ kind: "agree" });
  expect(press("a")).toEqual({ kind: "agree" });
  for (const [key, action] of [
    ["0", "none"],
    ["n", "none"],
    ["w", "warn"],
    ["t", "timeout"],
    ["B", "ban"],
  ] as const)
    expect(press(key)).toEqual({ kind: "decide", action });
  expect(press("3")).toEqual({ kind: "category", index: 2 });
  expect(press("j")).toEqual(press("ArrowDown"));
  expect(press("?")).toEqual({ kind: "keys" });
  expect(press("z")).toBeUndefined();
  expect(press("Tab")).toBeUndefined();
});

it("shortcuts of the browser are left to it", () => {
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) expect(press("c", more)).toBeUndefined();
});

it("a key that is held down moves, and decides once", () => {
  expect(press("j", { repeat: true })).toEqual({ kind: "move", step: 1 });
  expect(press("b", { repeat: true })).toBeUndefined();
});
