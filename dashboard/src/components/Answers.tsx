// Answers to typed questions, each with its probabilities.
import { Badge, Card, Group, Stack, Text } from "@mantine/core";
import type { Answer } from "@/api/rest";
import { playground } from "@/texts/playground";
import { Meter } from "./Meter";

const t = playground.inference;

/** The rows of an answer, the most probable first; levels stay in order. */
function rows(answer: Answer): [label: string, probability: number][] {
  if (answer.type === "noul")
    return [
      [t.yes, answer.noul ?? 0],
      [t.no, 1 - (answer.noul ?? 0)],
    ];
  const named = Object.entries(answer.probabilities ?? {}).map(([value, probability]): [string, number] => [
    answer.legend?.[value] ?? value,
    probability,
  ]);
  return answer.type === "score" ? named : named.sort((a, b) => b[1] - a[1]).slice(0, 8);
}

export function Answers({ answers, note }: { answers: Record<string, Answer>; note?: string }) {
  return (
    <Stack gap="sm">
      {Object.entries(answers).map(([key, answer]) => {
        const all = rows(answer);
        const best = Math.max(...all.map(([, probability]) => probability));
        return (
          <Card key={key} p="sm" radius="md">
            <Group justify="space-between" mb={8} gap="xs" wrap="nowrap">
              <Text fw={600} size="sm" className="clip">
                {key}
              </Text>
              {answer.abstained ? (
                <Badge color="gray">{t.abstained}</Badge>
              ) : (
                answer.type === "score" && (
                  <Badge color="gray" className="numeric">
                    {answer.score?.toFixed(2)}
                  </Badge>
                )
              )}
            </Group>
            {answer.type === "text" ? (
              <Text size="sm">{answer.text}</Text>
            ) : (
              <Stack gap={6}>
                {all.map(([label, probability]) => (
                  <Meter
                    key={label}
                    label={label}
                    value={probability}
                    strong={probability === best}
                    color={probability === best ? undefined : "var(--mantine-color-gray-5)"}
                  />
                ))}
              </Stack>
            )}
          </Card>
        );
      })}
      {note && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {note}
        </Text>
      )}
    </Stack>
  );
}
