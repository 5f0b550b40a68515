// What Gavel recommends to do about a message.
import { Badge } from "@mantine/core";
import { playground } from "@/texts/playground";

const COLORS: Record<string, string> = { none: "gray", warn: "yellow", timeout: "orange", ban: "red" };

export function ActionBadge({ action, size = "sm" }: { action: string; size?: "sm" | "lg" }) {
  return (
    <Badge color={COLORS[action] ?? "gray"} size={size} variant={action === "ban" ? "filled" : "light"}>
      {playground.result.actions[action] ?? action}
    </Badge>
  );
}
