// What was found about the policy's rules in plain language, which a moderator corrects with one click: the message
// becomes an example of the rule.
import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { mutate } from "@/api/graphql";
import { queryClient } from "@/api/queryClient";
import { tell, tellFailure, tellWithUndo } from "@/components/notify";
import { percent } from "@/logic/format";
import { queue } from "@/texts/moderation";
import { CorrectRuleMutation, type MessageDetail } from "./queries";

const t = queue.rules;
type Record = NonNullable<MessageDetail["moderation"]>;
type Example = "allowed" | "not_allowed" | "none";

interface Props {
  record: Record;
  canDecide: boolean;
}

export function RuleCorrections({ record, canDecide }: Props) {
  const [sending, setSending] = useState<string>();
  const correct = async (rule: string, example: Example) => {
    const input = { id: record.moderationId, rules: { [rule]: example }, overwrite: true };
    await mutate(CorrectRuleMutation, { input });
    await queryClient.invalidateQueries();
  };
  const press = (rule: string, example: Example) => {
    setSending(rule);
    correct(rule, example)
      .then(() => {
        if (example === "none") tell(t.removed);
        else tellWithUndo(t.done[example], () => correct(rule, "none"));
      }, tellFailure)
      .finally(() => setSending(undefined));
  };
  return (
    <Stack gap="sm">
      {record.plainRules.map(({ id, name, probability, broken }) => {
        const example = record.ruleExamples.find((one) => one.ruleId === id);
        const is: Example = !example ? "none" : example.allowed ? "allowed" : "not_allowed";
        return (
          <div key={id}>
            <Text size="sm">
              {name} <span className="quiet">{t.found(broken, percent(probability, 0))}</span>
            </Text>
            {canDecide && (
              <Group gap={6} mt={4} role="group" aria-label={name}>
                {(["allowed", "not_allowed"] as const).map((side) => (
                  <Button
                    key={side}
                    size="compact-xs"
                    variant={is === side ? "light" : "default"}
                    aria-pressed={is === side}
                    disabled={sending !== undefined}
                    loading={sending === id}
                    onClick={() => press(id, is === side ? "none" : side)}
                  >
                    {t.sides[side]}
                  </Button>
                ))}
              </Group>
            )}
          </div>
        );
      })}
      {canDecide && (
        <Text size="xs" c="dimmed">
          {t.hint}
        </Text>
      )}
    </Stack>
  );
}
