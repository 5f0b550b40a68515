// The versions of a policy, each of which can be the start of the next.
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { VersionList } from "@/components/VersionList";
import { graphql } from "@/gql";
import type { Rules } from "@/logic/policyRules";
import { policies as t } from "@/texts/policies";
import { VersionDiff } from "./VersionDiff";

const VersionsQuery = graphql(`
  query PolicyVersions($id: ID!) {
    moderationPolicy(id: $id) {
      versions(first: 20) {
        nodes {
          version
          createdAt
          createdBy {
            id
            name
          }
          rules
        }
      }
    }
  }
`);

export function PolicyVersions({
  policyId,
  current,
  onEdit,
}: {
  policyId: string;
  current: number;
  onEdit?: (rules: Rules) => void;
}) {
  const result = useQuery(query(VersionsQuery, { id: policyId }));
  const versions = result.data?.moderationPolicy?.versions.nodes.map(({ version, createdAt, createdBy, rules }) => ({
    version,
    createdAt,
    note: t.edit.by(createdBy.name ?? createdBy.id),
    content: rules as Rules,
  }));
  return (
    <>
      <VersionList query={result} versions={versions} current={current} onEdit={onEdit} />
      {versions && versions.length > 1 && <VersionDiff versions={versions} />}
    </>
  );
}
