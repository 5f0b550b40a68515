// What Gavel recommends to do about a message.
import { Badge } from "@mantine/core";
import { playground } from "@/texts/playground";

const COLORS: Record<string, string> = { none: "gray", warn: "yellow", timeout: "orange", ban: "red" };

/** The colour of an action, or `undefined` for what is none. */
export const actionColor = (action: string): string | undefined => COLORS[action];

export function ActionBadge({ action, size = "sm" }: { action: string; size?: "sm" | "lg" }) {
  return (
    <Badge color={actionColor(action) ?? "gray"} size={size} variant={action === "ban" ? "filled" : "light"}>
      {playground.result.actions[action] ?? action}
    </Badge>
  );
}
