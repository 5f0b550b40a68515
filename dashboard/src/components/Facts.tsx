// Names and values of one thing, below each other.
import { Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <Stack gap={4} component="dl" m={0}>
      {facts.map(([name, value]) => (
        <Group key={name} justify="space-between" wrap="nowrap" gap="md">
          <Text size="sm" c="dimmed" component="dt" style={{ flex: "none" }}>
            {name}
          </Text>
          <Text size="sm" component="dd" m={0} ta="right" style={{ minWidth: 0, overflowWrap: "anywhere" }}>
            {value}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
