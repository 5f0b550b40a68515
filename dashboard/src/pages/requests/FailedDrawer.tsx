// One failed request: everything that is kept of it, and what its code means.
import { Drawer, Group, Stack, Text, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { useViewer } from "@/api/session";
import { Facts } from "@/components/Facts";
import { IdText } from "@/components/IdText";
import { AnchorLink } from "@/components/links";
import { ErrorCard } from "@/components/PageError";
import { RowsSkeleton } from "@/components/PageSkeleton";
import { Rich } from "@/components/Rich";
import { Time } from "@/components/Time";
import { exactTime, sentence } from "@/logic/format";
import { explanationOf, latency } from "@/logic/requests";
import { requests } from "@/texts/requests";
import { actorName, type FailedRequest, StatusBadge } from "./FailedList";

const t = requests.details;

interface Props {
  /** The id of the request; nothing while the drawer is closed. */
  shown: string | undefined;
  /** The request, once it is known. */
  request: FailedRequest | undefined;
  query: Pick<UseQueryResult, "error" | "isFetching" | "refetch">;
  onClose: () => void;
}

export function FailedDrawer({ shown, request, query, onClose }: Props) {
  return (
    <Drawer opened={Boolean(shown)} onClose={onClose} position="right" size={520} title={t.title} padding="lg">
      {shown && <Content request={request} query={query} />}
    </Drawer>
  );
}

function Content({ request, query }: Pick<Props, "request" | "query">) {
  const { operator } = useViewer();
  if (!request && query.error) return <ErrorCard error={query.error} onRetry={() => void query.refetch()} />;
  if (!request && query.isFetching) return <RowsSkeleton rows={5} />;
  if (!request) return <Text size="sm">{requests.failed.unknown.title}</Text>;
  const explanation = explanationOf(request.code);
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Group gap="xs">
          <StatusBadge status={request.status} />
          {request.code && <span className="mono">{request.code}</span>}
        </Group>
        <Text className="mono" style={{ overflowWrap: "anywhere" }}>
          {request.method} {request.path}
        </Text>
        <Text style={{ overflowWrap: "anywhere" }}>{sentence(request.message)}</Text>
      </Stack>
      {explanation && (
        <Stack gap={4}>
          <Title order={3}>{t.meaning}</Title>
          <Text size="sm">
            <Rich text={explanation.when} />
          </Text>
          <Title order={3} mt="xs">
            {t.todo}
          </Title>
          <Text size="sm">
            <Rich text={explanation.todo} />
          </Text>
        </Stack>
      )}
      <Facts
        facts={[
          [t.id, <IdText key="id" id={request.requestId} />],
          [t.by, actorName(request)],
          ...(operator && request.accountId
            ? [
                [
                  t.account,
                  <AnchorLink
                    key="account"
                    to="/operator/accounts"
                    search={{ query: request.accountId }}
                    className="mono"
                    underline="always"
                  >
                    {request.accountId}
                  </AnchorLink>,
                ] satisfies [string, React.ReactNode],
              ]
            : []),
          [t.latency, latency(request.latencyMs)],
          [
            t.when,
            <>
              {exactTime(request.createdAt)} (<Time at={request.createdAt} />)
            </>,
          ],
        ]}
      />
    </Stack>
  );
}
