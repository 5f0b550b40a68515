// A page's title, what it is for, and what one can do on it.
import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { shell } from "@/texts/shell";

interface Props {
  title: string;
  /** Shown in place of the title where it is more than text. */
  heading?: ReactNode;
  text?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, heading, text, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · ${shell.product}`;
  }, [title]);
  return (
    <Box className="page">
      <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
        <Stack gap={2} style={{ flex: "1 1 260px", minWidth: 0 }}>
          <Title order={1}>{heading ?? title}</Title>
          {text && (
            <Text c="dimmed" size="sm" maw={640}>
              {text}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Box>
  );
}
