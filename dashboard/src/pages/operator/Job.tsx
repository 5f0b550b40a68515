// What the list of jobs and the drawer of one show.
import { AnchorLink } from "@/components/links";
import { graphql } from "@/gql";
import type { OperatorJobsQuery as Result } from "@/gql/graphql";
import { words } from "@/logic/format";
import { jobs as t } from "@/texts/operator";

export const JobsQuery = graphql(`
  query OperatorJobs($first: Int, $after: String, $last: Int, $before: String, $state: JobState, $subject: ID) {
    operator {
      jobs(first: $first, after: $after, last: $last, before: $before, state: $state, subject: $subject) {
        totalCount
        nodes {
          id
          kind
          subject
          accountId
          state
          attempts
          maxAttempts
          cancelRequested
          error
          createdAt
          startedAt
          finishedAt
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
    }
  }
`);

export type Job = Result["operator"]["jobs"]["nodes"][number];

/** What a job does, in words. */
export const jobName = ({ kind }: Job) => t.kinds[kind] ?? words(kind);

/** A job's state, in words. */
export function stateName({ state, cancelRequested }: Job): string {
  return cancelRequested && (state === "QUEUED" || state === "RUNNING") ? t.cancelling : t.states[state];
}

/** The account that a job works for, where it can be changed. */
export function Account({ id }: { id: string | null | undefined }) {
  if (!id) return <span className="quiet">{t.none}</span>;
  return (
    <AnchorLink to="/operator/accounts" search={{ query: id }} className="mono clip" display="block" title={id}>
      {id}
    </AnchorLink>
  );
}
