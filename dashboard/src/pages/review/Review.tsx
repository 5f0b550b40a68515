// Correction by keyboard: one key a value, and the next sample is there.
import { Alert, Badge, Button, Card, Group, Select, Stack, Text, Title } from "@mantine/core";
import { type HotkeyItem, useHotkeys } from "@mantine/hooks";
import { IconArrowBackUp, IconChecks, IconDatabase } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { useCanEdit } from "@/api/session";
import { EmptyState } from "@/components/EmptyState";
import { AnchorLink, ButtonLink } from "@/components/links";
import { Meter } from "@/components/Meter";
import { ErrorCard } from "@/components/PageError";
import { PageSkeleton } from "@/components/PageSkeleton";
import { plain } from "@/logic/format";
import { instructionFor, valueLabel } from "@/logic/instructions";
import { keyOf } from "@/logic/review";
import { optional } from "@/logic/search";
import { type JudgeData, useJudge } from "@/pages/judge/query";
import { dataset, review as t } from "@/texts/dataset";
import { type QueueSample, useReview } from "./useReview";

const route = getRouteApi("/app/judges/$judgeId/review");
const EVERY = "*";

/** A key that is held down counts once. */
const once = (action: () => void) => (event: KeyboardEvent) => {
  if (!event.repeat) action();
};
const FIELDS = ["INPUT", "TEXTAREA", "SELECT"];

export function Review() {
  const judge = useJudge();
  const canEdit = useCanEdit();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const questions = judge.questions.filter((question) => question.values.length > 0);
  const current = questions.find((question) => question.key === search.key);
  return (
    <Stack gap="md" maw={820}>
      <Group justify="space-between" align="flex-end" gap="sm">
        <Text size="sm" c="dimmed" maw={460}>
          {canEdit ? t.text : t.analyst}
        </Text>
        {questions.length > 1 && (
          <Select
            size="xs"
            w={200}
            label={t.key}
            value={current?.key ?? EVERY}
            allowDeselect={false}
            data={[{ value: EVERY, label: t.every }, ...questions.map((one) => one.key)]}
            onChange={(value) =>
              void navigate({
                search: optional({ key: value === EVERY ? undefined : (value ?? undefined) }),
                replace: true,
              })
            }
          />
        )}
      </Group>
      <Session key={current?.key ?? EVERY} questions={current ? [current] : questions} />
    </Stack>
  );
}

/** The correction of some questions, from the least certain sample on. */
function Session({ questions }: { questions: JudgeData["questions"] }) {
  const judge = useJudge();
  const canEdit = useCanEdit();
  const keys = questions.map((question) => question.key);
  const session = useReview(judge.id, keys, canEdit);
  const { sample, key } = session;
  const question = questions.find((one) => one.key === key);
  const values = question?.values ?? [];
  const answered = sample?.answers.find((one) => one.key === key)?.value ?? undefined;
  const canAccept = answered !== undefined && values.includes(answered);

  useHotkeys(
    canEdit
      ? [
          ...values
            .slice(0, 10)
            .map((value, index): HotkeyItem => [keyOf(index) ?? "", once(() => session.set(value))]),
          ["s", once(session.skip)],
          ["u", once(session.undo)],
        ]
      : [],
    FIELDS,
  );
  // Enter on a link or a button is theirs.
  useHotkeys(canEdit && canAccept ? [["Enter", once(() => session.set(answered))]] : [], [...FIELDS, "A", "BUTTON"]);

  if (session.error) return <ErrorCard error={session.error} onRetry={session.retry} />;
  if (!sample && session.loading) return <PageSkeleton rows={3} />;
  return (
    <>
      {!sample && <Finished judgeId={judge.id} canEdit={canEdit} done={session.done} samples={judge.stats.count} />}
      {sample && question && (
        <Card p="lg" data-testid="review-sample">
          <Stack gap="md">
            {session.claimedByOther && (
              <Alert color="yellow" py="xs">
                {t.claimedTitle}
              </Alert>
            )}
            <Content sample={sample} />
            <div>
              <Title order={2}>{question.text || question.key}</Title>
              {keys.length > 1 && (
                <Text size="xs" c="dimmed">
                  {question.key}
                </Text>
              )}
            </div>
            <Stack gap={8}>
              {values.map((value, index) => (
                <Value
                  key={value}
                  label={valueLabel(instructionFor(judge.instructions, question.key), value)}
                  shortcut={keyOf(index)}
                  probability={probabilityOf(sample, question.key, value)}
                  answered={value === answered}
                  disabled={!canEdit}
                  onClick={() => session.set(value)}
                />
              ))}
            </Stack>
            <Group justify="space-between">
              <Group gap="xs">
                <Button
                  size="xs"
                  variant="default"
                  disabled={!canEdit || !canAccept}
                  onClick={() => canAccept && session.set(answered)}
                >
                  {t.accept}&nbsp;<kbd>↵</kbd>
                </Button>
                <Button size="xs" variant="default" onClick={session.skip}>
                  {t.skip}&nbsp;<kbd>S</kbd>
                </Button>
              </Group>
              <Button
                size="xs"
                variant="subtle"
                color="gray"
                leftSection={<IconArrowBackUp size={15} />}
                disabled={!canEdit || session.done === 0}
                onClick={session.undo}
              >
                {t.undo}&nbsp;<kbd>U</kbd>
              </Button>
            </Group>
          </Stack>
        </Card>
      )}
      <Group justify="space-between" aria-live="polite">
        <Text size="sm" c="dimmed" data-testid="review-count">
          {t.count(session.done)}
        </Text>
        {session.done > 0 && (
          <AnchorLink to="/judges/$judgeId/analytics" params={{ judgeId: judge.id }} size="sm">
            {t.seeAnalytics}
          </AnchorLink>
        )}
      </Group>
    </>
  );
}

