// A card with a chart, whose figures screen readers say.
import { Box, Card, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  title: string;
  note?: ReactNode;
  /** In words, what the chart shows. */
  summary: string;
  children: ReactNode;
  /** Stands below the chart, for people who cannot see it too. */
  controls?: ReactNode;
}

export function ChartCard({ title, note, summary, children, controls }: Props) {
  return (
    <Card>
      <Title order={2} mb={note ? 0 : "md"}>
        {title}
      </Title>
      {note && (
        <Text size="xs" c="dimmed" mb="md">
          {note}
        </Text>
      )}
      <Box role="img" aria-label={summary}>
        {children}
      </Box>
      {controls}
    </Card>
  );
}
