// A list of requests that were refused or failed, of an account or of all.
import { Badge, Table } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";
import { List } from "@/components/List";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import type { FailedRequestFieldsFragment } from "@/gql/graphql";
import { latency, statusColor } from "@/logic/requests";
import { requests } from "@/texts/requests";

const t = requests.failed;
export type FailedRequest = FailedRequestFieldsFragment;

/** What the list and the drawer show. */
export const FailedRequestFields = graphql(`
  fragment FailedRequestFields on FailedRequest {
    requestId
    createdAt
    method
    path
    status
    code
    message
    latencyMs
    accountId
    actor {
      id
      name
    }
  }
`);

type Props = Omit<ComponentProps<typeof List<FailedRequest>>, "columns" | "row" | "minWidth"> & {
  /** A link that shows everything of a request. */
  link: (request: FailedRequest, text: string) => ReactNode;
};

const COLUMNS = [
  t.columns.request,
  t.columns.status,
  t.columns.code,
  t.columns.message,
  t.columns.by,
  { name: t.columns.latency, right: true },
  t.columns.when,
];

export function FailedList({ link, ...list }: Props) {
  return (
    <List<FailedRequest>
      {...list}
      columns={COLUMNS}
      minWidth={960}
      row={(request) => (
        <Table.Tr key={request.requestId}>
          <Table.Td className="room">
            <div className="clip" title={request.path}>
              {link(request, `${request.method} ${request.path}`)}
            </div>
          </Table.Td>
          <Table.Td>
            <StatusBadge status={request.status} />
          </Table.Td>
          <Table.Td className="mono">{request.code || "–"}</Table.Td>
          <Table.Td className="room">
            <div className="clip" title={request.message}>
              {request.message}
            </div>
          </Table.Td>
          <Table.Td maw={160}>
            <div className="clip" title={request.actor?.id}>
              {actorName(request)}
            </div>
          </Table.Td>
          <Table.Td className="numeric" ta="right">
            {latency(request.latencyMs)}
          </Table.Td>
          <Table.Td>
            <Time at={request.createdAt} />
          </Table.Td>
        </Table.Tr>
      )}
    />
  );
}

export function StatusBadge({ status }: { status: number }) {
  return <Badge color={statusColor(status)}>{status}</Badge>;
}

/** Who sent a request, as far as it is known. */
export function actorName({ actor }: FailedRequest): string {
  return actor ? (actor.name ?? actor.id) : requests.unknownActor;
}