function probabilityOf(sample: QueueSample, key: string, value: string): number | undefined {
  const probabilities = sample.answers.find((one) => one.key === key)?.probabilities as
    Record<string, number> | null | undefined;
  return probabilities?.[value];
}

function Content({ sample }: { sample: QueueSample }) {
  const text = typeof sample.state === "string" ? sample.state : JSON.stringify(sample.state, null, 2);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="review-state" tabIndex={0} role="region" aria-label={dataset.columns.state}>
      {typeof sample.state === "string" ? (
        text
      ) : (
        <pre className="mono" style={{ margin: 0 }}>
          {text}
        </pre>
      )}
      <span className="only-spoken">{plain(sample.id)}</span>
    </div>
  );
}

interface ValueProps {
  label: string;
  shortcut: string | undefined;
  probability: number | undefined;
  answered: boolean;
  disabled: boolean;
  onClick: () => void;
}

function Value({ label, shortcut, probability, answered, disabled, onClick }: ValueProps) {
  return (
    <button
      type="button"
      className="review-value"
      onClick={onClick}
      disabled={disabled}
      data-answered={answered || undefined}
    >
      {shortcut && <kbd>{shortcut}</kbd>}
      <span style={{ flex: 1, minWidth: 0, textAlign: "left" }}>
        {probability === undefined ? (
          <Text size="sm" component="span">
            {label}
          </Text>
        ) : (
          <Meter
            label={label}
            value={probability}
            strong={answered}
            color={answered ? undefined : "var(--mantine-color-gray-5)"}
          />
        )}
      </span>
      {answered && <Badge size="sm">{t.answered}</Badge>}
    </button>
  );
}

function Finished({
  judgeId,
  canEdit,
  done,
  samples,
}: {
  judgeId: string;
  canEdit: boolean;
  done: number;
  samples: number;
}) {
  const none = samples === 0 && done === 0;
  return (
    <Card>
      <EmptyState
        icon={none ? IconDatabase : IconChecks}
        title={none ? t.none.title : t.done.title}
        text={none ? t.none.text : t.done.text}
      >
        {(canEdit || !none) && (
          <ButtonLink
            to={none ? "/judges/$judgeId" : "/judges/$judgeId/analytics"}
            params={{ judgeId }}
            variant={none ? "filled" : "default"}
          >
            {none ? dataset.tryIt : t.seeAnalytics}
          </ButtonLink>
        )}
      </EmptyState>
    </Card>
  );
}
