// All moderation policies of the account.
import { Badge, Group, Table } from "@mantine/core";
import { IconPlus, IconShieldHalf } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { pagedQuery } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { EmptyState } from "@/components/EmptyState";
import { ButtonLink } from "@/components/links";
import { NamedList, namedListArguments } from "@/components/NamedList";
import { Page } from "@/components/Page";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { PoliciesQuery as Result } from "@/gql/graphql";
import { policies as t } from "@/texts/policies";

const PoliciesQuery = graphql(`
  query Policies($first: Int, $after: String, $last: Int, $before: String, $name: String, $includeArchived: Boolean!) {
    account {
      moderationPolicies(
        first: $first
        after: $after
        last: $last
        before: $before
        name: $name
        includeArchived: $includeArchived
      ) {
        totalCount
        nodes {
          id
          name
          description
          version
          archived
          updatedAt
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

type Row = Result["account"]["moderationPolicies"]["nodes"][number];
const route = getRouteApi("/app/policies");

export function Policies() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canEdit = useCanEdit();
  const result = useQuery(pagedQuery(PoliciesQuery, namedListArguments(search)));
  const create = canEdit && (
    <ButtonLink to="/policies/new" leftSection={<IconPlus size={16} />}>
      {t.create}
    </ButtonLink>
  );
  const empty = (
    <EmptyState icon={IconShieldHalf} title={t.empty.title} text={t.empty.text}>
      {create}
    </EmptyState>
  );
  return (
    <Page title={t.title} text={t.text} actions={create}>
      <NamedList<Row>
        search={search}
        onSearch={(next, options) => void navigate({ search: next, ...options })}
        texts={t}
        label={t.title}
        query={result}
        rows={result.data?.account.moderationPolicies}
        columns={[t.columns.name, t.columns.description, t.columns.version, t.columns.changed]}
        row={(policy) => (
          <Table.Tr key={policy.id}>
            <Table.Td maw={260}>
              <Group gap="xs" wrap="nowrap">
                <Link to="/policies/$policyId" params={{ policyId: policy.id }} className="row-link clip">
                  {policy.name}
                </Link>
                {policy.archived && <Badge color="gray">{t.archivedBadge}</Badge>}
              </Group>
            </Table.Td>
            <Table.Td maw={360} className="clip" c="dimmed">
              {policy.description || "–"}
            </Table.Td>
            <Table.Td className="numeric">{policy.version}</Table.Td>
            <Table.Td>
              <Time at={policy.updatedAt} />
            </Table.Td>
          </Table.Tr>
        )}
        empty={empty}
      />
    </Page>
  );
}
