// How good a Judge's answers are, as far as people have corrected them.
import { Card, Group, Select, SimpleGrid, Stack } from "@mantine/core";
import { IconChartDots, IconTag } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { pagedQuery } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { ChartCard } from "@/components/charts/Chart";
import { Reliability } from "@/components/charts/Reliability";
import { StackedBars } from "@/components/charts/StackedBars";
import { EmptyState } from "@/components/EmptyState";
import { Figures } from "@/components/Figures";
import { ButtonLink } from "@/components/links";
import { ErrorCard } from "@/components/PageError";
import { PageSkeleton } from "@/components/PageSkeleton";
import { graphql } from "@/gql";
import type { AnalyticsQuery as Result, SampleFilterInput } from "@/gql/graphql";
import { since } from "@/logic/datasetFilter";
import { actionChartColor } from "@/logic/colors";
import { count, credits, figure, percentOrDash, shareWithInterval } from "@/logic/format";
import { instructionFor, valueLabel } from "@/logic/instructions";
import { optional } from "@/logic/search";
import { useJudge } from "@/pages/judge/query";
import { analytics as t } from "@/texts/analytics";
import { dataset } from "@/texts/dataset";
import { Classes } from "./Classes";
import { Confusion } from "./Confusion";
import { Threshold } from "./Threshold";

const AnalyticsQuery = graphql(`
  query Analytics($id: ID!, $key: String!, $filter: SampleFilterInput) {
    judge(id: $id) {
      stats(filter: $filter) {
        count
        labelled
        credits
        latency {
          p50
          p95
        }
        key(key: $key) {
          key
          count
          answered
          abstained
          labelled
          answers {
            value
            count
          }
          days {
            day
            value
            count
          }
          agreement {
            count
            accuracy
            accuracyInterval {
              low
              high
            }
            macroF1
            kappa
            confusion {
              truth
              answered
              count
            }
            classes {
              value
              support
              answered
              precision
              recall
              f1
            }
          }
          calibration {
            count
            ece
            brier
            bins {
              from
              to
              count
              confidence
              accuracy
            }
          }
        }
      }
    }
  }
`);

export type KeyStats = NonNullable<NonNullable<Result["judge"]>["stats"]["key"]>;
const route = getRouteApi("/app/judges/$judgeId/analytics");

export function Analytics() {
  const judge = useJudge();
  const canEdit = useCanEdit();
  const search = route.useSearch();
  const key = search.key ?? judge.questions[0]?.key ?? "";
  const filter = { version: search.version, since: since(search.days) };
  const result = useQuery(pagedQuery(AnalyticsQuery, { id: judge.id, key, filter }));
  const label = (value: string | null | undefined) =>
    value == null ? t.abstained : valueLabel(instructionFor(judge.instructions, key), value);
  if (result.error && !result.data) return <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
  const stats = result.data?.judge?.stats;
  const keyStats = stats?.key;
  return (
    <Stack gap="md">
      <Filters current={key} />
      {!stats && <PageSkeleton />}
      {stats && stats.count === 0 && (
        <Card>
          <EmptyState icon={IconChartDots} title={t.empty.title} text={t.empty.text}>
            {canEdit && (
              <ButtonLink to="/judges/$judgeId" params={{ judgeId: judge.id }}>
                {dataset.tryIt}
              </ButtonLink>
            )}
          </EmptyState>
        </Card>
      )}
      {stats && stats.count > 0 && (
        <Figures
          figures={[
            { label: t.figures.samples, value: count(stats.count) },
            { label: t.figures.labelled, value: count(keyStats?.labelled ?? 0) },
            {
              label: t.figures.accuracy,
              value: shareWithInterval(keyStats?.agreement.accuracy, keyStats?.agreement.accuracyInterval),
              term: "accuracy",
            },
            { label: t.figures.macroF1, value: figure(keyStats?.agreement.macroF1), term: "macro-f1" },
            { label: t.figures.kappa, value: figure(keyStats?.agreement.kappa), term: "kappa" },
            { label: t.figures.ece, value: figure(keyStats?.calibration.ece), term: "calibration-error" },
            {
              label: t.figures.latency,
              value: stats.latency ? `${stats.latency.p50.toFixed(0)} / ${stats.latency.p95.toFixed(0)} ms` : "–",
            },
            { label: t.figures.credits, value: credits(stats.credits) },
          ]}
        />
      )}
      {keyStats && keyStats.count > 0 && <Charts stats={keyStats} filter={filter} label={label} />}
    </Stack>
  );
}

