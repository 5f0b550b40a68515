// A time as people say it, with the exact one on hover.
import { Text, Tooltip } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { exactTime, relativeTime } from "@/logic/format";

// All times on a page tick together.
let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, 20_000);

const read = () => now;

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Time({ at, empty = "–" }: { at: string | null | undefined; empty?: string }) {
  const current = useSyncExternalStore(listen, read);
  if (!at) return <span className="quiet">{empty}</span>;
  return (
    <Tooltip label={exactTime(at)}>
      <Text component="time" dateTime={at} inherit className="numeric" tabIndex={-1}>
        {relativeTime(at, current)}
      </Text>
    </Tooltip>
  );
}
