// What a Checkpoint learnt of the servers that answered for its Judge.
import { Card, Table, Text, Title } from "@mantine/core";
import { DataTable } from "@/components/DataTable";
import type { CheckpointPageQuery as Result } from "@/gql/graphql";
import { checkpoints } from "@/texts/training";
import { figures } from "./figures";

const t = checkpoints.page;
type Server = NonNullable<NonNullable<Result["checkpoint"]>["metrics"]>["servers"][number];

export function Servers({ servers }: { servers: Server[] }) {
  return (
    <Card className="table-card">
      <div style={{ padding: "var(--mantine-spacing-md)" }}>
        <Title order={2}>{t.servers.title}</Title>
        <Text size="xs" c="dimmed">
          {t.servers.note}
        </Text>
      </div>
      <DataTable
        label={t.servers.title}
        minWidth={560}
        columns={[t.columns.key, t.columns.by, ...figures.map(({ name, help }) => ({ name, right: true, help }))]}
      >
        {servers.flatMap((server) =>
          [
            { name: server.serverModel, of: server.given },
            { name: t.servers.corrections[server.correction] ?? server.correction, of: server.recalibrated },
            {
              name: server.checkpointSuffices ? t.servers.checkpointSuffices : t.columns.checkpoint,
              of: server.checkpoint,
            },
          ].map((row, at) => (
            <Table.Tr key={`${server.serverModel}-${server.key}-${row.name}`}>
              <Table.Td fw={550}>{at === 0 ? server.key : <span className="only-spoken">{server.key}</span>}</Table.Td>
              <Table.Td>{row.name}</Table.Td>
              {figures.map((one) => (
                <Table.Td key={one.name} ta="right" className="numeric">
                  {one.of(row.of)}
                </Table.Td>
              ))}
            </Table.Tr>
          )),
        )}
      </DataTable>
    </Card>
  );
}
