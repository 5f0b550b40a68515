// Named filters, which the browser keeps for each account.
import { Button, CloseButton, Group, Modal, Popover, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { IconBookmark } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useViewer } from "@/api/session";
import { tell } from "@/components/notify";
import type { QueueFilter } from "@/logic/moderationFilter";
import { type SavedView, currentView, parseViews, withView } from "@/logic/savedViews";
import { shell } from "@/texts/shell";
import { queue } from "@/texts/moderation";

const t = queue.views;

interface Props {
  filter: QueueFilter;
  onChoose: (filter: QueueFilter) => void;
}

export function SavedViews({ filter, onChoose }: Props) {
  const { account } = useViewer();
  const [views, setViews] = useLocalStorage<SavedView[]>({
    key: `gavel-moderation-views-${account.id}`,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: parseViews,
    serialize: JSON.stringify,
  });
  const [listed, list] = useDisclosure();
  const [naming, form] = useDisclosure();
  const current = currentView(views, filter);
  const save = (name: string) => {
    setViews(withView(views, { name, filter }));
    form.close();
    tell(t.saved(name));
  };
  const remove = (name: string) => {
    setViews(views.filter((view) => view.name !== name));
    tell(t.removed(name));
  };
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
      <Modal opened={naming} onClose={form.close} title={t.save} size={380}>
        <NameForm views={views} onSave={save} onClose={form.close} />
      </Modal>
    </>
  );
}

interface NameFormProps {
  views: SavedView[];
  onSave: (name: string) => void;
  onClose: () => void;
}

function NameForm({ views, onSave, onClose }: NameFormProps) {
  const [text, setText] = useState("");
  const name = text.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name) onSave(name);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
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
          <Button type="submit" disabled={!name} title={name ? undefined : t.unnamed}>
            {t.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
