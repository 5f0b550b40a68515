// Precision, recall and F1 of each value, with how sure they are.
import { Card, Table, Text, Title } from "@mantine/core";
import { DataTable } from "@/components/DataTable";
import { Help } from "@/components/Help";
import { count, figure, intervalText } from "@/logic/format";
import { wilson } from "@/logic/interval";
import { analytics } from "@/texts/analytics";
import type { KeyStats } from "./Analytics";

const t = analytics.classes;
type Class = KeyStats["agreement"]["classes"][number];

export function Classes({ classes, label }: { classes: Class[]; label: (value: string) => string }) {
  return (
    <Card className="table-card">
      <Title order={2} px="md" pt="md" pb="xs">
        {t.title}
      </Title>
      <DataTable
        label={t.title}
        minWidth={420}
        columns={[
          t.value,
          { name: t.support, right: true },
          { name: t.answered, right: true },
          { name: t.precision, right: true, help: <Help term="precision" /> },
          { name: t.recall, right: true, help: <Help term="recall" /> },
          { name: t.f1, right: true },
        ]}
      >
        {classes.map((one) => (
          <Table.Tr key={one.value}>
            <Table.Td className="room clip" title={label(one.value)}>
              {label(one.value)}
            </Table.Td>
            <Table.Td ta="right" className="numeric">
              {count(one.support)}
            </Table.Td>
            <Table.Td ta="right" className="numeric">
              {count(one.answered)}
            </Table.Td>
            <Share value={one.precision} of={one.answered} />
            <Share value={one.recall} of={one.support} />
            <Table.Td ta="right" className="numeric">
              {figure(one.f1, 2)}
            </Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
      <Text size="xs" c="dimmed" px="md" pb="sm">
        {t.intervals}
      </Text>
    </Card>
  );
}

/** A share of `of` answers, and its interval. */
function Share({ value, of }: { value: number | null | undefined; of: number }) {
  const interval = value == null ? undefined : wilson(value * of, of);
  return (
    <Table.Td ta="right" className="numeric">
      <div>{figure(value, 2)}</div>
      {interval && (
        <Text size="xs" c="dimmed">
          {intervalText(interval)}
        </Text>
      )}
    </Table.Td>
  );
}
