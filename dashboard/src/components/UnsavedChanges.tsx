// Asks before unsaved changes are lost: by leaving the page, or by replacing what was typed.
import { Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { shell } from "@/texts/shell";
import { Confirm } from "./Confirm";

const t = shell.unsaved;

/** Asks before the page is left while `dirty`. */
export function LeaveGuard({ dirty }: { dirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => dirty,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  return <Discard opened={status === "blocked"} onConfirm={() => proceed?.()} onClose={() => reset?.()} />;
}

/** Runs an action at once, or after it was confirmed while `dirty`. Returns how to ask, and the dialog to show. */
export function useDiscard(dirty: boolean) {
  const [waiting, setWaiting] = useState<() => void>();
  const ask = (action: () => void) => (dirty ? setWaiting(() => action) : action());
  const close = () => setWaiting(undefined);
  const confirm = () => {
    waiting?.();
    close();
  };
  return { ask, dialog: <Discard opened={waiting !== undefined} onConfirm={confirm} onClose={close} /> };
}

function Discard({ opened, onConfirm, onClose }: { opened: boolean; onConfirm: () => void; onClose: () => void }) {
  return (
    <Confirm opened={opened} title={t.title} action={t.discard} danger onConfirm={onConfirm} onClose={onClose}>
      <Text size="sm">{t.text}</Text>
    </Confirm>
  );
}
