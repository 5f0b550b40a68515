// Tries rules on messages before they are saved: the verdicts with them, beside those without.
import { Badge, Button, Card, Group, Stack, Table, Text, Textarea, Title } from "@mantine/core";
import { useState } from "react";
import { fieldError } from "@/api/errors";
import { ActionBadge } from "@/components/ActionBadge";
import { FormAlert } from "@/components/FormAlert";
import { usePrices } from "@/components/usePrices";
import type { DryRunPolicyMutation } from "@/gql/graphql";
import { count, credits, percent } from "@/logic/format";
import { BATCH_MESSAGES, MESSAGE_CHARS, tooManyChars } from "@/logic/limits";
import { linesOf } from "@/logic/policyRules";
import { policies } from "@/texts/policies";
import { shell } from "@/texts/shell";

const t = policies.dryRun;
type Outcome = NonNullable<DryRunPolicyMutation["dryRunModerationPolicy"]["results"]>[number];

interface Props {
  run: { data: DryRunPolicyMutation | undefined; error: Error | null; isPending: boolean };
  disabled: boolean;
  onRun: (messages: string[]) => void;
}

export function DryRun({ run, disabled, onRun }: Props) {
  const [text, setText] = useState(t.example);
  const prices = usePrices();
  const messages = linesOf(text);
  const price = prices.of("TEXT");
  const long = messages.map((message) => tooManyChars(message, MESSAGE_CHARS)).find(Boolean);
  const fault =
    messages.length > BATCH_MESSAGES ? shell.limits.lines(count(BATCH_MESSAGES), count(messages.length)) : long;
  const { results, creditsDeducted } = run.data?.dryRunModerationPolicy ?? {};
  return (
    <Card p="lg" component="section" aria-label={t.title}>
      <Stack gap="sm">
        <div>
          <Title order={2}>{t.title}</Title>
          <Text size="sm" c="dimmed">
            {t.text}
          </Text>
        </div>
        <Textarea
          label={t.messages}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={fault ?? fieldError(run.error, "messages")}
          autosize
          minRows={3}
          maxRows={10}
        />
        <FormAlert message={prices.error?.message} />
        <Group justify="flex-end">
          <Button
            variant="default"
            loading={run.isPending}
            disabled={disabled || messages.length === 0 || fault !== undefined || price === undefined}
            onClick={() => onRun(messages)}
          >
            {t.run(price === undefined ? "…" : credits(price * messages.length))}
          </Button>
        </Group>
        {results && <Outcomes results={results} />}
        {creditsDeducted != null && (
          <Text size="xs" c="dimmed" className="numeric">
            {t.charged(credits(creditsDeducted))}
          </Text>
        )}
      </Stack>
    </Card>
  );
}

function Outcomes({ results }: { results: Outcome[] }) {
  return (
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
          {results.map(({ content, verdict, withoutPolicy }, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <Table.Tr key={index}>
              <Table.Td maw={240} className="clip" title={content}>
                {content}
              </Table.Td>
              <Table.Td>
                <ActionBadge action={withoutPolicy.action.toLowerCase()} />
              </Table.Td>
              <Table.Td>
                <Group gap={6} wrap="nowrap">
                  <ActionBadge action={verdict.action.toLowerCase()} />
                  {verdict.action !== withoutPolicy.action && <Badge size="sm">{t.changed}</Badge>}
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
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
