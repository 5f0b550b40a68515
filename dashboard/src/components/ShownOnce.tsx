// A secret that is shown once: only its own button closes it.
import { Alert, Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { CopyText } from "./CopyButton";

interface Props {
  /** The secret; undefined while there is none. */
  secret: string | null | undefined;
  texts: { title: string; text: string; label: string; done: string };
  onClose: () => void;
}

export function ShownOnce({ secret, texts, onClose }: Props) {
  return (
    <Modal
      opened={Boolean(secret)}
      onClose={onClose}
      title={texts.title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Alert color="yellow">{texts.text}</Alert>
        <Group gap="xs" wrap="nowrap" align="flex-end">
          <TextInput
            label={texts.label}
            value={secret ?? ""}
            readOnly
            style={{ flex: 1 }}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12 } }}
            onFocus={(event) => event.currentTarget.select()}
            data-autofocus
            data-testid="secret"
          />
          <CopyText value={secret ?? ""} />
        </Group>
        <Button onClick={onClose}>{texts.done}</Button>
      </Stack>
    </Modal>
  );
}
