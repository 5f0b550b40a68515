// What was spent and on what, what can be spent, and what happened last.
import { Alert, Anchor, Card, SegmentedControl, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { useViewer } from "@/api/session";
import { ChartCard, StackedBars } from "@/components/charts/Chart";
import { CodeBlock } from "@/components/Code";
import { EmptyState } from "@/components/EmptyState";
import { Page } from "@/components/Page";
import { ErrorCard } from "@/components/PageError";
import { PageSkeleton } from "@/components/PageSkeleton";
import { graphql } from "@/gql";
import { endpointName } from "@/logic/endpoints";
import { count, credits } from "@/logic/format";
import { busiest, daily, lastDays } from "@/logic/series";
import { overview as t } from "@/texts/overview";
import { JudgeCard, LatestCharges } from "./Latest";
import { Tour } from "./Tour";

const OverviewQuery = graphql(`
  query Overview($from: DateTime!) {
    account {
      usage(from: $from, bucket: DAY) { start endpoint requests credits }
      charges: ledger(first: 8, kind: CHARGE) { totalCount nodes { seq endpoint amount reference createdAt } }
      judges(first: 5) { totalCount nodes { id name updatedAt stats { count labelled } } }
    }
  }
`);

const route = getRouteApi("/app/");

export function Overview() {
  const { days = 30 } = route.useSearch();
  const navigate = route.useNavigate();
  const { account } = useViewer();
  const [today] = useState(() => new Date());
  const range = useMemo(() => lastDays(days, today), [days, today]);
  const result = useQuery(pagedQuery(OverviewQuery, { from: `${range[0]}T00:00:00Z` }));
  const picker = (
    <SegmentedControl
      aria-label={t.range}
      size="xs"
      value={String(days)}
      onChange={(value) => void navigate({ search: value === "30" ? {} : { days: Number(value) as 7 | 90 } })}
      data={[7, 30, 90].map((one) => ({ value: String(one), label: t.days(one) }))}
    />
  );
  return (
    <Page title={t.title} actions={picker}>
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
          <Figures days={days} usage={result.data.account.usage} />
          <Charts usage={result.data.account.usage} range={range} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <LatestCharges charges={result.data.account.charges.nodes} />
            <JudgeCard judges={result.data.account.judges.nodes} />
          </SimpleGrid>
        </Stack>
      )}
    </Page>
  );
}

interface UsageProps {
  usage: { start: string; endpoint: string; requests: number; credits: number }[];
}

function Figures({ days, usage }: UsageProps & { days: number }) {
  const { account } = useViewer();
  const spent = usage.reduce((sum, row) => sum + row.credits, 0);
  const requests = usage.reduce((sum, row) => sum + row.requests, 0);
  const figures = [
    { label: t.available, value: credits(account.available) },
    { label: t.held, value: credits(account.held), hint: t.heldHint },
    { label: t.spent(days), value: credits(spent) },
    { label: t.requests(days), value: count(requests) },
  ];
  return (
    <Card p={0}>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing={0}>
        {figures.map((figure) => (
          <Stack key={figure.label} gap={2} p="md" title={figure.hint}>
            <Text size="xs" c="dimmed" fw={500}>
              {figure.label}
            </Text>
            <Text fw={600} fz={22} className="numeric" lh={1.25} style={{ letterSpacing: "-0.01em" }}>
              {figure.value}
            </Text>
          </Stack>
        ))}
      </SimpleGrid>
    </Card>
  );
}

function Charts({ usage, range }: UsageProps & { range: string[] }) {
  if (usage.length === 0) {
    return (
      <Card>
        <EmptyState icon={IconChartBar} title={t.requestChart} text={t.noUsage}>
          <Anchor component={Link} to="/playground" size="sm" underline="always">
            {t.tour.steps[0]?.action}
          </Anchor>
        </EmptyState>
      </Card>
    );
  }
  const names = busiest(usage, endpointName);
  const total = (name: string, figure: "credits" | "requests") =>
    usage.filter((row) => endpointName(row.endpoint) === name).reduce((sum, row) => sum + row[figure], 0);
  const summary = (title: string, figure: "credits" | "requests") =>
    `${title}. ${names.map((name) => `${name}: ${credits(total(name, figure))}`).join(", ")}.`;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <ChartCard title={t.spendChart} note={t.utc} summary={summary(t.spendChart, "credits")}>
        <StackedBars rows={daily(usage, range, "credits", endpointName)} names={names} unit="" />
      </ChartCard>
      <ChartCard title={t.requestChart} note={t.utc} summary={summary(t.requestChart, "requests")}>
        <StackedBars rows={daily(usage, range, "requests", endpointName)} names={names} unit="" />
      </ChartCard>
    </SimpleGrid>
  );
}

