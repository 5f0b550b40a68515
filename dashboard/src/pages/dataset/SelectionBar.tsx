// What can be done with the chosen samples together.
import { Button, Card, Group, Menu, Text } from "@mantine/core";
import { useState } from "react";
import { ReclassifyManyMutation, undoChange } from "@/api/labels";
import { Confirm } from "@/components/Confirm";
import { tell, tellFailure, tellWithUndo } from "@/components/notify";
import { useAction } from "@/components/useAction";
import { instructionFor, valueLabel } from "@/logic/instructions";
import type { JudgeData } from "@/pages/judge/query";
import { dataset as t } from "@/texts/dataset";
import { ClearTruthMutation, PurgeMutation } from "./queries";

interface Props {
  judge: JudgeData;
  ids: string[];
  onDone: () => void;
}

export function SelectionBar({ judge, ids, onDone }: Props) {
  const [asking, setAsking] = useState(false);
  const set = useAction(ReclassifyManyMutation);
  const clear = useAction(ClearTruthMutation);
  const purge = useAction(PurgeMutation);
  const finish = (message: string, changeId?: string | null) => {
    onDone();
    if (changeId) tellWithUndo(message, () => undoChange(changeId));
    else tell(message);
  };
  return (
    <Card p="xs" mb="sm" role="toolbar" aria-label={t.selected(ids.length)}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={550} px="xs">
          {t.selected(ids.length)}
        </Text>
        <Group gap="xs">
          {judge.questions
            .filter((question) => question.values.length)
            .map((question) => (
              <Menu key={question.key} position="bottom-end">
                <Menu.Target>
                  <Button size="xs" variant="default" loading={set.isPending}>{`${t.setTo}: ${question.key}`}</Button>
                </Menu.Target>
                <Menu.Dropdown mah={320} style={{ overflowY: "auto" }}>
                  {question.values.map((value) => (
                    <Menu.Item
                      key={value}
                      onClick={() =>
                        set.mutate(
                          { input: { judgeId: judge.id, sampleIds: ids, key: question.key, value } },
                          {
                            onSuccess: ({ reclassifySamples }) =>
                              finish(t.labelledDone(reclassifySamples.changed), reclassifySamples.changeId),
                            onError: tellFailure,
                          },
                        )
                      }
                    >
                      {valueLabel(instructionFor(judge.instructions, question.key), value)}
                    </Menu.Item>
                  ))}
                  <Menu.Divider />
                  <Menu.Item
                    onClick={() =>
                      clear.mutate(
                        { input: { sampleIds: ids, key: question.key } },
                        {
                          onSuccess: ({ clearGroundTruth }) =>
                            finish(t.clearedDone(clearGroundTruth.changed), clearGroundTruth.changeId),
                          onError: tellFailure,
                        },
                      )
                    }
                  >
                    {t.clearTruth}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            ))}
          <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={() => setAsking(true)}>
            {t.purge}
          </Button>
        </Group>
      </Group>
      <Confirm
        opened={asking}
        title={t.purgeTitle(ids.length)}
        action={t.purge}
        danger
        loading={purge.isPending}
        error={purge.error}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          purge.mutate(
            { input: { judgeId: judge.id, sampleIds: ids } },
            {
              onSuccess: ({ purgeSamples }) => {
                setAsking(false);
                finish(t.purged(purgeSamples.count ?? ids.length));
              },
            },
          )
        }
      >
        <Text size="sm">{t.purgeText}</Text>
      </Confirm>
    </Card>
  );
}
