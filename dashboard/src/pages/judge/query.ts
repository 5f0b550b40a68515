// The Judge that the pages below its path share.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { query } from "@/api/graphql";
import { graphql } from "@/gql";
import type { JudgeQuery as Result } from "@/gql/graphql";

const JudgeQuery = graphql(`
  query Judge($id: ID!) {
    judge(id: $id) {
      id
      name
      description
      endpoint
      version
      archived
      moderationLog
      storeContent
      instructions
      parameters
      stateSchema
      questions {
        key
        text
        type
        values
      }
      activeCheckpoint {
        id
      }
      stats {
        count
        labelled
      }
    }
  }
`);

export type JudgeData = NonNullable<Result["judge"]>;

export function useJudgeId(): string {
  return useParams({ from: "/app/judges/$judgeId" }).judgeId;
}

export const judgeQuery = (id: string) => query(JudgeQuery, { id });

export function useJudgeQuery() {
  return useSuspenseQuery(judgeQuery(useJudgeId()));
}

/** The Judge, on pages that its frame shows only when there is one. */
export function useJudge(): JudgeData {
  const { judge } = useJudgeQuery().data;
  if (!judge) throw new Error("no such Judge");
  return judge;
}
