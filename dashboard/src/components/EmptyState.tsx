// What a page shows instead of an empty list: what would be here, and how to begin.
import { Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

interface Props {
  icon: Icon;
  title: string;
  text: ReactNode;
  children?: ReactNode;
}

export function EmptyState({ icon: Picture, title, text, children }: Props) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <ThemeIcon variant="light" color="gray" size={44} radius="xl" mb={4}>
        <Picture size={22} stroke={1.5} aria-hidden />
      </ThemeIcon>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" maw={460} size="sm">
        {text}
      </Text>
      {children && (
        <Group mt="sm" justify="center">
          {children}
        </Group>
      )}
    </Stack>
  );
}
