// What can be done with the selected messages together, or with all that match the filters.
import { Button, Card, Group, Menu, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { ReclassifyManyMutation, undoChange } from "@/api/labels";
import { useViewer } from "@/api/session";
import { Confirm } from "@/components/Confirm";
import { tell, tellFailure, tellWithUndo } from "@/components/notify";
import { useAction } from "@/components/useAction";
import { count } from "@/logic/format";
import { ACTIONS, type ActionName, type QueueFilter, queueArguments } from "@/logic/moderationFilter";
import { moderation, queue } from "@/texts/moderation";
import { AssignMutation } from "./queries";
import { usePeople } from "./usePeople";

const t = queue.bulk;
/** The most that one request changes. */
const MOST = 10_000;

interface Props {
  logId: string;
  search: QueueFilter;
  /** The ids that are selected, or all that match. */
  selected: string[] | "all";
  /** The number of messages that match. */
  total: number;
  /** Whether more match than the page shows. */
  more: boolean;
  onAll: () => void;
  onClear: () => void;
}

export function BulkBar({ logId, search, selected, total, more, onAll, onClear }: Props) {
  const { user } = useViewer();
  const people = usePeople();
  const [asking, setAsking] = useState<ActionName>();
  const [note, setNote] = useState("");
  const decide = useAction(ReclassifyManyMutation);
  const assign = useAction(AssignMutation);
  const all = selected === "all";
  const number = all ? total : selected.length;
  const blocked = total > MOST ? t.allTooMany : undefined;

  const run = (value: ActionName) => {
    const { filter, moderation: matching, text } = queueArguments(search, user?.id);
    const which = all ? { filter, moderation: matching, text } : { sampleIds: selected };
    decide.mutate(
      { input: { judgeId: logId, key: "action", value, note: note.trim() || undefined, ...which } },
      {
        onSuccess: ({ reclassifySamples: { changeId, changed } }) => {
          setAsking(undefined);
          setNote("");
          onClear();
          if (changeId) tellWithUndo(t.done(changed), () => undoChange(changeId));
          else tell(t.done(changed));
        },
      },
    );
  };
  const assignTo = (userId: string | null, who?: string) =>
    all ||
    assign.mutate(
      { input: { sampleIds: selected, userId } },
      {
        onSuccess: () => {
          onClear();
          tell(who ? queue.decision.assigned(number, who) : queue.decision.unassigned(number));
        },
        onError: tellFailure,
      },
    );
  return (
    <Card p="xs" mb="sm" role="toolbar" aria-label={t.selected(count(number))} className="queue-bulk">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={550} px="xs">
            {t.selected(count(number))}
          </Text>
          {!all && more && (
            <Button size="compact-xs" variant="subtle" disabled={blocked !== undefined} title={blocked} onClick={onAll}>
              {t.all(count(total))}
            </Button>
          )}
          <Button size="compact-xs" variant="subtle" color="gray" onClick={onClear}>
            {t.clear}
          </Button>
        </Group>
        <Group gap="xs">
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="xs" variant="default" loading={decide.isPending}>
                {t.decide}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {ACTIONS.toReversed().map((action) => (
                <Menu.Item key={action} onClick={() => setAsking(action)}>
                  {moderation.actions[action]}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button
                size="xs"
                variant="default"
                disabled={all}
                title={all ? t.assignAll : undefined}
                loading={assign.isPending}
              >
                {t.assign}
              </Button>
            </Menu.Target>
            <Menu.Dropdown mah={320} style={{ overflowY: "auto" }}>
              {people.map(({ value, label }) => (
                <Menu.Item key={value} onClick={() => assignTo(value, label)}>
                  {label}
                </Menu.Item>
              ))}
              <Menu.Divider />
              <Menu.Item onClick={() => assignTo(null)}>{queue.decision.nobody}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
      <Confirm
        opened={asking !== undefined}
        title={asking ? t.confirm(moderation.actions[asking] ?? asking, count(number)) : ""}
        action={asking ? (moderation.actions[asking] ?? asking) : ""}
        loading={decide.isPending}
        error={decide.error}
        onClose={() => {
          setAsking(undefined);
          decide.reset();
        }}
        onConfirm={() => asking && run(asking)}
      >
        {all && <Text size="sm">{t.confirmText}</Text>}
        <Textarea
          label={t.note}
          value={note}
          maxLength={queue.decision.noteLimit}
          autosize
          minRows={1}
          maxRows={4}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </Confirm>
    </Card>
  );
}
