// An answer in a word, and whether it was right.
import { Badge, Tooltip } from "@mantine/core";
import { IconCheck, IconTag, IconX } from "@tabler/icons-react";
import { actionColor } from "@/logic/colors";
import { instructionFor, valueLabel } from "@/logic/instructions";
import { percent } from "@/logic/format";
import { dataset as t } from "@/texts/dataset";

interface Props {
  instructions: unknown;
  answer: { key: string; value?: string | null; probability?: number | null; groundTruth?: string | null };
}

export function AnswerChip({ instructions, answer }: Props) {
  const instruction = instructionFor(instructions, answer.key);
  const label = answer.value == null ? t.notAnswered : valueLabel(instruction, answer.value);
  const truth = answer.groundTruth;
  if (answer.value == null && truth != null) {
    // An import that brought its ground truth, and was never asked about.
    const named = valueLabel(instruction, truth);
    return (
      <Tooltip label={t.truthSet(named)}>
        <Badge
          className="clip-badge"
          color="gray"
          variant="outline"
          leftSection={<IconTag size={11} aria-label={t.filters.truth} />}
          maw={180}
        >
          {named}
        </Badge>
      </Tooltip>
    );
  }
  const right = truth != null && truth === answer.value;
  // The action of a verdict keeps its colour, whether it was right or not.
  const action = answer.key === "action" ? actionColor(answer.value ?? "") : undefined;
  const color = action ?? (truth == null ? "gray" : right ? "pine" : "red");
  const hint = [
    answer.probability != null && percent(answer.probability),
    truth != null && t.truthSet(valueLabel(instruction, truth)),
  ]
    .filter(Boolean)
    .join(" · ");
  let mark;
  if (truth != null)
    mark = right ? (
      <IconCheck size={12} aria-label={t.detail.right} />
    ) : (
      <IconX size={12} aria-label={t.detail.wrong} />
    );
  return (
    <Tooltip label={hint} disabled={!hint}>
      <Badge className="clip-badge" color={color} rightSection={mark} maw={180}>
        {truth != null && !right ? `${label} → ${valueLabel(instruction, truth)}` : label}
      </Badge>
    </Tooltip>
  );
}
