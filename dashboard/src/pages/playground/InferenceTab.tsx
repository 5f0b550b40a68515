// Asks typed questions about a state.
import { Group, Input, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconGavel } from "@tabler/icons-react";
import type { InferenceAnswer } from "@/api/rest";
import { useCanEdit } from "@/api/session";
import { Answers } from "@/components/Answers";
import { GuardedButton } from "@/components/GuardedButton";
import { QuestionEditor } from "@/components/questions/QuestionEditor";
import { SaveAsJudge } from "@/components/SaveAsJudge";
import { useKept } from "@/components/useKept";
import { type Draft, instructionsOf, newDraft, problems, readState } from "@/logic/instructions";
import { INFERENCE_BYTES, tooManyBytes } from "@/logic/limits";
import { judges } from "@/texts/judges";
import { playground } from "@/texts/playground";
import { shell } from "@/texts/shell";
import { Bench } from "./Bench";

const t = playground.inference;

const FIRST: Draft[] = [
  newDraft({
    key: "team",
    type: "choice",
    text: "Which team should answer?",
    options: [
      { name: "billing", text: "" },
      { name: "technical", text: "" },
      { name: "sales", text: "" },
    ],
  }),
  newDraft({ key: "refund", type: "noul", text: "Does the writer ask for a refund?" }),
];

export function InferenceTab() {
  const [state, setState] = useKept("playground-state", t.statePlaceholder);
  const [drafts, setDrafts] = useKept("playground-questions", FIRST);
  const canEdit = useCanEdit();
  const [saving, { open, close }] = useDisclosure();
  const faulty = problems(drafts).length > 0;
  const body = { state: readState(state), instructions: instructionsOf(drafts) };
  return (
    <Bench<InferenceAnswer>
      request={{ path: "/api/v1/inference", body }}
      why={state.trim() === "" ? playground.why.state : faulty && shell.why.faulty}
      fault={tooManyBytes(body, INFERENCE_BYTES)}
      answer={(answer) => <Answers answers={answer.answers} note={t.model(answer.model)} />}
      cost={(answer) => [answer.credits_deducted, answer.latency_ms]}
    >
      <Textarea
        label={t.state}
        description={t.stateHint}
        value={state}
        onChange={(event) => setState(event.currentTarget.value)}
        autosize
        minRows={3}
        maxRows={12}
      />
      <Input.Wrapper label={t.questions} labelElement="div">
        <QuestionEditor drafts={drafts} onChange={setDrafts} compact />
      </Input.Wrapper>
      {canEdit && (
        <Group justify="flex-end">
          <GuardedButton
            variant="default"
            size="xs"
            leftSection={<IconGavel size={15} />}
            why={faulty && shell.why.faulty}
            onClick={open}
          >
            {judges.saveAs.action}
          </GuardedButton>
        </Group>
      )}
      <SaveAsJudge
        opened={saving}
        onClose={close}
        texts={judges.saveAs}
        source={{ name: "", description: "", storeContent: true, instructions: body.instructions }}
      />
    </Bench>
  );
}
