// What happened in the moderation log: by day, hour, harm, channel and author, and how often verdicts were wrong.
import { Group, Select, Stack } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { pagedQuery } from "@/api/graphql";
import { actionColor } from "@/logic/colors";
import { ChartCard } from "@/components/charts/Chart";
import { StackedBars } from "@/components/charts/StackedBars";
import { EmptyState } from "@/components/EmptyState";
import { Figures } from "@/components/Figures";
import { ErrorCard } from "@/components/PageError";
import { PageSkeleton } from "@/components/PageSkeleton";
import { graphql } from "@/gql";
import type { ModerationInsightsQuery as Result } from "@/gql/graphql";
import { count, percentOrDash, shareWithInterval } from "@/logic/format";
import { choice, optional } from "@/logic/search";
import { lastDays } from "@/logic/series";
import { insights as t } from "@/texts/moderation";
import { HeatMap } from "./HeatMap";
import { Rankings } from "./Rankings";

const InsightsQuery = graphql(`
  query ModerationInsights($days: Int!) {
    account {
      moderationInsights(days: $days) {
        messages
        daily {
          date
          messages
          none
          warn
          timeout
          ban
        }
        harms {
          category
          messages
        }
        channels {
          name
          value
          messages
          actedUpon
        }
        authors {
          name
          value
          messages
          actedUpon
        }
        languages {
          name
          value
          messages
          actedUpon
        }
        policies {
          name
          value
          messages
          actedUpon
        }
        hours {
          weekday
          hour
          messages
          actedUpon
        }
        falseAlarms {
          count
          of
          rate
          low
          high
        }
        misses {
          count
          of
          rate
          low
          high
        }
        domains {
          term
          messages
        }
        phrases {
          term
          messages
        }
      }
    }
  }
`);

export type InsightsData = NonNullable<Result["account"]["moderationInsights"]>;
const route = getRouteApi("/app/moderation/insights");
const PERIODS = [7, 30, 90];
const NAMES = t.daily.actions;
const COLORS = Object.fromEntries(
  (["none", "warn", "timeout", "ban"] as const).map((action) => [
    NAMES[action],
    `var(--mantine-color-${actionColor(action) ?? "gray"}-${action === "none" ? 4 : 6})`,
  ]),
);

export function Insights() {
  const { days = 30 } = route.useSearch();
  const navigate = route.useNavigate();
  const result = useQuery(pagedQuery(InsightsQuery, { days }));
  if (result.error && !result.data) return <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data) return <PageSkeleton rows={6} />;
  const data = result.data.account.moderationInsights;
  if (!data) return <EmptyState icon={IconChartBar} title={t.empty.title} text={t.empty.text} />;
  return (
    <Stack gap="md" style={{ opacity: result.isPlaceholderData ? 0.6 : 1 }}>
      <Group justify="flex-end">
        <Select
          size="xs"
          w={120}
          aria-label={t.period}
          data={PERIODS.map((period) => ({ value: String(period), label: t.days(period) }))}
          value={String(days)}
          allowDeselect={false}
          onChange={(value) => void navigate({ search: optional({ days: choice(Number(value), [7, 90]) }) })}
        />
      </Group>
      {data.messages === 0 ? (
        <EmptyState icon={IconChartBar} title={t.empty.title} text={t.empty.period} />
      ) : (
        <Charts data={data} days={days} today={new Date(result.dataUpdatedAt)} />
      )}
    </Stack>
  );
}

function Charts({ data, days, today }: { data: InsightsData; days: number; today: Date }) {
  const acted = data.daily.reduce((sum, day) => sum + day.warn + day.timeout + day.ban, 0);
  const byDate = new Map(data.daily.map((day) => [day.date, day]));
  const rows = lastDays(days, today).map((day) => {
    const { none = 0, warn = 0, timeout = 0, ban = 0 } = byDate.get(day) ?? {};
    return { day, [NAMES.none]: none, [NAMES.warn]: warn, [NAMES.timeout]: timeout, [NAMES.ban]: ban };
  });
  return (
    <>
      <Figures
        large
        figures={[
          { label: t.figures.messages, value: count(data.messages) },
          { label: t.figures.actedUpon, value: percentOrDash(acted / data.messages) },
          { label: t.figures.falseAlarms, ...rate(data.falseAlarms, t.figures.falseAlarmsHint) },
          { label: t.figures.misses, ...rate(data.misses, t.figures.missesHint) },
        ]}
      />
      <ChartCard title={t.daily.title} note={t.daily.note} summary={t.daily.summary(count(data.messages), days)}>
        <StackedBars rows={rows} names={Object.values(NAMES)} colorOf={(name) => COLORS[name]} />
      </ChartCard>
      <HeatMap hours={data.hours} />
      <div className="rankings">
        <Rankings data={data} days={days} />
      </div>
    </>
  );
}

/** How often moderators disagreed, with its interval and what it rests on. */
function rate(errors: InsightsData["falseAlarms"], hint: string) {
  if (!errors) return { value: "–", note: t.figures.undecided, hint };
  return {
    value: shareWithInterval(errors.rate, errors),
    note: t.figures.of(count(errors.count), count(errors.of)),
    hint,
  };
}
