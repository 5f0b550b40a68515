// Edits a Judge. Every change of its questions is a version.
import { Alert, Button, Card, Group, Input, NumberInput, Stack, Text, Textarea } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { errorCode, fieldError, formError } from "@/api/errors";
import { useCanEdit } from "@/api/session";
import { FormAlert } from "@/components/FormAlert";
import { GuardedButton } from "@/components/GuardedButton";
import { JudgeFields } from "@/components/JudgeFields";
import { tell } from "@/components/notify";
import { LeaveGuard, useDiscard } from "@/components/UnsavedChanges";
import { type Edited, InstructionsEditor, editedOf, readEdited } from "@/components/questions/InstructionsEditor";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { DESCRIPTION_CHARS, INFERENCE_BYTES, tooManyBytes, tooManyChars } from "@/logic/limits";
import { readSchema, schemaText } from "@/logic/stateSchema";
import { judges } from "@/texts/judges";
import { shell } from "@/texts/shell";
import { type JudgeData, useJudge, useJudgeQuery } from "./query";
import { type JudgeVersion, Versions } from "./Versions";
import { Draft } from "./Draft";

const UpdateMutation = graphql(`
  mutation UpdateJudge($input: UpdateJudgeInput!) {
    updateJudge(input: $input) {
      judge {
        id
        version
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = judges.edit;
/** The fields that show their own errors. */
const FIELDS = ["name", "description", "instructions", "parameters", "stateSchema"];

export function Questions() {
  const judge = useJudge();
  const canEdit = useCanEdit() && !judge.archived;
  const [dirty, setDirty] = useState(false);
  const [generation, setGeneration] = useState(0);
  const [from, setFrom] = useState<JudgeVersion>();
  const start = (version?: JudgeVersion) => {
    setFrom(version);
    setGeneration(generation + 1);
  };
  const discard = useDiscard(dirty);
  return (
    <div className="two-columns">
      {discard.dialog}
      <Form
        key={`${judge.id}-${generation}`}
        judge={judge}
        canEdit={canEdit}
        from={from}
        onDirty={setDirty}
        onRestart={() => start()}
      />
      <Versions
        judgeId={judge.id}
        current={judge.version}
        onEdit={canEdit ? (version) => discard.ask(() => start(version)) : undefined}
      />
    </div>
  );
}

function abstainOf(parameters: unknown): number | "" {
  const value = (parameters as Record<string, unknown> | null)?.abstain_below;
  return typeof value === "number" ? value : "";
}

interface FormProps {
  judge: JudgeData;
  canEdit: boolean;
  /** Another version to begin with. */
  from: JudgeVersion | undefined;
  onDirty: (dirty: boolean) => void;
  onRestart: () => void;
}

function Form({ judge, canEdit, from, onDirty, onRestart }: FormProps) {
  const { refetch } = useJudgeQuery();
  // What was there when editing began: the server refuses the change when somebody else was faster.
  const [base] = useState(judge);
  const [fields, setFields] = useState({
    name: judge.name,
    description: judge.description,
    store: judge.storeContent,
  });
  const [abstain, setAbstain] = useState<number | string>(abstainOf(judge.parameters));
  const [edited, setEdited] = useState<Edited>(() => editedOf(from ? from.instructions : judge.instructions));
  const [schemaEdited, setSchemaEdited] = useState(() => schemaText(from ? from.stateSchema : judge.stateSchema));
  const [pristine] = useState(() => (from === undefined ? JSON.stringify(readEdited(edited)) : ""));
  const update = useAction(UpdateMutation);

  const { name, description, store } = fields;
  const instructions = readEdited(edited);
  const large = tooManyBytes(instructions, INFERENCE_BYTES);
  const fault = tooManyChars(description, DESCRIPTION_CHARS) ?? large;
  const newQuestions = JSON.stringify(instructions) !== pristine;
  const stateSchema = readSchema(schemaEdited);
  const newSchema = JSON.stringify(stateSchema) !== JSON.stringify(base.stateSchema ?? null);
  const newAbstain = abstain !== abstainOf(base.parameters);
  const dirty =
    newQuestions ||
    newSchema ||
    newAbstain ||
    name !== base.name ||
    description !== base.description ||
    store !== base.storeContent;
  let why: string | undefined;
  if (!dirty) why = shell.why.unchanged;
  else if (!name.trim()) why = shell.why.name;
  else if (instructions === undefined || stateSchema === undefined || fault !== undefined) why = shell.why.faulty;
  useEffect(() => onDirty(dirty), [dirty, onDirty]);
  const parameters = () => {
    const { abstain_below: _, ...others } = (base.parameters ?? {}) as Record<string, unknown>;
    return abstain === "" ? others : { ...others, abstain_below: Number(abstain) };
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const input = {
      id: judge.id,
      version: base.version,
      name,
      description,
      storeContent: store,
      ...(newQuestions ? { instructions } : {}),
      ...(newSchema ? { stateSchema } : {}),
      ...(newAbstain ? { parameters: parameters() } : {}),
    };
    update.mutate(
      { input },
      {
        onSuccess: async ({ updateJudge }) => {
          const version = updateJudge.judge?.version ?? base.version;
          // The form begins anew with what was saved, before anybody is told to go on.
          await refetch();
          onRestart();
          tell(version === base.version ? t.savedSame : t.saved(version));
        },
      },
    );
  };
  const reload = async () => {
    await refetch();
    onRestart();
  };

  return (
    <Stack gap="md" miw={0}>
      <LeaveGuard dirty={canEdit && dirty && !update.isPending} />
      <Card component="form" onSubmit={submit} p="lg">
        <fieldset disabled={!canEdit} className="plain-fieldset">
          <Stack gap="md">
            {errorCode(update.error) === "CONFLICT" ? (
              <Alert color="yellow" role="alert">
                <Text size="sm" mb="xs">
                  {t.conflict}
                </Text>
                <Button size="xs" variant="default" onClick={() => void reload()}>
                  {t.reload}
                </Button>
              </Alert>
            ) : (
              <FormAlert message={formError(update.error, FIELDS)} error={update.error} />
            )}
            <JudgeFields values={fields} onChange={setFields} error={update.error} texts={t} />
            <NumberInput
              label={t.abstain}
              description={t.abstainHint}
              value={abstain}
              onChange={setAbstain}
              min={0}
              max={1}
              step={0.05}
              decimalScale={3}
              w={260}
              error={fieldError(update.error, "parameters")}
            />
            <Input.Wrapper label={t.questions} description={t.questionsHint} labelElement="div">
              <Stack mt="xs">
                <InstructionsEditor
                  edited={edited}
                  onChange={setEdited}
                  error={large ?? fieldError(update.error, "instructions")}
                />
              </Stack>
            </Input.Wrapper>
            <Textarea
              label={t.schema}
              description={t.schemaHint}
              value={schemaEdited}
              onChange={(event) => setSchemaEdited(event.currentTarget.value)}
              error={stateSchema === undefined ? t.schemaInvalid : fieldError(update.error, "stateSchema")}
              placeholder='{ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }'
              autosize
              minRows={2}
              maxRows={20}
              spellCheck={false}
              styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } }}
            />
            {canEdit && (
              <Group justify="flex-end" gap="xs">
                {dirty && (
                  <Button variant="subtle" color="gray" onClick={() => void reload()}>
                    {t.discard}
                  </Button>
                )}
                <GuardedButton type="submit" loading={update.isPending} why={why}>
                  {t.save}
                </GuardedButton>
              </Group>
            )}
          </Stack>
        </fieldset>
      </Card>
      {canEdit && <Draft instructions={instructions} />}
    </Stack>
  );
}
