// One sample: what was asked, what was answered, what is right, and who said so.
import { Badge, Button, Divider, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { CodeBlock } from "@/components/Code";
import { Facts } from "@/components/Facts";
import { Meter } from "@/components/Meter";
import { tellFailure, tellWithUndo } from "@/components/notify";
import { ErrorCard } from "@/components/PageError";
import { RowsSkeleton } from "@/components/PageSkeleton";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import type { SampleQuery as Result } from "@/gql/graphql";
import { credits, words } from "@/logic/format";
import { instructionFor, valueLabel } from "@/logic/instructions";
import type { JudgeData } from "@/pages/judge/query";
import { dataset } from "@/texts/dataset";
import { ReclassifyMutation, SampleQuery } from "./queries";
import { undoChange } from "@/api/labels";

const t = dataset.detail;
type Sample = NonNullable<Result["sample"]>;

export function SampleDrawer({
  judge,
  sampleId,
  onClose,
}: {
  judge: JudgeData;
  sampleId?: string;
  onClose: () => void;
}) {
  return (
    <Drawer opened={Boolean(sampleId)} onClose={onClose} position="right" size={520} title={t.title} padding="lg">
      {sampleId && <Content judge={judge} sampleId={sampleId} />}
    </Drawer>
  );
}

function Content({ judge, sampleId }: { judge: JudgeData; sampleId: string }) {
  const result = useQuery(query(SampleQuery, { id: sampleId }));
  if (result.error) return <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data) return <RowsSkeleton rows={5} />;
  const sample = result.data.sample;
  if (!sample) return <Text size="sm">{t.missing}</Text>;
  return (
    <Stack gap="lg">
      <CodeBlock
        text={typeof sample.state === "string" ? sample.state : JSON.stringify(sample.state, null, 2)}
        wrap
        label={t.state}
      />
      {sample.answers.map((answer) => (
        <AnswerCard key={answer.key} judge={judge} sample={sample} answer={answer} />
      ))}
      <Divider />
      <History judge={judge} sample={sample} />
      <SampleFacts sample={sample} />
    </Stack>
  );
}

function AnswerCard({
  judge,
  sample,
  answer,
}: {
  judge: JudgeData;
  sample: Sample;
  answer: Sample["answers"][number];
}) {
  const canEdit = useCanEdit();
  const set = useAction(ReclassifyMutation);
  const instruction = instructionFor(sample.instructions ?? judge.instructions, answer.key);
  const probabilities = (answer.probabilities ?? {}) as Record<string, number>;
  const values = judge.questions.find((question) => question.key === answer.key)?.values ?? Object.keys(probabilities);
  const right = answer.groundTruth != null && answer.groundTruth === answer.value;
  const choose = (value: string) =>
    set.mutate(
      { input: { sampleId: sample.id, key: answer.key, value } },
      {
        onSuccess: ({ reclassifySample: { changeId } }) =>
          changeId && tellWithUndo(dataset.labelledDone(1), () => undoChange(changeId)),
        onError: tellFailure,
      },
    );
  // Shown at once; the server's word follows.
  const truth = set.isPending ? set.variables.input.value : answer.groundTruth;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3}>{answer.key}</Title>
        {answer.groundTruth == null ? (
          <Badge color="gray">{t.unlabelled}</Badge>
        ) : (
          <Badge color={right ? "pine" : "red"}>{right ? t.right : t.wrong}</Badge>
        )}
      </Group>
      {values.map(
        (value) =>
          probabilities[value] !== undefined && (
            <Meter
              key={value}
              label={valueLabel(instruction, value)}
              value={probabilities[value] ?? 0}
              strong={value === answer.value}
              color={value === answer.value ? undefined : "var(--mantine-color-gray-5)"}
            />
          ),
      )}
      {canEdit && answer.type !== "TEXT" && (
        <div>
          <Text size="xs" c="dimmed" mb={4}>
            {t.choose}
          </Text>
          <Group gap={6}>
            {values.map((value) => (
              <Button
                key={value}
                size="compact-sm"
                variant={truth === value ? "filled" : "default"}
                aria-pressed={truth === value}
                onClick={() => choose(value)}
              >
                {valueLabel(instruction, value)}
              </Button>
            ))}
          </Group>
        </div>
      )}
    </Stack>
  );
}

function History({ judge, sample }: { judge: JudgeData; sample: Sample }) {
  const label = (key: string, value: string | null | undefined) =>
    value == null ? t.nothing : valueLabel(instructionFor(sample.instructions ?? judge.instructions, key), value);
  return (
    <Stack gap={6}>
      <Title order={3}>{t.history}</Title>
      {sample.history.nodes.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.noHistory}
        </Text>
      )}
      {sample.history.nodes.map((change) => (
        <Group key={change.changeId + change.key} justify="space-between" wrap="nowrap">
          <Text size="sm" className="clip">
            {t.change(change.key, label(change.key, change.previous), label(change.key, change.value))}
          </Text>
          <Text size="sm" c="dimmed">
            <Time at={change.createdAt} />
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

function SampleFacts({ sample }: { sample: Sample }) {
  const facts: [string, React.ReactNode][] = [
    [t.facts.source, words(sample.source)],
    [t.facts.version, sample.judgeVersion],
    [t.facts.model, sample.model ?? "–"],
    [t.facts.latency, sample.latencyMs == null ? "–" : `${sample.latencyMs.toFixed(1)} ms`],
    [t.facts.credits, credits(sample.credits)],
    [t.facts.recorded, <Time key="at" at={sample.createdAt} />],
    [
      t.facts.id,
      <span key="id" className="mono">
        {sample.id}
      </span>,
    ],
  ];
  return <Facts facts={facts} />;
}
