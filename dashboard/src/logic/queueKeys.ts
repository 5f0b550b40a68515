// What a key does in the moderation queue.
import type { ActionName } from "./moderationFilter";

export type QueueCommand =
  | { kind: "agree" }
  | { kind: "decide"; action: ActionName }
  | { kind: "category"; index: number }
  | { kind: "move"; step: number }
  | { kind: "claim" | "note" | "undo" | "select" | "categories" | "keys" };

const COMMANDS: Record<string, QueueCommand> = {
  enter: { kind: "agree" },
  a: { kind: "agree" },
  "0": { kind: "decide", action: "none" },
  n: { kind: "decide", action: "none" },
  w: { kind: "decide", action: "warn" },
  t: { kind: "decide", action: "timeout" },
  b: { kind: "decide", action: "ban" },
  j: { kind: "move", step: 1 },
  arrowdown: { kind: "move", step: 1 },
  k: { kind: "move", step: -1 },
  arrowup: { kind: "move", step: -1 },
  c: { kind: "claim" },
  m: { kind: "note" },
  u: { kind: "undo" },
  x: { kind: "select" },
  h: { kind: "categories" },
  "?": { kind: "keys" },
};

interface Pressed {
  key: string;
  repeat: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** The command of a key, pressed on its own. A key that is held down only moves. */
export function commandOf(pressed: Pressed): QueueCommand | undefined {
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return undefined;
  const key = pressed.key.toLowerCase();
  const command = /^[1-9]$/.test(key) ? { kind: "category" as const, index: Number(key) - 1 } : COMMANDS[key];
  return pressed.repeat && command?.kind !== "move" ? undefined : command;
}
