// An answer in a word, and whether it was right; of a sample that was imported with its ground truth and not answered, the truth.
import { Badge, Tooltip } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { instructionFor, valueLabel } from "@/logic/instructions";
import { percent } from "@/logic/format";
import { dataset as t } from "@/texts/dataset";

interface Props {
  instructions: unknown;
  answer: { key: string; value?: string | null; probability?: number | null; groundTruth?: string | null };
}

export function AnswerChip({ instructions, answer }: Props) {
  const instruction = instructionFor(instructions, answer.key);
  const truth = answer.groundTruth;
  if (answer.value == null && truth != null) return <Badge className="clip-badge" color="gray" variant="outline" maw={180}>{valueLabel(instruction, truth)}</Badge>;
  const label = answer.value == null ? t.notAnswered : valueLabel(instruction, answer.value);
  const right = truth != null && truth === answer.value;
  const hint = [answer.probability != null && percent(answer.probability), truth != null && t.truthSet(valueLabel(instruction, truth))].filter(Boolean).join(" · ");
  let mark;
  if (truth != null) mark = right ? <IconCheck size={12} aria-label={t.detail.right} /> : <IconX size={12} aria-label={t.detail.wrong} />;
  return (
    <Tooltip label={hint} disabled={!hint}>
      <Badge className="clip-badge" color={truth == null ? "gray" : right ? "pine" : "red"} rightSection={mark} maw={180}>
        {truth != null && !right ? `${label} → ${valueLabel(instruction, truth)}` : label}
      </Badge>
    </Tooltip>
  );
}
