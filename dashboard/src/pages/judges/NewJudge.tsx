// Makes a Judge, from a template or from nothing.
import { Alert, Button, Card, Group, Input, Stack, Text } from "@mantine/core";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { useCanEdit } from "@/api/session";
import { FormAlert } from "@/components/FormAlert";
import { JudgeFields } from "@/components/JudgeFields";
import { AnchorLink } from "@/components/links";
import { LookOnly } from "@/components/LookOnly";
import { tell, tellFailure } from "@/components/notify";
import { Page } from "@/components/Page";
import { type Edited, InstructionsEditor, readEdited } from "@/components/questions/InstructionsEditor";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { newDraft } from "@/logic/instructions";
import { DESCRIPTION_CHARS, INFERENCE_BYTES, tooManyBytes, tooManyChars } from "@/logic/limits";
import { draftsFrom, exampleLines, type Template, templates } from "@/logic/templates";
import { judges } from "@/texts/judges";
import { shell } from "@/texts/shell";
import { Figures, TemplateCards } from "./TemplateCards";

const CreateMutation = graphql(`
  mutation CreateJudge($input: CreateJudgeInput!) {
    createJudge(input: $input) {
      judge {
        id
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const ImportExamplesMutation = graphql(`
  mutation ImportExamples($input: ImportSamplesInput!) {
    importSamples(input: $input) {
      imported
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = judges.make;
const route = getRouteApi("/app/judges/new");

export function NewJudge() {
  const { template } = route.useSearch();
  if (!useCanEdit()) return <LookOnly title={t.title} back="/judges" />;
  return (
    <Page title={t.title} text={t.text}>
      <Stack gap="md">
        <TemplateCards blank chosen={template} />
        {template && <Form key={template} templateId={template} />}
      </Stack>
    </Page>
  );
}

function Form({ templateId }: { templateId: string }) {
  const template = templates.find((one) => one.id === templateId);
  const router = useRouter();
  const [fields, setFields] = useState({
    name: template?.name ?? "",
    description: template?.description ?? "",
    store: true,
  });
  const [edited, setEdited] = useState<Edited>(() => ({
    kind: "form",
    drafts: (template && draftsFrom(template)) ?? [
      newDraft({
        key: "q1",
        options: [
          { name: "", text: "" },
          { name: "", text: "" },
        ],
      }),
    ],
  }));
  const { name, description, store } = fields;
  const create = useAction(CreateMutation);
  const importExamples = useAction(ImportExamplesMutation);
  const instructions = readEdited(edited);
  const large = tooManyBytes(instructions, INFERENCE_BYTES);
  const fault = tooManyChars(description, DESCRIPTION_CHARS) ?? large;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { input: { name, description, storeContent: store, instructions } },
      {
        onSuccess: ({ createJudge }) => {
          const judgeId = createJudge.judge?.id;
          if (!judgeId) return;
          const data = exampleLines(template, instructions);
          if (!data) return void router.navigate({ to: "/judges/$judgeId", params: { judgeId } });
          importExamples.mutate(
            { input: { judgeId, format: "JSONL", data } },
            {
              onSuccess: ({ importSamples }) => tell(judges.templates.imported(importSamples.imported ?? 0)),
              onError: tellFailure,
              onSettled: () => router.navigate({ to: "/judges/$judgeId/checkpoints", params: { judgeId } }),
            },
          );
        },
      },
    );
  };
  return (
    <Card component="form" onSubmit={submit} p="lg" maw={760}>
      <Stack gap="md">
        <FormAlert message={formError(create.error, ["name", "description", "instructions"])} error={create.error} />
        {template && <Quality template={template} />}
        <JudgeFields values={fields} onChange={setFields} error={create.error} texts={t} />
        <Input.Wrapper label={t.questions} labelElement="div">
          <InstructionsEditor
            edited={edited}
            onChange={setEdited}
            error={large ?? fieldError(create.error, "instructions")}
          />
        </Input.Wrapper>
        <Group justify="flex-end" gap="sm">
          <AnchorLink to="/judges" size="sm" c="dimmed">
            {shell.cancel}
          </AnchorLink>
          <Button
            type="submit"
            loading={create.isPending || importExamples.isPending}
            disabled={!name.trim() || instructions === undefined || fault !== undefined}
          >
            {t.submit}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

/** How well the template answers, and what it imports. */
function Quality({ template }: { template: Template }) {
  const texts = judges.templates;
  const n = Object.values(template.measured)[0]?.n ?? 0;
  return (
    <Alert color="pine" title={texts.measured}>
      <Text size="xs">{texts.about(n)}</Text>
      <Figures template={template} />
      {template.examples && <Text size="xs">{texts.imports}</Text>}
    </Alert>
  );
}
