// The frame of the pages for those who are not signed in.
import { Box, Card, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { entry } from "@/texts/entry";
import { shell } from "@/texts/shell";

export function EntryCard({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${shell.product}`;
  }, [title]);
  return (
    <Box component="main" mih="100dvh" p="md" style={{ display: "grid", placeItems: "center" }}>
      <Stack w="100%" maw={380} gap="lg">
        <Group gap={12} justify="center">
          <img src="/favicon.svg" width={34} height={34} alt="" />
          <Box>
            <Text fw={650} size="xl" lh={1.1} style={{ letterSpacing: "-0.01em" }}>
              {shell.product}
            </Text>
            <Text size="xs" c="dimmed">
              {entry.pitch}
            </Text>
          </Box>
        </Group>
        <Card p="lg">
          <Title order={1} mb={2}>
            {title}
          </Title>
          <Text size="sm" c="dimmed" mb="md">
            {text}
          </Text>
          {children}
        </Card>
      </Stack>
    </Box>
  );
}
