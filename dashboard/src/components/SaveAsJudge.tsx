// Makes a Judge of questions that are there already: a copy of another's, or those of the playground.
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { formError } from "@/api/errors";
import { graphql } from "@/gql";
import { DESCRIPTION_CHARS, tooManyChars } from "@/logic/limits";
import { judges } from "@/texts/judges";
import { shell } from "@/texts/shell";
import { FormAlert } from "./FormAlert";
import { GuardedButton } from "./GuardedButton";
import { JudgeFields } from "./JudgeFields";
import { tell } from "./notify";
import { useAction } from "./useAction";

const SaveMutation = graphql(`
  mutation SaveAsJudge($input: CreateJudgeInput!) {
    createJudge(input: $input) {
      judge {
        id
        name
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

/** What the new Judge begins with. */
export interface JudgeSource {
  name: string;
  description: string;
  storeContent: boolean;
  instructions: unknown;
  parameters?: unknown;
  stateSchema?: unknown;
}

interface Props {
  source: JudgeSource;
  texts: { title: string; text: string; submit: string };
  opened: boolean;
  onClose: () => void;
}

export function SaveAsJudge({ opened, onClose, ...form }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={form.texts.title} closeOnClickOutside={false}>
      {opened && <Form {...form} onClose={onClose} />}
    </Modal>
  );
}

function Form({ source, texts, onClose }: Omit<Props, "opened">) {
  const router = useRouter();
  const [fields, setFields] = useState({
    name: source.name,
    description: source.description,
    store: source.storeContent,
  });
  const create = useAction(SaveMutation);
  const { name, description, store } = fields;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The dialog may be opened from within another form.
    event.stopPropagation();
    create.mutate(
      { input: { ...source, name, description, storeContent: store } },
      {
        onSuccess: ({ createJudge: { judge } }) => {
          onClose();
          if (!judge) return;
          tell(judges.savedAs(judge.name));
          void router.navigate({ to: "/judges/$judgeId", params: { judgeId: judge.id } });
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {texts.text}
        </Text>
        <FormAlert message={formError(create.error, ["name", "description"])} error={create.error} />
        <JudgeFields values={fields} onChange={setFields} error={create.error} texts={judges.make} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {shell.cancel}
          </Button>
          <GuardedButton
            type="submit"
            loading={create.isPending}
            why={name.trim() ? tooManyChars(description, DESCRIPTION_CHARS) : shell.why.name}
          >
            {texts.submit}
          </GuardedButton>
        </Group>
      </Stack>
    </form>
  );
}
