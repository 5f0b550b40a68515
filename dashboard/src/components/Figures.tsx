// Figures with their names, in one card.
import { Card, SimpleGrid, Stack, Text, Tooltip } from "@mantine/core";

import { Help, type TermId } from "./Help";

interface Props {
  figures: { label: string; value: string; note?: string; hint?: string; term?: TermId }[];
  large?: boolean;
}

export function Figures({ figures, large }: Props) {
  return (
    <Card p={0}>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing={0} verticalSpacing={0}>
        {figures.map((one) => (
          <Tooltip key={one.label} label={one.hint} disabled={!one.hint} multiline maw={260}>
            <Stack gap={1} p="md" py={large ? "md" : "sm"}>
              <Text size="xs" c="dimmed" fw={500}>
                {one.label}
                {one.term && <Help term={one.term} />}
              </Text>
              <Text fw={600} fz={large ? 22 : 18} lh={1.3} className="numeric">
                {one.value}
              </Text>
              {one.note && (
                <Text size="xs" c="dimmed">
                  {one.note}
                </Text>
              )}
            </Stack>
          </Tooltip>
        ))}
      </SimpleGrid>
    </Card>
  );
}
