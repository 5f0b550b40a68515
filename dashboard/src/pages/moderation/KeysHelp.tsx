// The keys of the queue.
import { Group, Modal, Table } from "@mantine/core";
import { queue } from "@/texts/moderation";

const t = queue.help;

export function KeysHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={t.title} size={420}>
      <Table highlightOnHover={false} withRowBorders={false} verticalSpacing={5}>
        <Table.Tbody>
          {t.rows.map(([keys, text]) => (
            <Table.Tr key={text}>
              <Table.Td w={120}>
                <Group gap={4}>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>{text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
