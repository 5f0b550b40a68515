// All Judges, with how far each one is.
import { Badge, Group, Table, Text } from "@mantine/core";
import { IconGavel, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { pagedQuery } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { EmptyState } from "@/components/EmptyState";
import { Help } from "@/components/Help";
import { ButtonLink } from "@/components/links";
import { NamedList, namedListArguments } from "@/components/NamedList";
import { Page } from "@/components/Page";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { JudgesQuery as Result } from "@/gql/graphql";
import { count } from "@/logic/format";
import { judges as t } from "@/texts/judges";
import { TemplateCards } from "./TemplateCards";

const JudgesQuery = graphql(`
  query Judges($first: Int, $after: String, $last: Int, $before: String, $name: String, $includeArchived: Boolean!) {
    account {
      judges(
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
          version
          archived
          updatedAt
          questions {
            key
            type
          }
          activeCheckpoint {
            id
          }
          stats {
            count
            labelled
          }
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

type Row = Result["account"]["judges"]["nodes"][number];
const route = getRouteApi("/app/judges");

export function Judges() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canEdit = useCanEdit();
  const result = useQuery(pagedQuery(JudgesQuery, namedListArguments(search)));
  const create = canEdit && (
    <ButtonLink to="/judges/new" leftSection={<IconPlus size={16} />}>
      {t.create}
    </ButtonLink>
  );
  const empty = (
    <>
      <EmptyState icon={IconGavel} title={t.empty.title} text={t.empty.text}>
        {create}
      </EmptyState>
      {canEdit && <TemplateCards />}
    </>
  );
  return (
    <Page
      title={t.title}
      text={
        <>
          {t.text} <Help term="judge" />
        </>
      }
      actions={create}
    >
      <NamedList<Row>
        search={search}
        onSearch={(next, options) => void navigate({ search: next, ...options })}
        texts={t}
        label={t.title}
        query={result}
        rows={result.data?.account.judges}
        columns={[
          t.columns.name,
          t.columns.questions,
          t.columns.samples,
          t.columns.labelled,
          t.columns.version,
          t.columns.checkpoint,
          t.columns.changed,
        ]}
        row={(judge) => (
          <Table.Tr key={judge.id}>
            <Table.Td className="room">
              <Group gap="xs" wrap="nowrap">
                <Link to="/judges/$judgeId" params={{ judgeId: judge.id }} className="row-link clip">
                  {judge.name}
                </Link>
                {judge.archived && <Badge color="gray">{t.archivedBadge}</Badge>}
              </Group>
            </Table.Td>
            <Table.Td className="room">
              <Text size="sm" c="dimmed" className="clip">
                {judge.questions.map((question) => question.key).join(", ")}
              </Text>
            </Table.Td>
            <Table.Td className="numeric">{count(judge.stats.count)}</Table.Td>
            <Table.Td className="numeric">{count(judge.stats.labelled)}</Table.Td>
            <Table.Td className="numeric">{judge.version}</Table.Td>
            <Table.Td>
              {judge.activeCheckpoint ? <Badge>{t.activeBadge}</Badge> : <span className="quiet">{t.none}</span>}
            </Table.Td>
            <Table.Td>
              <Time at={judge.updatedAt} />
            </Table.Td>
          </Table.Tr>
        )}
        minWidth={780}
        empty={empty}
      />
    </Page>
  );
}
