// Opens the command palette from anywhere. Its code is fetched on the first call.
import { useSyncExternalStore } from "react";

let calls = 0;
let answered = 0;
const listeners = new Set<() => void>();

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function callPalette() {
  calls += 1;
  for (const listener of listeners) listener();
}

/** How often the palette was called. */
export const usePaletteCalls = () => useSyncExternalStore(listen, () => calls);

/** Whether nobody has answered this call yet. A palette that is there again, after signing out and in, has no call. */
export function answerPaletteCall(call: number): boolean {
  const waiting = answered < call;
  answered = call;
  return waiting;
}
