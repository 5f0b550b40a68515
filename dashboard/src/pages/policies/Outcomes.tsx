// What rules would have done, message by message.
import { Badge, Group, Table, Text } from "@mantine/core";
import { ActionBadge } from "@/components/ActionBadge";
import { percent } from "@/logic/format";
import type { Outcome } from "@/logic/dryRun";
import type { DryRunPolicyMutation } from "@/gql/graphql";
import { policies } from "@/texts/policies";

const t = policies.dryRun;
export type DryRunResult = NonNullable<DryRunPolicyMutation["dryRunModerationPolicy"]["results"]>[number];

export function Outcomes({ outcomes }: { outcomes: Outcome<DryRunResult>[] }) {
  const changed = outcomes.filter((outcome) => outcome.change !== 0).length;
  return (
    <>
      <Text size="sm" fw={550} aria-live="polite">
        {t.summary(changed, outcomes.length)}
      </Text>
      <Table.ScrollContainer
        minWidth={680}
        type="native"
        tabIndex={0}
        role="region"
        aria-label={t.title}
        data-testid="dry-run"
      >
        <Table aria-label={t.title}>
          <Table.Thead>
            <Table.Tr>
              {Object.values(t.columns).map((column) => (
                <Table.Th key={column} fz="xs" c="dimmed" fw={500}>
                  {column}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {outcomes.map(({ result: { content, verdict, withoutPolicy }, before, after, change }, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <Table.Tr key={index}>
                <Table.Td maw={240} className="clip" title={content}>
                  {content}
                </Table.Td>
                <Table.Td>
                  <ActionBadge action={before.toLowerCase()} />
                </Table.Td>
                <Table.Td>
                  <Group gap={6} wrap="nowrap">
                    <ActionBadge action={after.toLowerCase()} />
                    {change !== 0 && <Badge size="sm">{t.changed}</Badge>}
                  </Group>
                </Table.Td>
                <Table.Td className="numeric">
                  {t.change(withoutPolicy.threatScore.toFixed(2), verdict.threatScore.toFixed(2))}
                </Table.Td>
                <Table.Td className="numeric">
                  {t.change(percent(withoutPolicy.requiresModReview, 0), percent(verdict.requiresModReview, 0))}
                </Table.Td>
                <Table.Td maw={220}>
                  <div className="mono clip">
                    {verdict.signals
                      .slice(0, 3)
                      .map((signal) => signal.name)
                      .join(", ") || "–"}
                  </div>
                  {verdict.plainRules
                    .filter((rule) => rule.broken)
                    .map((rule) => (
                      <div key={rule.id} className="clip" title={rule.name}>
                        {t.broken(rule.name, percent(rule.probability, 0))}
                      </div>
                    ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}
