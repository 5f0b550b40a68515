// Whether the server still knows the session, whichever call has learnt that it does not. What is on the page stays
// until the person has signed in again.
import { useSyncExternalStore } from "react";

let ended = false;
const listeners = new Set<() => void>();

function set(next: boolean) {
  if (ended === next) return;
  ended = next;
  for (const listener of listeners) listener();
}

export const reportSessionEnd = () => set(true);
export const reportSessionResumed = () => set(false);

/** Calls `listener` on each change. */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const hasSessionEnded = () => ended;

export function useSessionEnded(): boolean {
  return useSyncExternalStore(onSessionChange, hasSessionEnded);
}
