// Named filters, which the server keeps for each person.
import { Button, CloseButton, Group, Modal, Popover, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBookmark } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { formError } from "@/api/errors";
import { query } from "@/api/graphql";
import { FormAlert } from "@/components/FormAlert";
import { tell, tellFailure } from "@/components/notify";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { type QueueFilter, filterOf } from "@/logic/moderationFilter";
import { type SavedView, currentView, readViews } from "@/logic/savedViews";
import { shell } from "@/texts/shell";
import { queue } from "@/texts/moderation";

const ViewsQuery = graphql(`
  query SavedViews {
    viewer {
      savedViews {
        name
        filter
      }
    }
  }
`);
const SaveMutation = graphql(`
  mutation SaveView($input: SaveViewInput!) {
    saveView(input: $input) {
      view {
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
const RemoveMutation = graphql(`
  mutation RemoveView($name: String!) {
    removeView(input: { name: $name }) {
      removed
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = queue.views;

interface Props {
  filter: QueueFilter;
  onChoose: (filter: QueueFilter) => void;
}

export function SavedViews({ filter, onChoose }: Props) {
  const { data } = useQuery(query(ViewsQuery));
  const views = readViews(data?.viewer?.savedViews ?? []);
  const saving = useAction(SaveMutation);
  const removing = useAction(RemoveMutation);
  const [listed, list] = useDisclosure();
  const [naming, form] = useDisclosure();
  const current = currentView(views, filter);
  const close = () => {
    form.close();
    saving.reset();
  };
  const save = (name: string) =>
    saving.mutate(
      { input: { name, filter: filterOf(filter) } },
      {
        onSuccess: () => {
          close();
          tell(t.saved(name));
        },
      },
    );
  const remove = (name: string) =>
    removing.mutate({ name }, { onSuccess: () => tell(t.removed(name)), onError: tellFailure });
  return (
    <>
      <Popover position="bottom-start" shadow="md" width={260} opened={listed} onDismiss={list.close} trapFocus>
        <Popover.Target>
          <Button
            size="xs"
            variant={current ? "light" : "default"}
            leftSection={<IconBookmark size={14} />}
            onClick={list.toggle}
          >
            {current?.name ?? t.title}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap={6}>
            {views.length === 0 && (
              <Text size="sm" c="dimmed">
                {t.none}
              </Text>
            )}
            {views.map((view) => (
              <Group key={view.name} gap={4} wrap="nowrap">
                <Button
                  size="compact-sm"
                  variant={view === current ? "light" : "subtle"}
                  color={view === current ? undefined : "gray"}
                  justify="flex-start"
                  style={{ flex: 1, minWidth: 0 }}
                  onClick={() => {
                    list.close();
                    onChoose(view.filter);
                  }}
                >
                  {view.name}
                </Button>
                <CloseButton size="sm" aria-label={t.remove(view.name)} onClick={() => remove(view.name)} />
              </Group>
            ))}
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                list.close();
                form.open();
              }}
            >
              {t.save}
            </Button>
          </Stack>
        </Popover.Dropdown>
      </Popover>
      <Modal opened={naming} onClose={close} title={t.save} size={380}>
        <NameForm views={views} error={saving.error} loading={saving.isPending} onSave={save} onClose={close} />
      </Modal>
    </>
  );
}

interface NameFormProps {
  views: SavedView[];
  error: Error | null;
  loading: boolean;
  onSave: (name: string) => void;
  onClose: () => void;
}

function NameForm({ views, error, loading, onSave, onClose }: NameFormProps) {
  const [text, setText] = useState("");
  const name = text.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name) onSave(name);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <FormAlert message={formError(error, [])} error={error} />
        <TextInput
          label={t.name}
          value={text}
          maxLength={60}
          description={views.some((view) => view.name === name) ? t.replaces : undefined}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button type="submit" loading={loading} disabled={!name} title={name ? undefined : t.unnamed}>
            {t.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
