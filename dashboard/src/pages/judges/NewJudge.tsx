// Makes a Judge, from a template or from nothing.
import { Button, Card, Checkbox, Group, Input, Stack, TextInput, Textarea } from "@mantine/core";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { useCanEdit } from "@/api/session";
import { FormAlert } from "@/components/FormAlert";
import { AnchorLink } from "@/components/links";
import { LookOnly } from "@/components/LookOnly";
import { Page } from "@/components/Page";
import { type Edited, InstructionsEditor, readEdited } from "@/components/questions/InstructionsEditor";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { newDraft } from "@/logic/instructions";
import { DESCRIPTION_CHARS, INFERENCE_BYTES, tooManyBytes, tooManyChars } from "@/logic/limits";
import { templates } from "@/logic/templates";
import { judges } from "@/texts/judges";
import { shell } from "@/texts/shell";
import { TemplateCards } from "./TemplateCards";

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
  const [name, setName] = useState(template?.name ?? "");
  const [description, setDescription] = useState(template?.description ?? "");
  const [store, setStore] = useState(true);
  const [edited, setEdited] = useState<Edited>(() => ({
    kind: "form",
    drafts: template?.drafts() ?? [
      newDraft({
        key: "q1",
        options: [
          { name: "", text: "" },
          { name: "", text: "" },
        ],
      }),
    ],
  }));
  const create = useAction(CreateMutation);
  const instructions = readEdited(edited);
  const large = tooManyBytes(instructions, INFERENCE_BYTES);
  const fault = tooManyChars(description, DESCRIPTION_CHARS) ?? large;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { input: { name, description, storeContent: store, instructions } },
      {
        onSuccess: ({ createJudge }) => {
          const id = createJudge.judge?.id;
          if (id) void router.navigate({ to: "/judges/$judgeId", params: { judgeId: id } });
        },
      },
    );
  };
  return (
    <Card component="form" onSubmit={submit} p="lg" maw={760}>
      <Stack gap="md">
        <FormAlert message={formError(create.error, ["name", "description", "instructions"])} />
        <TextInput
          label={t.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(create.error, "name")}
          maxLength={100}
        />
        <Textarea
          label={t.description}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={tooManyChars(description, DESCRIPTION_CHARS) ?? fieldError(create.error, "description")}
          autosize
          minRows={1}
          maxRows={5}
        />
        <Checkbox
          label={t.store}
          description={t.storeHint}
          checked={store}
          onChange={(event) => setStore(event.currentTarget.checked)}
        />
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
            loading={create.isPending}
            disabled={!name.trim() || instructions === undefined || fault !== undefined}
          >
            {t.submit}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
