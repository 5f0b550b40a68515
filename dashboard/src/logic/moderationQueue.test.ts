import { describe, expect, it } from "vitest";
import {
  decide,
  emptyQueue,
  focusedRow,
  forget,
  forAnotherList,
  moveFocus,
  shownRows,
  shownTotal,
  takeBack,
  undoLast,
} from "./moderationQueue";

type Row = { id: string };
const rows: Row[] = ["a", "b", "c"].map((id) => ({ id }));
const ids = (list: Row[]) => list.map((row) => row.id).join("");

describe("the moderation queue", () => {
  it("loses what is decided at once, and the next message has the focus", () => {
    let queue = emptyQueue<Row>();
    expect(focusedRow(queue, rows)?.id).toBe("a");
    queue = decide(moveFocus(queue, rows, 1), rows, "b", "ban");
    const shown = shownRows(queue, rows, true);
    expect(ids(shown)).toBe("ac");
    expect(focusedRow(queue, shown)?.id).toBe("c");
    expect(shownTotal(queue, rows, 10, true)).toBe(9);
    // The server's next list may still have it, or not.
    expect(ids(shownRows(queue, [...rows, { id: "d" }], true))).toBe("acd");
    expect(shownTotal(queue, [{ id: "a" }, { id: "c" }], 9, true)).toBe(9);
    // At the end, the focus goes back.
    queue = decide(queue, shown, "c", "none");
    expect(focusedRow(queue, shownRows(queue, rows, true))?.id).toBe("a");
  });

  it("keeps what is decided where decided messages are shown", () => {
    const queue = decide(emptyQueue<Row>(), rows, "a", "warn");
    expect(ids(shownRows(queue, rows, false))).toBe("abc");
    expect(queue.focused).toBe("b");
    expect(queue.decided).toMatchObject([{ action: "warn", index: 0 }]);
    expect(ids(shownRows(undoLast(queue).queue, [{ id: "b" }], false))).toBe("b");
  });

  it("shows what is undone at its place, with the focus, before the server does", () => {
    let queue = decide(emptyQueue<Row>(), rows, "b", "ban");
    const { queue: after, undone } = undoLast(queue);
    expect(undone?.action).toBe("ban");
    queue = after;
    const without = [{ id: "a" }, { id: "c" }];
    expect(ids(shownRows(queue, without, true))).toBe("abc");
    expect(shownTotal(queue, without, 2, true)).toBe(3);
    expect(ids(shownRows(queue, rows, true))).toBe("abc");
    expect(focusedRow(queue, rows)?.id).toBe("b");
    expect(undoLast(queue).undone).toBeUndefined();
    // Decided again, it is gone again.
    queue = decide(queue, rows, "b", "none");
    expect(ids(shownRows(queue, without, true))).toBe("ac");
    expect(ids(shownRows(forAnotherList(undoLast(queue).queue), without, true))).toBe("ac");
  });

  it("shows a refused decision again, and leaves the focus where it is", () => {
    let queue = decide(emptyQueue<Row>(), rows, "a", "ban");
    queue = takeBack(queue, "a");
    expect(ids(shownRows(queue, rows, true))).toBe("abc");
    expect(queue.focused).toBe("b");
    expect(takeBack(queue, "z")).toBe(queue);
    // Unless the server's next list does not have it: somebody else has decided.
    const without = [{ id: "b" }, { id: "c" }];
    expect(ids(shownRows(queue, without, true))).toBe("abc");
    expect(ids(shownRows(forget(queue, "a"), without, true))).toBe("bc");
  });

  it("moves the focus within its ends", () => {
    let queue = emptyQueue<Row>();
    queue = moveFocus(queue, rows, -1);
    expect(queue.focused).toBe("a");
    queue = moveFocus(moveFocus(moveFocus(queue, rows, 1), rows, 1), rows, 1);
    expect(queue.focused).toBe("c");
    expect(moveFocus(queue, [], 1).focused).toBeUndefined();
  });
});
