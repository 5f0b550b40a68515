// The message that has the focus, as a whole: its text, the decision, and everything that is known of it.
import { Card, Group, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { ActionBadge } from "@/components/ActionBadge";
import { ErrorCard } from "@/components/PageError";
import { RowsSkeleton } from "@/components/PageSkeleton";
import { Time } from "@/components/Time";
import type { ActionName } from "@/logic/moderationFilter";
import { decidedAction, harms } from "@/logic/verdict";
import { queue } from "@/texts/moderation";
import { Decision } from "./Decision";
import { Details } from "./Details";
import { MessageText } from "./MessageText";
import { ThreatMeter } from "./Verdict";
import { type Message, MessageQuery } from "./queries";
import type { QueueState } from "./useQueue";

const t = queue.panel;

interface Props {
  state: QueueState;
  message: Message | undefined;
  blind: boolean;
  canDecide: boolean;
  onDecide: (message: Message, action: ActionName) => void;
  onDone: () => void;
}

export function Panel({ state, message, blind, canDecide, onDecide, onDone }: Props) {
  if (!message) {
    return (
      <Text size="sm" c="dimmed">
        {t.none}
      </Text>
    );
  }
  const { moderation: record } = message;
  const here = state.decided.find((one) => one.row.id === message.id)?.action;
  const decision = here ?? decidedAction(message.answers);
  const hidden = blind && decision === undefined;
  const known = harms(message.answers);
  return (
    <Stack gap="md">
      <Group gap="xs" justify="space-between">
        {hidden ? (
          <Text size="sm" c="dimmed">
            {queue.row.hidden}
          </Text>
        ) : (
          <Group gap="xs">
            <ActionBadge action={record.action.toLowerCase()} />
            <ThreatMeter score={record.threatScore} />
          </Group>
        )}
        <Text size="sm" c="dimmed">
          <Time at={message.createdAt} />
        </Text>
      </Group>
      {/* It scrolls, so it must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="message-text" tabIndex={0} role="region" aria-label={t.title}>
        <MessageText content={record.content} signals={hidden ? [] : record.signals} />
      </div>
      <Decision
        key={message.id}
        message={message}
        harms={hidden ? known.map(({ category }) => ({ category, probability: 0 })) : known}
        decision={decision}
        hidden={hidden}
        canDecide={canDecide}
        draft={state.draftOf(message.id)}
        onDraft={(change) => state.setDraft(message.id, change)}
        onDecide={(action) => onDecide(message, action)}
        onClaim={() => state.claim(message)}
        onDone={onDone}
      />
      <Loaded message={message} hidden={hidden} canDecide={canDecide} />
    </Stack>
  );
}

interface LoadedProps {
  message: Message;
  hidden: boolean;
  canDecide: boolean;
}

/** What is fetched for one message alone, once the focus rests on it. */
function Loaded({ message, hidden, canDecide }: LoadedProps) {
  const [id] = useDebouncedValue(message.id, 250);
  const result = useQuery(query(MessageQuery, { id }));
  if (result.error && !result.data) return <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data || id !== message.id) return <RowsSkeleton rows={6} />;
  const sample = result.data.sample;
  if (!sample) return <Text size="sm">{t.missing}</Text>;
  return <Details message={message} detail={sample} hidden={hidden} canDecide={canDecide} />;
}

/** The panel beside the list. */
export function SidePanel(props: Props) {
  return (
    <Card className="queue-panel" component="aside" aria-label={t.title} tabIndex={0}>
      <Panel {...props} />
    </Card>
  );
}
