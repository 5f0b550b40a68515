// The state of work in the background.
import { Badge, Loader } from "@mantine/core";

const COLORS: Record<string, string> = {
  QUEUED: "gray",
  RUNNING: "blue",
  SUCCEEDED: "pine",
  COMPLETED: "pine",
  DELIVERED: "pine",
  FAILED: "red",
  CANCELLED: "gray",
  EXPIRED: "orange",
};

export function StateBadge({ state, label }: { state: string; label: string }) {
  return (
    <Badge
      color={COLORS[state] ?? "gray"}
      leftSection={state === "RUNNING" ? <Loader size={9} color="blue" /> : undefined}
    >
      {label}
    </Badge>
  );
}
