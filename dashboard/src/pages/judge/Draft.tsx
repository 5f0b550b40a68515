// Asks questions as they are being edited, before they are saved.
import { Card, Group, Stack, Text, Textarea, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type InferenceAnswer, post } from "@/api/rest";
import { Answers } from "@/components/Answers";
import { FormAlert } from "@/components/FormAlert";
import { GuardedButton } from "@/components/GuardedButton";
import { readState } from "@/logic/instructions";
import { INFERENCE_BYTES, tooManyBytes } from "@/logic/limits";
import { judges } from "@/texts/judges";
import { shell } from "@/texts/shell";

const t = judges;

export function Draft({ instructions }: { instructions: unknown }) {
  const [state, setState] = useState("");
  const body = { state: readState(state), instructions };
  const fault = tooManyBytes(body, INFERENCE_BYTES);
  const run = useMutation({ mutationFn: () => post<InferenceAnswer>("/api/v1/inference", body) });
  return (
    <Card p="lg">
      <Stack gap="sm">
        <div>
          <Title order={2}>{t.edit.test}</Title>
          <Text size="sm" c="dimmed">
            {t.edit.testHint}
          </Text>
        </div>
        <Textarea
          aria-label={t.tryOut.state}
          placeholder={t.tryOut.statePlaceholder}
          value={state}
          onChange={(event) => setState(event.currentTarget.value)}
          error={fault}
          autosize
          minRows={2}
          maxRows={10}
        />
        <Group justify="flex-end">
          <GuardedButton
            variant="default"
            onClick={() => run.mutate()}
            loading={run.isPending}
            why={
              state.trim() ? (instructions === undefined || fault !== undefined) && shell.why.faulty : t.tryOut.empty
            }
          >
            {t.tryOut.run}
          </GuardedButton>
        </Group>
        <FormAlert message={run.error?.message} error={run.error} />
        {run.data && <Answers answers={run.data.answers} />}
      </Stack>
    </Card>
  );
}
