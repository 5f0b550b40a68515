// What was spent and on what, what can be spent, and what happened last.
import { Alert, Card, SegmentedControl, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { useViewer } from "@/api/session";
import { ChartCard } from "@/components/charts/Chart";
import { StackedBars } from "@/components/charts/StackedBars";
import { CodeBlock } from "@/components/Code";
import { EmptyState } from "@/components/EmptyState";
import { Figures } from "@/components/Figures";
import { AnchorLink } from "@/components/links";
import { Page } from "@/components/Page";
import { ErrorCard } from "@/components/PageError";
import { PageSkeleton } from "@/components/PageSkeleton";
import { graphql } from "@/gql";
import type { OverviewQuery as Result, UsageGroup } from "@/gql/graphql";
import { endpointColor } from "@/logic/colors";
import { endpointName } from "@/logic/endpoints";
import { count, credits } from "@/logic/format";
import { optional } from "@/logic/search";
import { type UsageFigure, type UsageRow, busiest, daily, lastDays } from "@/logic/series";
import { overview as t } from "@/texts/overview";
import { JudgeCard, LatestCharges } from "./Latest";
import { Tour } from "./Tour";

const OverviewQuery = graphql(`
  query Overview($from: DateTime!, $groupBy: [UsageGroup!]!) {
    account {
      usage(from: $from, bucket: DAY, groupBy: $groupBy) {
        start
        endpoint
        judge {
          id
          name
        }
        payer {
          id
          name
        }
        requests
        items
        credits
      }
      charges: ledger(first: 8, kind: CHARGE) {
        totalCount
        nodes {
          seq
          endpoint
          items
          amount
          createdAt
        }
      }
      judges(first: 5) {
        nodes {
          id
          name
          stats {
            count
            labelled
          }
        }
      }
    }
  }
`);

const route = getRouteApi("/app/");

export function Overview() {
  const { days = 30, by } = route.useSearch();
  const group = by ?? "ENDPOINT";
  const navigate = route.useNavigate();
  const { account } = useViewer();
  const [today] = useState(() => new Date());
  const range = useMemo(() => lastDays(days, today), [days, today]);
  const result = useQuery(pagedQuery(OverviewQuery, { from: `${range[0]}T00:00:00Z`, groupBy: [group] }));
  const usage = result.data?.account.usage.map((row) => ({ ...row, name: nameOf(row, group) })) ?? [];
  const endpoints = new Map(usage.map((row) => [row.name, row.endpoint]));
  const colorOf = (name: string) => (group === "ENDPOINT" ? endpointColor(endpoints.get(name) ?? "") : undefined);
  const pickGroup = (
    <Select
      aria-label={t.by}
      size="xs"
      w={158}
      value={group}
      allowDeselect={false}
      onChange={(value) =>
        void navigate({
          search: optional({
            days: days === 30 ? undefined : days,
            by: value === "ENDPOINT" ? undefined : (value as "JUDGE"),
          }),
        })
      }
      data={Object.entries(t.groups).map(([value, label]) => ({ value, label }))}
    />
  );
  const picker = (
    <SegmentedControl
      aria-label={t.range}
      size="xs"
      value={String(days)}
      onChange={(value) =>
        void navigate({ search: optional({ by, days: value === "30" ? undefined : (Number(value) as 7 | 90) }) })
      }
      data={[7, 30, 90].map((one) => ({ value: String(one), label: t.days(one) }))}
    />
  );
  return (
    <Page
      title={t.title}
      actions={
        <>
          {pickGroup}
          {picker}
        </>
      }
    >
      {result.error && !result.data && <ErrorCard error={result.error} onRetry={() => void result.refetch()} />}
      {result.isPending && <PageSkeleton />}
      {result.data && (
        <Stack gap="md">
          <Tour charges={result.data.account.charges.totalCount} judges={result.data.account.judges.nodes} />
          {account.available <= 0 && (
            <Alert color="yellow" title={t.lowTitle}>
              <Text size="sm" mb="xs">
                {t.low}
              </Text>
              <CodeBlock text={`gavel credits grant --account ${account.id} --amount 1000`} label={t.low} wrap />
            </Alert>
          )}
          <Spending days={days} usage={usage} />
          <Charts usage={usage} range={range} colorOf={colorOf} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <LatestCharges charges={result.data.account.charges.nodes} />
            <JudgeCard judges={result.data.account.judges.nodes} />
          </SimpleGrid>
        </Stack>
      )}
    </Page>
  );
}

type Row = Result["account"]["usage"][number];

function nameOf(row: Row, group: UsageGroup): string {
  if (group === "JUDGE") return row.judge?.name ?? t.noJudge;
  if (group === "PAYER") return row.payer ? (row.payer.name ?? row.payer.id) : t.background;
  return endpointName(row.endpoint ?? "");
}

interface UsageProps {
  usage: UsageRow[];
}

function Spending({ days, usage }: UsageProps & { days: number }) {
  const { account } = useViewer();
  const sum = (figure: UsageFigure) => usage.reduce((total, row) => total + row[figure], 0);
  return (
    <Figures
      large
      figures={[
        { label: t.available, value: credits(account.available) },
        { label: t.held, value: credits(account.held), hint: t.heldHint },
        { label: t.spent(days), value: credits(sum("credits")) },
        { label: t.items(days), value: count(sum("items")), hint: t.itemsHint },
        { label: t.requests(days), value: count(sum("requests")), hint: t.requestsHint },
      ]}
    />
  );
}

interface ChartsProps extends UsageProps {
  range: string[];
  colorOf: (name: string) => string | undefined;
}

function Charts({ usage, range, colorOf }: ChartsProps) {
  if (usage.length === 0) {
    return (
      <Card>
        <EmptyState icon={IconChartBar} title={t.itemChart} text={t.noUsage}>
          <AnchorLink to="/playground" size="sm" underline="always">
            {t.tour.steps[0]?.action}
          </AnchorLink>
        </EmptyState>
      </Card>
    );
  }
  const names = busiest(usage);
  const total = (name: string, figure: UsageFigure) =>
    usage.filter((row) => row.name === name).reduce((sum, row) => sum + row[figure], 0);
  const summary = (title: string, figure: UsageFigure) =>
    `${title}. ${names.map((name) => `${name}: ${credits(total(name, figure))}`).join(", ")}.`;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <ChartCard title={t.spendChart} note={t.utc} summary={summary(t.spendChart, "credits")}>
        <StackedBars rows={daily(usage, range, "credits")} names={names} colorOf={colorOf} />
      </ChartCard>
      <ChartCard title={t.itemChart} note={t.utc} summary={summary(t.itemChart, "items")}>
        <StackedBars rows={daily(usage, range, "items")} names={names} colorOf={colorOf} />
      </ChartCard>
    </SimpleGrid>
  );
}
