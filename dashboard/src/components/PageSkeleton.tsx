// Grey bars in the place of a page that loads.
import { Skeleton, Stack } from "@mantine/core";
import { shell as t } from "@/texts/shell";

export function PageSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label={t.loading}>
      <Skeleton height={28} width={220} mb="sm" />
      {Array.from({ length: rows }, (_, row) => (
        // oxlint-disable-next-line react/no-array-index-key
        <Skeleton key={row} height={36} opacity={1 - row * 0.12} />
      ))}
    </Stack>
  );
}

export function RowsSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <Stack gap={8} p="md" role="status" aria-label={t.loading}>
      {Array.from({ length: rows }, (_, row) => (
        // oxlint-disable-next-line react/no-array-index-key
        <Skeleton key={row} height={26} opacity={1 - row * 0.12} />
      ))}
    </Stack>
  );
}
