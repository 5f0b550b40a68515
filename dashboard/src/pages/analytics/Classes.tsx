// Precision, recall and F1 of each value.
import { Card, Table, Title } from "@mantine/core";
import { count, figure } from "@/logic/format";
import { analytics } from "@/texts/analytics";
import type { KeyStats } from "./Analytics";

const t = analytics.classes;

export function Classes({
  classes,
  label,
}: {
  classes: KeyStats["agreement"]["classes"];
  label: (value: string) => string;
}) {
  return (
    <Card className="table-card">
      <Title order={2} px="md" pt="md" pb="xs">
        {t.title}
      </Title>
      <Table.ScrollContainer minWidth={420} type="native" tabIndex={0} role="region" aria-label={t.title}>
        <Table aria-label={t.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.value}</Table.Th>
              {[t.support, t.answered, t.precision, t.recall, t.f1].map((name) => (
                <Table.Th key={name} ta="right">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {classes.map((one) => (
              <Table.Tr key={one.value}>
                <Table.Td maw={180} className="clip" title={label(one.value)}>
                  {label(one.value)}
                </Table.Td>
                <Table.Td ta="right" className="numeric">
                  {count(one.support)}
                </Table.Td>
                <Table.Td ta="right" className="numeric">
                  {count(one.answered)}
                </Table.Td>
                <Table.Td ta="right" className="numeric">
                  {figure(one.precision, 2)}
                </Table.Td>
                <Table.Td ta="right" className="numeric">
                  {figure(one.recall, 2)}
                </Table.Td>
                <Table.Td ta="right" className="numeric">
                  {figure(one.f1, 2)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}
