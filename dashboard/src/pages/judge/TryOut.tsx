// Asks the Judge about something, as programs do.
import { Alert, Badge, Group } from "@mantine/core";
import { Navigate } from "@tanstack/react-router";
import { useState } from "react";
import type { InferenceAnswer } from "@/api/rest";
import { Answers } from "@/components/Answers";
import { AnchorLink } from "@/components/links";
import { StateInput } from "@/components/StateInput";
import { readState } from "@/logic/instructions";
import { INFERENCE_BYTES, tooManyBytes } from "@/logic/limits";
import { templates } from "@/logic/templates";
import { Bench } from "@/pages/playground/Bench";
import { judges } from "@/texts/judges";
import { playground } from "@/texts/playground";
import { type JudgeData, useJudge } from "./query";

const t = judges.tryOut;

/** The first page of a Judge; a moderation log, which is not asked, begins with its samples. */
export function TryOut() {
  const judge = useJudge();
  return judge.moderationLog ? (
    <Navigate to="/judges/$judgeId/dataset" params={{ judgeId: judge.id }} replace />
  ) : (
    <Ask judge={judge} />
  );
}

function Ask({ judge }: { judge: JudgeData }) {
  const template = templates.find(({ description }) => description === judge.description);
  // The example is text, which a schema may refuse.
  const example = judge.stateSchema == null ? template?.example : undefined;
  const [state, setState] = useState(example ?? "");
  const body = { state: readState(state) };
  return (
    <Bench<InferenceAnswer>
      request={{ path: judge.endpoint, body }}
      why={judge.archived ? t.archived : state.trim() === "" && t.empty}
      fault={tooManyBytes([body.state, judge.instructions], INFERENCE_BYTES)}
      answer={(answer) => <Answers answers={answer.answers} note={playground.inference.model(answer.model)} />}
      cost={(answer) => [answer.credits_deducted, answer.latency_ms]}
      next={(answer) => <Recorded logged={answer.logged ?? false} />}
    >
      {!judge.storeContent && (
        <Alert color="yellow" py="xs">
          {t.storeOff}
        </Alert>
      )}
      <StateInput schema={judge.stateSchema} value={state} onChange={setState} />
    </Bench>
  );
}

function Recorded({ logged }: { logged: boolean }) {
  const judge = useJudge();
  return (
    <Group gap="xs">
      <Badge color={logged ? "pine" : "gray"}>{logged ? t.recorded : t.notRecorded}</Badge>
      {logged && (
        <AnchorLink to="/judges/$judgeId/dataset" params={{ judgeId: judge.id }} size="sm">
          {t.seeSamples}
        </AnchorLink>
      )}
    </Group>
  );
}
