// The last charges and the Judges, in short.
import { Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useCanEdit } from "@/api/session";
import { EndpointName } from "@/components/EndpointName";
import { AnchorLink, ButtonLink } from "@/components/links";
import { Time } from "@/components/Time";
import { count, credits } from "@/logic/format";
import { overview as t } from "@/texts/overview";

interface Charge {
  seq: number;
  endpoint?: string | null;
  items: number;
  amount: number;
  createdAt: string;
}

export function LatestCharges({ charges }: { charges: Charge[] }) {
  return (
    <Card className="table-card">
      <Group justify="space-between" px="md" pt="md" pb="xs">
        <Title order={2}>{t.latest}</Title>
        <AnchorLink to="/ledger" size="sm">
          {t.all}
        </AnchorLink>
      </Group>
      {charges.length === 0 ? (
        <Text size="sm" c="dimmed" px="md" pb="md">
          {t.latestEmpty}
        </Text>
      ) : (
        <Table aria-label={t.latest} layout="fixed">
          <Table.Tbody>
            {charges.map((charge) => (
              <Table.Tr key={charge.seq}>
                <Table.Td className="clip">
                  {charge.endpoint ? <EndpointName endpoint={charge.endpoint} /> : "–"}
                </Table.Td>
                <Table.Td className="numeric" ta="right" c="dimmed">
                  {t.itemsOf(charge.items)}
                </Table.Td>
                <Table.Td className="numeric" ta="right">
                  {credits(-charge.amount)}
                </Table.Td>
                <Table.Td ta="right">
                  <Time at={charge.createdAt} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Card>
  );
}

interface JudgeRow {
  id: string;
  name: string;
  stats: { count: number; labelled: number };
}

export function JudgeCard({ judges }: { judges: JudgeRow[] }) {
  const canEdit = useCanEdit();
  return (
    <Card className="table-card">
      <Group justify="space-between" px="md" pt="md" pb="xs">
        <Title order={2}>{t.judges}</Title>
        {canEdit && (
          <ButtonLink to="/judges/new" variant="subtle" size="compact-sm" leftSection={<IconPlus size={14} />}>
            {t.newJudge}
          </ButtonLink>
        )}
      </Group>
      {judges.length === 0 ? (
        <Text size="sm" c="dimmed" px="md" pb="md">
          {t.judgesEmpty}
        </Text>
      ) : (
        <Stack gap={0}>
          {judges.map((judge) => (
            <Group
              key={judge.id}
              justify="space-between"
              wrap="nowrap"
              px="md"
              py={9}
              style={{ borderTop: "1px solid var(--hairline)" }}
            >
              <Link to="/judges/$judgeId" params={{ judgeId: judge.id }} className="row-link clip">
                {judge.name}
              </Link>
              <Text size="sm" c="dimmed" className="numeric">
                {t.samples(judge.stats.count, count(judge.stats.labelled))}
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Card>
  );
}
