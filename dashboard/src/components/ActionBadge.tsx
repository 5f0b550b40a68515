// What Gavel recommends to do about a message.
import { Badge } from "@mantine/core";
import { actionColor } from "@/logic/colors";
import { playground } from "@/texts/playground";

export function ActionBadge({ action, size = "sm" }: { action: string; size?: "sm" | "lg" }) {
  return (
    <Badge color={actionColor(action) ?? "gray"} size={size} variant={action === "ban" ? "filled" : "light"}>
      {playground.result.actions[action] ?? action}
    </Badge>
  );
}
