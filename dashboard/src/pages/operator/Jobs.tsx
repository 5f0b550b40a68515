// Background work of all accounts.
import { Group, Select, Table } from "@mantine/core";
import { IconFilterOff, IconSubtask } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { pagedQuery } from "@/api/graphql";
import { EmptyState } from "@/components/EmptyState";
import { List, pageArguments } from "@/components/List";
import { Page } from "@/components/Page";
import { SearchField } from "@/components/SearchField";
import { StateBadge } from "@/components/StateBadge";
import { Time } from "@/components/Time";
import type { JobState } from "@/gql/graphql";
import { LIVE } from "@/logic/live";
import type { PageCursor } from "@/logic/pages";
import { optional } from "@/logic/search";
import { jobs as t } from "@/texts/operator";
import { Account, type Job, jobName, JobsQuery, stateName } from "./Job";
import { JobDrawer } from "./JobDrawer";

const route = getRouteApi("/app/operator/jobs");

const COLUMNS = [
  t.columns.kind,
  t.columns.subject,
  t.columns.account,
  t.columns.state,
  t.columns.attempts,
  t.columns.created,
];

export function Jobs() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { state, subject, shown } = search;
  const result = useQuery({
    ...pagedQuery(JobsQuery, { ...pageArguments(search, 25), state, subject }),
    refetchInterval: LIVE,
  });
  const rows = result.data?.operator.jobs;
  const filter = (change: Omit<typeof search, keyof PageCursor | "shown">) =>
    void navigate({ search: optional({ state, subject, ...change }) });
  return (
    <Page title={t.title} text={t.text}>
      <Group mb="sm" gap="xs" align="flex-end">
        <Select
          size="xs"
          w={140}
          label={t.state}
          data={[
            { value: "any", label: t.any },
            ...Object.entries(t.states).map(([value, label]) => ({ value, label })),
          ]}
          value={state ?? "any"}
          allowDeselect={false}
          onChange={(value) => filter({ state: value === "any" ? undefined : (value as JobState) })}
        />
        <SearchField
          size="xs"
          w={{ base: "100%", xs: 260 }}
          label={t.subject}
          placeholder={t.subjectHint}
          value={subject}
          onSearch={(value) => filter({ subject: value?.trim() || undefined })}
        />
      </Group>
      <List<Job>
        label={t.title}
        query={result}
        rows={rows}
        columns={COLUMNS}
        minWidth={900}
        row={(job) => (
          <Table.Tr key={job.id}>
            <Table.Td>
              <Link
                to="/operator/jobs"
                search={{ ...search, shown: job.id }}
                className="row-link"
                resetScroll={false}
                title={job.id}
              >
                {jobName(job)}
              </Link>
            </Table.Td>
            <Table.Td className="room">
              <div className="mono clip" title={job.subject}>
                {job.subject}
              </div>
            </Table.Td>
            <Table.Td className="room">
              <Account id={job.accountId} />
            </Table.Td>
            <Table.Td>
              <StateBadge state={job.state} label={stateName(job)} />
            </Table.Td>
            <Table.Td className="numeric">{t.attempts(job.attempts, job.maxAttempts)}</Table.Td>
            <Table.Td>
              <Time at={job.createdAt} />
            </Table.Td>
          </Table.Tr>
        )}
        onPage={(page) => void navigate({ search: optional({ state, subject, ...page }) })}
        empty={
          state || subject ? (
            <EmptyState icon={IconFilterOff} {...t.nothing} />
          ) : (
            <EmptyState icon={IconSubtask} {...t.empty} />
          )
        }
      />
      <JobDrawer
        shown={shown}
        job={rows?.nodes.find(({ id }) => id === shown)}
        onClose={() => void navigate({ search: optional({ ...search, shown: undefined }), resetScroll: false })}
      />
    </Page>
  );
}