function Filters({ current }: { current: string }) {
  const judge = useJudge();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: typeof search) => void navigate({ search: optional({ ...search, ...change }), replace: true });
  return (
    <Group gap="xs" align="flex-end">
      <Select
        size="xs"
        w={180}
        label={t.filters.key}
        data={judge.questions.map((question) => question.key)}
        value={current}
        allowDeselect={false}
        onChange={(key) => set({ key: key === judge.questions[0]?.key ? undefined : (key ?? undefined) })}
      />
      <Select
        size="xs"
        w={140}
        label={t.filters.version}
        data={Array.from({ length: judge.version }, (_, index) => String(judge.version - index))}
        value={search.version ? String(search.version) : null}
        placeholder={t.filters.any}
        clearable
        onChange={(version) => set({ version: version ? Number(version) : undefined })}
      />
      <Select
        size="xs"
        w={120}
        label={t.filters.period}
        data={[
          { value: "0", label: t.filters.all },
          ...[7, 30, 90].map((days) => ({ value: String(days), label: t.filters.days(days) })),
        ]}
        value={String(search.days ?? 0)}
        allowDeselect={false}
        onChange={(days) => set({ days: Number(days) || undefined })}
      />
    </Group>
  );
}

interface ChartsProps {
  stats: KeyStats;
  filter: SampleFilterInput;
  label: (value: string | null | undefined) => string;
}

function Charts({ stats, filter, label }: ChartsProps) {
  const judge = useJudge();
  const canEdit = useCanEdit();
  const { version, days: period } = route.useSearch();
  const names = [...new Set(stats.answers.map((answer) => label(answer.value)))];
  const days = [...new Set(stats.days.map((day) => day.day))].sort();
  const rows = days.map((day) => ({
    day,
    ...Object.fromEntries(
      names.map((name) => [
        name,
        stats.days
          .filter((one) => one.day === day && label(one.value) === name)
          .reduce((sum, one) => sum + one.count, 0),
      ]),
    ),
  }));
  const actions = new Map(stats.answers.map(({ value }) => [label(value), value]));
  const colorOf = (name: string) =>
    judge.moderationLog && stats.key === "action" ? actionChartColor(actions.get(name) ?? "") : undefined;
  const counts = stats.answers.map((answer) => `${label(answer.value)}: ${answer.count}`);
  const summary = `${t.overTime}. ${counts.join(", ")}.`;
  return (
    <>
      {stats.agreement.count === 0 ? (
        <Card>
          {stats.labelled > 0 ? (
            <EmptyState icon={IconTag} title={t.unanswered.title} text={t.unanswered.text}>
              <ButtonLink to="/judges/$judgeId/evaluations" params={{ judgeId: judge.id }} variant="default">
                {t.unanswered.action}
              </ButtonLink>
            </EmptyState>
          ) : (
            <EmptyState icon={IconTag} title={t.unlabelled.title} text={t.unlabelled.text}>
              {canEdit && (
                <ButtonLink to="/judges/$judgeId/review" params={{ judgeId: judge.id }} search={{ key: stats.key }}>
                  {t.review}
                </ButtonLink>
              )}
            </EmptyState>
          )}
        </Card>
      ) : (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Confusion stats={stats} filters={optional({ version, days: period })} label={label} />
            <ChartCard
              title={t.reliability}
              note={t.reliabilityNote}
              summary={`${t.reliability}. ${stats.calibration.bins
                .filter((bin) => bin.count)
                .map((bin) => `${percentOrDash(bin.confidence)}: ${percentOrDash(bin.accuracy)} of ${bin.count}`)
                .join(", ")}.`}
            >
              <Reliability bins={stats.calibration.bins} />
            </ChartCard>
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Classes classes={stats.agreement.classes} label={label} />
            <Threshold
              judgeId={judge.id}
              questionKey={stats.key}
              filter={filter}
              values={stats.agreement.classes.map((one) => one.value)}
              label={label}
            />
          </SimpleGrid>
        </>
      )}
      {stats.answers.length > 0 && (
        <ChartCard title={t.overTime} summary={summary}>
          <StackedBars rows={rows} names={names} colorOf={colorOf} />
        </ChartCard>
      )}
    </>
  );
}
