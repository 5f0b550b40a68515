// Charts, fetched when one is first shown, each with its figures as a table for those who cannot see it.
import { Box, Card, Skeleton, Text, Title } from "@mantine/core";
import { type ReactNode, Suspense, lazy } from "react";

export const StackedBars = lazy(() => import("./StackedBars"));
export const Reliability = lazy(() => import("./Reliability"));

interface Props {
  title: string;
  note?: ReactNode;
  /** In words, what the chart shows. */
  summary: string;
  height?: number;
  children: ReactNode;
}

export function ChartCard({ title, note, summary, height = 210, children }: Props) {
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
        <Suspense fallback={<Skeleton h={height} />}>{children}</Suspense>
      </Box>
    </Card>
  );
}
