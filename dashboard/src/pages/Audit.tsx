// The account's audit log.
import { Badge, Group, Select, Table } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { pagedQuery } from "@/api/graphql";
import { useViewer } from "@/api/session";
import { EmptyState } from "@/components/EmptyState";
import { List, pageArguments } from "@/components/List";
import { Page } from "@/components/Page";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { AuditAction, AuditQuery as Result } from "@/gql/graphql";
import { optional } from "@/logic/search";
import { audit as t, people } from "@/texts/account";

const AuditQuery = graphql(`
  query Audit($first: Int, $after: String, $last: Int, $before: String, $action: AuditAction) {
    account {
      auditLog(first: $first, after: $after, last: $last, before: $before, action: $action) {
        totalCount
        nodes {
          id
          action
          actor {
            id
            name
          }
          target
          detail
          createdAt
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

type Entry = Result["account"]["auditLog"]["nodes"][number];
const route = getRouteApi("/app/audit");

const ACTIONS = Object.entries(t.actions).map(([value, label]) => ({ value: value as AuditAction, label }));

export function Audit() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { user } = useViewer();
  const action = ACTIONS.find(({ value }) => value === search.action)?.value;
  const result = useQuery(pagedQuery(AuditQuery, { ...pageArguments(search, 25), action }));
  const name = (actor: Entry["actor"]) => {
    if (actor.id === user?.id) return people.you;
    return actor.id === "operator" ? t.operator : (actor.name ?? actor.id);
  };
  return (
    <Page title={t.title} text={t.text}>
      <Group mb="sm">
        <Select
          aria-label={t.filter}
          placeholder={t.filter}
          data={ACTIONS}
          value={action ?? null}
          onChange={(next) => void navigate({ search: optional({ action: next ?? undefined }) })}
          searchable
          clearable
          w={{ base: "100%", xs: 280 }}
        />
      </Group>
      <List<Entry>
        label={t.title}
        query={result}
        rows={result.data?.account.auditLog}
        columns={[t.columns.action, t.columns.actor, t.columns.target, t.columns.detail, t.columns.when]}
        row={(entry) => (
          <Table.Tr key={entry.id}>
            <Table.Td>
              <Badge color="gray">{t.actions[entry.action]}</Badge>
            </Table.Td>
            <Table.Td maw={180} className="clip" title={entry.actor.id}>
              {name(entry.actor)}
            </Table.Td>
            <Table.Td className="room">
              <div className="mono clip" title={entry.target ?? undefined}>
                {entry.target ?? "–"}
              </div>
            </Table.Td>
            <Table.Td className="room">
              <div className="mono clip" title={JSON.stringify(entry.detail)}>
                {detailOf(entry.detail)}
              </div>
            </Table.Td>
            <Table.Td>
              <Time at={entry.createdAt} />
            </Table.Td>
          </Table.Tr>
        )}
        onPage={(page) => void navigate({ search: optional({ action, ...page }) })}
        minWidth={820}
        empty={<EmptyState icon={IconHistory} {...(action ? t.nothing : t.empty)} />}
      />
    </Page>
  );
}

/** The members of a detail in one line. */
function detailOf(detail: unknown): string {
  if (typeof detail !== "object" || detail === null) return "";
  return Object.entries(detail)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
