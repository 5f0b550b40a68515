// The versions of a Judge, each of which can be the start of the next.
import { Badge, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { ErrorCard } from "@/components/PageError";
import { RowsSkeleton } from "@/components/PageSkeleton";
import { Time } from "@/components/Time";
import { graphql } from "@/gql";
import { judges } from "@/texts/judges";

const VersionsQuery = graphql(`
  query JudgeVersions($id: ID!) { judge(id: $id) { id versions { version createdAt instructions questions { key type } } } }
`);

const t = judges.edit;

export function Versions({ judgeId, current, onEdit }: { judgeId: string; current: number; onEdit: (instructions: unknown) => void }) {
  const result = useQuery(query(VersionsQuery, { id: judgeId }));
  if (result.error) return <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
  const versions = [...(result.data?.judge?.versions ?? [])].sort((a, b) => b.version - a.version);
  return (
    <Card className="table-card" style={{ alignSelf: "start" }}>
      <Title order={2} px="md" pt="md" pb="xs">{t.history}</Title>
      {result.isPending && <RowsSkeleton rows={3} />}
      <Stack gap={0}>
        {versions.map((version) => (
          <Group key={version.version} justify="space-between" wrap="nowrap" px="md" py={9} style={{ borderTop: "1px solid var(--hairline)" }}>
            <div style={{ minWidth: 0 }}>
              <Group gap={6} wrap="nowrap">
                <Text size="sm" fw={550}>{judges.version(version.version)}</Text>
                {version.version === current && <Badge size="sm">{t.current}</Badge>}
              </Group>
              <Text size="xs" c="dimmed" className="clip">
                <Time at={version.createdAt} /> · {version.questions.map((question) => question.key).join(", ")}
              </Text>
            </div>
            {version.version !== current && <Button size="compact-xs" variant="subtle" onClick={() => onEdit(version.instructions)}>{t.restore}</Button>}
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
