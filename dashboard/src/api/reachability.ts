// Whether the server answers, for the banner that says so. While it does not, it is asked every two seconds.
import { useSyncExternalStore } from "react";

let reachable = true;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function set(next: boolean) {
  if (reachable === next) return;
  reachable = next;
  for (const listener of listeners) listener();
}

export function reportReachable() {
  clearInterval(timer);
  timer = undefined;
  set(true);
}

export function reportUnreachable() {
  set(false);
  timer ??= setInterval(() => {
    fetch("/livez").then(
      (response) => response.ok && reportReachable(),
      () => undefined,
    );
  }, 2000);
}

/** Calls `listener` on each change. */
export function onReachability(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isReachable(): boolean {
  return reachable;
}

export function useReachable(): boolean {
  return useSyncExternalStore(onReachability, isReachable);
}
