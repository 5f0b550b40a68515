// What changed between two versions of a policy.
import { Card, Group, Select, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { diffRules } from "@/logic/policyDiff";
import type { Rules } from "@/logic/policyRules";
import { policies } from "@/texts/policies";
import { shell } from "@/texts/shell";

const t = policies.diff;

interface Props {
  /** The newest first; at least two. */
  versions: { version: number; content: Rules }[];
}

export function VersionDiff({ versions }: Props) {
  const [chosen, setChosen] = useState<{ before?: number; after?: number }>({});
  const find = (version: number | undefined) => versions.find((one) => one.version === version);
  const after = find(chosen.after) ?? versions[0];
  const before = find(chosen.before) ?? versions[1];
  if (!before || !after) return null;
  const options = versions.map(({ version }) => ({ value: String(version), label: shell.versions.version(version) }));
  const changes = diffRules(before.content, after.content);
  return (
    <Card component="section" aria-label={t.title}>
      <Stack gap="sm">
        <Title order={2}>{t.title}</Title>
        <Group grow gap="xs">
          <Select
            size="xs"
            label={t.before}
            data={options}
            value={String(before.version)}
            allowDeselect={false}
            onChange={(value) => setChosen({ ...chosen, before: Number(value) })}
          />
          <Select
            size="xs"
            label={t.after}
            data={options}
            value={String(after.version)}
            allowDeselect={false}
            onChange={(value) => setChosen({ ...chosen, after: Number(value) })}
          />
        </Group>
        {changes.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t.same}
          </Text>
        ) : (
          <Stack gap="xs" role="list" aria-label={t.list(before.version, after.version)} data-testid="version-diff">
            {changes.map(({ about, changes: lines }) => (
              <div key={about} role="listitem">
                <Text size="sm" fw={550}>
                  {about}
                </Text>
                {lines.map((line) => (
                  <Text key={line} size="sm" style={{ overflowWrap: "anywhere" }}>
                    {line}
                  </Text>
                ))}
              </div>
            ))}
          </Stack>
        )}
      </Stack>
    </Card>
  );
}
