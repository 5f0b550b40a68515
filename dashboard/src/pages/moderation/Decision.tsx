// What a moderator decides on the message that has the focus: the action, categories, and a note.
import { Button, Group, Select, SimpleGrid, Stack, Text, Textarea, Title } from "@mantine/core";
import { useViewer } from "@/api/session";
import { actionColor } from "@/logic/colors";
import { tell, tellFailure } from "@/components/notify";
import { useAction } from "@/components/useAction";
import { words } from "@/logic/format";
import { ACTIONS, type ActionName } from "@/logic/moderationFilter";
import { CATEGORIES } from "@/logic/policyRules";
import { type Harm, isHarm, toggled } from "@/logic/verdict";
import { moderation, queue } from "@/texts/moderation";
import { AssignMutation, type Message } from "./queries";
import type { Draft } from "./useQueue";
import { usePeople } from "./usePeople";

const t = queue.decision;
const KEYS: Record<ActionName, string> = { none: "N", warn: "W", timeout: "T", ban: "B" };

interface Props {
  message: Message;
  /** The harms as the moderator sees them: without the verdict's in blind mode. */
  harms: Harm[];
  /** What was decided so far. */
  decision: string | undefined;
  hidden: boolean;
  canDecide: boolean;
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
  onDecide: (action: ActionName) => void;
  onClaim: () => void;
  /** Gives the keys back to the list. */
  onDone: () => void;
}

export function Decision(props: Props) {
  const { message, decision, hidden, canDecide, draft, onDraft, onDecide, onClaim, onDone } = props;
  const { user } = useViewer();
  const verdict = message.moderation.action.toLowerCase() as ActionName;
  const claimed = message.claimedBy?.id === user?.id;
  return (
    <Stack gap="sm" component="section" aria-label={t.title}>
      {!canDecide && (
        <Text size="sm" c="dimmed">
          {moderation.readOnly}
        </Text>
      )}
      <Button
        fullWidth
        disabled={!canDecide || hidden}
        title={hidden ? t.blindAgree : canDecide ? undefined : moderation.readOnly}
        onClick={() => onDecide(verdict)}
      >
        {hidden ? t.agree : t.agreeWith(moderation.actions[verdict] ?? verdict)}&nbsp;<kbd>↵</kbd>
      </Button>
      <SimpleGrid cols={2} spacing={6} verticalSpacing={6}>
        {ACTIONS.toReversed().map((action) => (
          <Button
            key={action}
            size="compact-md"
            variant={decision === action ? "light" : "default"}
            color={actionColor(action)}
            disabled={!canDecide}
            title={canDecide ? undefined : moderation.readOnly}
            aria-pressed={decision === action}
            onClick={() => onDecide(action)}
          >
            {moderation.actions[action]}&nbsp;<kbd>{KEYS[action]}</kbd>
          </Button>
        ))}
      </SimpleGrid>
      {canDecide && (
        <>
          <Categories harms={props.harms} hidden={hidden} draft={draft} onDraft={onDraft} />
          <Textarea
            id="moderation-note"
            label={
              <>
                {t.note} <kbd>M</kbd>
              </>
            }
            description={t.noteHint}
            value={draft.note}
            maxLength={t.noteLimit}
            autosize
            minRows={1}
            maxRows={6}
            onChange={(event) => onDraft({ note: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.stopPropagation();
              onDone();
            }}
          />
          <Group gap="xs" wrap="nowrap" align="flex-end">
            <Assign message={message} />
            <Button variant="default" onClick={onClaim}>
              {claimed ? t.release : t.claim}&nbsp;<kbd>C</kbd>
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** Each category as the verdict or the moderator sees it; pressing one says the contrary. */
function Categories({ harms, hidden, draft, onDraft }: Pick<Props, "harms" | "hidden" | "draft" | "onDraft">) {
  const corrected = Object.keys(draft.categories).length;
  return (
    <div>
      <Group justify="space-between">
        <Title order={3} fw={500}>
          {hidden ? t.ownCategories : t.categories} <kbd>H</kbd>
        </Title>
        {corrected > 0 && (
          <Text size="xs" c="dimmed">
            {t.corrected(corrected)}
          </Text>
        )}
      </Group>
      <Text size="xs" c="dimmed" mb={6}>
        {hidden ? t.ownCategoriesHint : t.categoriesHint}
      </Text>
      <Group gap={4} id="moderation-categories">
        {CATEGORIES.map((category, index) => {
          const harm = harms.find((one) => one.category === category);
          if (!harm) return null;
          const said = draft.categories[category];
          const present = said ?? isHarm(harm);
          return (
            <Button
              key={category}
              size="compact-xs"
              variant={present ? "light" : "default"}
              color="red"
              className="category-toggle"
              data-corrected={said !== undefined || undefined}
              aria-pressed={present}
              title={present ? t.is(words(category)) : t.isNot(words(category))}
              td={said === false ? "line-through" : undefined}
              onClick={() => onDraft({ categories: toggled(draft.categories, harm) })}
            >
              {index < 9 && <kbd style={{ marginInlineEnd: 5 }}>{index + 1}</kbd>}
              {words(category)}
            </Button>
          );
        })}
      </Group>
    </div>
  );
}

const NOBODY = "nobody";

function Assign({ message }: { message: Message }) {
  const people = usePeople();
  const assign = useAction(AssignMutation);
  const assigned = message.assignedTo;
  const known = people.some((person) => person.value === assigned?.id);
  const data = [
    { value: NOBODY, label: t.nobody },
    ...people,
    ...(assigned && !known ? [{ value: assigned.id, label: assigned.name ?? queue.row.someone }] : []),
  ];
  const set = (value: string | null) => {
    const userId = value === NOBODY ? null : value;
    assign.mutate(
      { input: { sampleIds: [message.id], userId } },
      {
        onSuccess: () => {
          const who = people.find((person) => person.value === userId)?.label;
          tell(who ? t.assigned(1, who) : t.unassigned(1));
        },
        onError: tellFailure,
      },
    );
  };
  return (
    <Select
      label={t.assign}
      style={{ flex: 1 }}
      data={data}
      value={assign.isPending ? (assign.variables.input.userId ?? NOBODY) : (assigned?.id ?? NOBODY)}
      allowDeselect={false}
      onChange={set}
    />
  );
}
