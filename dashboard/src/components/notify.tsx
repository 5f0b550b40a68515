// Short messages about what was done, with a way back where there is one.
import { Button, Group, Text } from "@mantine/core";
import { hideNotification, showNotification } from "@mantine/notifications";
import { ApiError } from "@/api/errors";
import { sentence } from "@/logic/format";
import { shell as t } from "@/texts/shell";
import { FindRequest } from "./FindRequest";

let next = 0;

export function tell(message: string) {
  showNotification({ message, color: "pine" });
}

export function tellFailure(error: unknown) {
  // The dialog over the page says that the session has ended.
  if (error instanceof ApiError && error.code === "UNAUTHORIZED") return;
  showNotification({
    title: t.failed,
    message: (
      <>
        {sentence(error instanceof Error ? error.message : String(error))}
        <FindRequest error={error} mt={4} />
      </>
    ),
    color: "red",
    autoClose: 10_000,
  });
}

/** Says what was done, with a button that takes it back. */
export function tellWithUndo(message: string, undo: () => Promise<unknown>) {
  next += 1;
  const id = `undo-${next}`;
  const run = () => {
    hideNotification(id);
    undo().then(() => tell(t.undone), tellFailure);
  };
  showNotification({
    id,
    color: "pine",
    autoClose: 10_000,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm">{message}</Text>
        <Button size="compact-sm" variant="light" onClick={run}>
          {t.undo}
        </Button>
      </Group>
    ),
  });
}
