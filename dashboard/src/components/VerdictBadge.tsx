// How one model compares with another.
import { Badge } from "@mantine/core";
import { verdicts } from "@/texts/training";

export function VerdictBadge({ better, worse, size }: { better: boolean; worse: boolean; size?: "lg" }) {
  const verdict = better ? "better" : worse ? "worse" : "inconclusive";
  return (
    <Badge color={{ better: "pine", worse: "red", inconclusive: "gray" }[verdict]} size={size}>
      {verdicts[verdict]}
    </Badge>
  );
}
