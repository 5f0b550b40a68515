// Asks the Judge about something, as programs do.
import { Alert, Anchor, Badge, Group, Textarea } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { InferenceAnswer } from "@/api/rest";
import { queryClient } from "@/api/queryClient";
import { Answers } from "@/components/Answers";
import { readState } from "@/logic/instructions";
import { templates } from "@/logic/templates";
import { Bench } from "@/pages/playground/Bench";
import { judges } from "@/texts/judges";
import { playground } from "@/texts/playground";
import { useJudge } from "./query";

const t = judges.tryOut;

export function TryOut() {
  const judge = useJudge();
  const example = templates.find((template) => template.description === judge.description)?.example;
  const [state, setState] = useState(example ?? "");
  return (
    <Bench<InferenceAnswer>
      request={{ path: judge.endpoint, body: { state: readState(state) } }}
      ready={state.trim() !== "" && !judge.archived}
      answer={(answer) => <Answers answers={answer.answers} note={playground.inference.model(answer.model)} />}
      cost={(answer) => [answer.credits_deducted, answer.latency_ms]}
      next={(answer) => <Recorded logged={answer.logged ?? false} />}
      onAnswer={() => void queryClient.invalidateQueries()}
    >
      {!judge.storeContent && <Alert color="yellow" py="xs">{t.storeOff}</Alert>}
      <Textarea label={t.state} description={t.stateHint} value={state} onChange={(event) => setState(event.currentTarget.value)} autosize minRows={6} maxRows={18} />
    </Bench>
  );
}

function Recorded({ logged }: { logged: boolean }) {
  const judge = useJudge();
  return (
    <Group gap="xs">
      <Badge color={logged ? "pine" : "gray"}>{logged ? t.recorded : t.notRecorded}</Badge>
      {logged && (
        <Anchor component={Link} {...({ to: "/judges/$judgeId/dataset", params: { judgeId: judge.id } } as object)} size="sm">
          {t.seeSamples}
        </Anchor>
      )}
    </Group>
  );
}
