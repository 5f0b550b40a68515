// What was decided last, and the way back.
import { Button, Group, Text } from "@mantine/core";
import { IconArrowBackUp } from "@tabler/icons-react";
import { shell } from "@/texts/shell";
import { moderation, queue } from "@/texts/moderation";
import type { Message } from "./queries";
import type { Decided } from "@/logic/moderationQueue";

const t = queue.last;
const label = (action: string) => moderation.actions[action] ?? action;

interface Props {
  decided: Decided<Message>[];
  onUndo: () => void;
}

export function LastDecision({ decided, onUndo }: Props) {
  const last = decided.at(-1);
  const verdict = last?.row.moderation.action.toLowerCase();
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap" className="queue-last" data-shown={last && true}>
      <Text size="sm" className="clip" aria-live="polite" data-testid="last-decision">
        {last && (
          <>
            <span className="numeric">{t.count(decided.length)}</span> ·{" "}
            {t.done(label(last.action), last.row.moderation.content.slice(0, 80))}
            {verdict && verdict !== last.action && ` ${t.verdict(label(verdict))}`}
          </>
        )}
      </Text>
      {last && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconArrowBackUp size={15} />}
          onClick={onUndo}
        >
          {shell.undo}&nbsp;<kbd>U</kbd>
        </Button>
      )}
    </Group>
  );
}
