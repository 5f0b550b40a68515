// Correction by keyboard: one key a value, and the next sample is there.
import { Alert, Anchor, Badge, Button, Card, Group, Select, Stack, Text, Title } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconArrowBackUp, IconChecks, IconDatabase } from "@tabler/icons-react";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useCanEdit } from "@/api/session";
import { EmptyState } from "@/components/EmptyState";
import { Meter } from "@/components/Meter";
import { ErrorCard } from "@/components/PageError";
import { PageSkeleton } from "@/components/PageSkeleton";
import { plain } from "@/logic/format";
import { instructionFor, valueLabel } from "@/logic/instructions";
import { keyOf } from "@/logic/review";
import { optional } from "@/logic/search";
import { useJudge } from "@/pages/judge/query";
import { dataset, review as t } from "@/texts/dataset";
import { type QueueSample, useReview } from "./useReview";

const route = getRouteApi("/app/judges/$judgeId/review");
const EVERY = "*";

export function Review() {
  const judge = useJudge();
  const canEdit = useCanEdit();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const questions = judge.questions.filter((question) => question.values.length > 0);
  const chosen = search.key === EVERY ? questions : questions.filter((question) => question.key === (search.key ?? questions[0]?.key));
  const keys = chosen.map((question) => question.key);
  const session = useReview(judge.id, keys);
  const { sample, key } = session;
  const question = questions.find((one) => one.key === key);
  const values = question?.values ?? [];
  const answered = sample?.answers.find((one) => one.key === key)?.value ?? undefined;
  const canAccept = answered !== undefined && values.includes(answered);

  useHotkeys(
    canEdit
      ? [
          ...values.slice(0, 10).map((value, index): [string, () => void] => [keyOf(index) ?? "", () => session.set(value)]),
          ["Enter", () => canAccept && session.set(answered)],
          ["s", session.skip],
          ["u", session.undo],
        ]
      : [],
    ["INPUT", "TEXTAREA", "SELECT"],
  );

  if (session.error) return <ErrorCard error={session.error} onRetry={session.retry} />;
  if (!sample && session.loading) return <PageSkeleton rows={3} />;
  return (
    <Stack gap="md" maw={820}>
      <Group justify="space-between" align="flex-end" gap="sm">
        <Text size="sm" c="dimmed" maw={460}>{canEdit ? t.text : t.analyst}</Text>
        <Select
          size="xs"
          w={200}
          label={t.key}
          value={search.key ?? questions[0]?.key ?? null}
          allowDeselect={false}
          data={[...questions.map((one) => one.key), ...(questions.length > 1 ? [{ value: EVERY, label: "All, one after another" }] : [])]}
          onChange={(value) => void navigate({ search: optional({ key: value === questions[0]?.key ? undefined : (value ?? undefined) }), replace: true })}
        />
      </Group>
      {!sample && <Finished judgeId={judge.id} done={session.done} samples={judge.stats.count} />}
      {sample && question && (
        <Card p="lg" data-testid="review-sample">
          <Stack gap="md">
            {session.claimedByOther && <Alert color="yellow" py="xs">{t.claimedTitle}</Alert>}
            <Content sample={sample} />
            <div>
              <Title order={2}>{question.text || question.key}</Title>
              {keys.length > 1 && <Text size="xs" c="dimmed">{question.key}</Text>}
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
                <Button size="xs" variant="default" disabled={!canEdit || !canAccept} onClick={() => canAccept && session.set(answered)}>{t.accept}&nbsp;<kbd>↵</kbd></Button>
                <Button size="xs" variant="default" onClick={session.skip}>{t.skip}&nbsp;<kbd>S</kbd></Button>
              </Group>
              <Button size="xs" variant="subtle" color="gray" leftSection={<IconArrowBackUp size={15} />} disabled={session.done === 0} onClick={session.undo}>{t.undo}&nbsp;<kbd>U</kbd></Button>
            </Group>
          </Stack>
        </Card>
      )}
      <Group justify="space-between" aria-live="polite">
        <Text size="sm" c="dimmed" data-testid="review-count">{t.count(session.done)}</Text>
        {session.done > 0 && (
          <Anchor component={Link} {...({ to: "/judges/$judgeId/analytics", params: { judgeId: judge.id } } as object)} size="sm">{t.seeAnalytics}</Anchor>
        )}
      </Group>
    </Stack>
  );
}

function probabilityOf(sample: QueueSample, key: string, value: string): number | undefined {
  const probabilities = sample.answers.find((one) => one.key === key)?.probabilities as Record<string, number> | null | undefined;
  return probabilities?.[value];
}

function Content({ sample }: { sample: QueueSample }) {
  const text = typeof sample.state === "string" ? sample.state : JSON.stringify(sample.state, null, 2);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="review-state" tabIndex={0} role="region" aria-label={dataset.columns.state}>
      {typeof sample.state === "string" ? text : <pre className="mono" style={{ margin: 0 }}>{text}</pre>}
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
    <button type="button" className="review-value" onClick={onClick} disabled={disabled} data-answered={answered || undefined}>
      {shortcut && <kbd>{shortcut}</kbd>}
      <span style={{ flex: 1, minWidth: 0, textAlign: "left" }}>
        {probability === undefined ? <Text size="sm" component="span">{label}</Text> : <Meter label={label} value={probability} strong={answered} color={answered ? undefined : "var(--mantine-color-gray-5)"} />}
      </span>
      {answered && <Badge size="sm">{t.answered}</Badge>}
    </button>
  );
}

function Finished({ judgeId, done, samples }: { judgeId: string; done: number; samples: number }) {
  const none = samples === 0 && done === 0;
  return (
    <Card>
      <EmptyState icon={none ? IconDatabase : IconChecks} title={none ? t.none.title : t.done.title} text={none ? t.none.text : t.done.text}>
        <Button component={Link} {...({ to: none ? "/judges/$judgeId" : "/judges/$judgeId/analytics", params: { judgeId } } as object)} variant={none ? "filled" : "default"}>
          {none ? dataset.tryIt : t.seeAnalytics}
        </Button>
      </EmptyState>
    </Card>
  );
}
