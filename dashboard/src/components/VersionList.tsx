// The versions of something, newest first, each of which can be the start of the next.
import { Badge, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { shell } from "@/texts/shell";
import { ErrorCard } from "./PageError";
import { RowsSkeleton } from "./PageSkeleton";
import { Time } from "./Time";

const t = shell.versions;

interface Props<C> {
  query: Pick<UseQueryResult, "error" | "refetch">;
  versions: { version: number; createdAt: string; note: string; content: C }[] | undefined;
  current: number;
  /** Begins a change with the content of a version. */
  onEdit?: (content: C) => void;
}

export function VersionList<C>({ query, versions, current, onEdit }: Props<C>) {
  if (query.error && !versions) return <ErrorCard error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Card className="table-card">
      <Title order={2} px="md" pt="md" pb="xs">
        {t.title}
      </Title>
      {!versions && <RowsSkeleton rows={3} />}
      <Stack gap={0}>
        {versions?.map(({ version, createdAt, note, content }) => (
          <Group
            key={version}
            justify="space-between"
            wrap="nowrap"
            px="md"
            py={9}
            style={{ borderTop: "1px solid var(--hairline)" }}
          >
            <div style={{ minWidth: 0 }}>
              <Group gap={6} wrap="nowrap">
                <Text size="sm" fw={550}>
                  {t.version(version)}
                </Text>
                {version === current && <Badge size="sm">{t.current}</Badge>}
              </Group>
              <Text size="xs" c="dimmed" className="clip" title={note}>
                <Time at={createdAt} /> · {note}
              </Text>
            </div>
            {onEdit && version !== current && (
              <Button size="compact-xs" variant="subtle" onClick={() => onEdit(content)}>
                {t.restore}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
