// The versions of a Judge.
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { VersionList } from "@/components/VersionList";
import { graphql } from "@/gql";

const VersionsQuery = graphql(`
  query JudgeVersions($id: ID!) {
    judge(id: $id) {
      id
      versions {
        version
        createdAt
        instructions
        stateSchema
        questions {
          key
        }
      }
    }
  }
`);

/** What a version of a Judge answers with. */
export interface JudgeVersion {
  instructions: unknown;
  stateSchema: unknown;
}

export function Versions({
  judgeId,
  current,
  onEdit,
}: {
  judgeId: string;
  current: number;
  onEdit?: (version: JudgeVersion) => void;
}) {
  const result = useQuery(query(VersionsQuery, { id: judgeId }));
  const versions = result.data?.judge?.versions
    .toSorted((a, b) => b.version - a.version)
    .map(({ version, createdAt, instructions, stateSchema, questions }) => ({
      version,
      createdAt,
      note: questions.map((question) => question.key).join(", "),
      content: { instructions, stateSchema },
    }));
  return <VersionList query={result} versions={versions} current={current} onEdit={onEdit} />;
}
