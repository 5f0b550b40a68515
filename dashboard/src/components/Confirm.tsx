// Asks before something that costs credits or cannot be undone.
import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { shell } from "@/texts/shell";
import { FormAlert } from "./FormAlert";
import { GuardedButton } from "./GuardedButton";

interface Props {
  opened: boolean;
  title: string;
  children: ReactNode;
  /** What the button says. */
  action: string;
  danger?: boolean;
  /** Why it cannot be confirmed yet. */
  why?: string | false;
  loading?: boolean;
  error?: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}

export function Confirm({ opened, title, children, action, danger, why, loading, error, onConfirm, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} size={440}>
      <Stack gap="md">
        {children}
        <FormAlert message={error?.message} error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {shell.cancel}
          </Button>
          <GuardedButton
            color={danger ? "red" : undefined}
            onClick={onConfirm}
            loading={loading}
            why={why}
            data-autofocus
          >
            {action}
          </GuardedButton>
        </Group>
      </Stack>
    </Modal>
  );
}
