// A message in the list of the queue.
import { ActionIcon, Badge, Checkbox, Group, Text } from "@mantine/core";
import { IconLayoutSidebarRight, IconNote, IconPhoto } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useViewer } from "@/api/session";
import { ActionBadge } from "@/components/ActionBadge";
import { Time } from "@/components/Time";
import { type QueueFilter, filterOf } from "@/logic/moderationFilter";
import { decidedAction, harms } from "@/logic/verdict";
import { moderation, queue } from "@/texts/moderation";
import { MessageText } from "./MessageText";
import { HarmChips, ThreatMeter } from "./Verdict";
import type { Message } from "./queries";

const t = queue.row;

interface Props {
  message: Message;
  /** The action that was decided on here, before the server says so. */
  decision?: string;
  focused: boolean;
  selected: boolean;
  canDecide: boolean;
  /** Whether the verdict is hidden until it is decided. */
  blind: boolean;
  hasDraft: boolean;
  filter: QueueFilter;
  onFocus: () => void;
  onSelect: () => void;
  onOpen: () => void;
}

export const rowId = (id: string) => `message-${id}`;

export function QueueRow(props: Props) {
  const { message, focused, selected, canDecide, onFocus, onSelect, onOpen } = props;
  const { moderation: record } = message;
  const decision = props.decision ?? decidedAction(message.answers);
  const hidden = props.blind && decision === undefined;
  return (
    <li>
      {/* The keys of the page do all that a click does, and the button for details is in the row. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events,
          jsx-a11y/no-noninteractive-element-interactions */}
      <article
        id={rowId(message.id)}
        className="queue-row"
        data-testid="queue-row"
        data-focused={focused || undefined}
        data-selected={selected || undefined}
        aria-current={focused || undefined}
        aria-label={record.content.slice(0, 120)}
        // The list is one stop of the Tab key; other keys move within it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={focused ? 0 : -1}
        onFocus={onFocus}
        onClick={onOpen}
      >
        {canDecide && (
          <Checkbox
            size="xs"
            aria-label={t.select}
            checked={selected}
            tabIndex={focused ? 0 : -1}
            onChange={onSelect}
            onClick={(event) => event.stopPropagation()}
            className="queue-check"
          />
        )}
        <div className="queue-body">
          <Group gap={8} justify="space-between" wrap="nowrap" align="flex-start">
            <Group gap="4px 8px">
              {hidden ? (
                <Badge color="gray" variant="outline">
                  {t.hidden}
                </Badge>
              ) : (
                <ActionBadge action={record.action.toLowerCase()} />
              )}
              {!hidden && <ThreatMeter score={record.threatScore} />}
              {record.picture && (
                <Badge color="gray" leftSection={<IconPhoto size={11} aria-hidden />}>
                  {t.picture}
                </Badge>
              )}
              {record.shadow && !hidden && record.shadow.action !== record.action && (
                <Badge color="gray" variant="outline">
                  {t.shadow(moderation.actions[record.shadow.action.toLowerCase()] ?? record.shadow.action)}
                </Badge>
              )}
              <Badges message={message} decision={decision} hasDraft={props.hasDraft} />
            </Group>
            <ActionIcon
              className="queue-open"
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t.details}
              tabIndex={focused ? 0 : -1}
            >
              <IconLayoutSidebarRight size={15} />
            </ActionIcon>
          </Group>
          <p className="queue-text">
            <MessageText
              content={record.picture && hidden ? t.picture : record.content}
              signals={hidden ? [] : record.signals}
            />
          </p>
          <Group gap="4px 8px" justify="space-between">
            <Origin message={message} filter={props.filter} focused={focused} />
            {!hidden && <HarmChips harms={harms(message.answers)} />}
          </Group>
        </div>
      </article>
    </li>
  );
}

function Badges({ message, decision, hasDraft }: Pick<Props, "message" | "decision" | "hasDraft">) {
  const { user } = useViewer();
  const { claimedBy, assignedTo } = message;
  const notes = new Set(message.history.nodes.filter((change) => change.note).map((change) => change.changeId)).size;
  return (
    <>
      {decision !== undefined && <Badge variant="outline">{t.decided(moderation.actions[decision] ?? decision)}</Badge>}
      {claimedBy && decision === undefined && (
        <Badge color={claimedBy.id === user?.id ? "pine" : "yellow"} className="clip-badge" maw={200}>
          {claimedBy.id === user?.id ? t.claimedByYou : t.claimedBy(claimedBy.name ?? t.someone)}
        </Badge>
      )}
      {assignedTo && (
        <Badge color="gray" className="clip-badge" maw={200}>
          {assignedTo.id === user?.id ? t.assignedToYou : t.assignedTo(assignedTo.name ?? t.someone)}
        </Badge>
      )}
      {notes > 0 && (
        <Badge color="gray" leftSection={<IconNote size={11} aria-hidden />}>
          {t.notes(notes)}
        </Badge>
      )}
      {hasDraft && <Badge color="yellow">{t.draft}</Badge>}
    </>
  );
}

/** Who wrote it, where, and when; each of the first two filters the list. */
function Origin({ message, filter, focused }: Pick<Props, "message" | "filter" | "focused">) {
  const { author, channel } = message.moderation;
  const tabIndex = focused ? 0 : -1;
  return (
    <Text size="xs" c="dimmed" component="div" className="queue-origin">
      {author ? (
        <Link
          to="/moderation"
          search={{ ...filterOf(filter), author }}
          tabIndex={tabIndex}
          title={t.byAuthor(author)}
          onClick={(event) => event.stopPropagation()}
        >
          {author}
        </Link>
      ) : (
        t.unknownAuthor
      )}
      {channel && (
        <>
          {" · "}
          <Link
            to="/moderation"
            search={{ ...filterOf(filter), channel }}
            tabIndex={tabIndex}
            title={t.byChannel(channel)}
            onClick={(event) => event.stopPropagation()}
          >
            {channel}
          </Link>
        </>
      )}
      {" · "}
      <Time at={message.createdAt} />
    </Text>
  );
}
