// Changes the backends that a key or an account may use.
import { Text } from "@mantine/core";
import { useState } from "react";
import { allowedBackends as t } from "@/texts/allowedBackends";
import { shell } from "@/texts/shell";
import { BackendsField } from "./BackendsField";
import { Confirm } from "./Confirm";
import { useOnOpen } from "./useOnOpen";

interface Props {
  /** Whose they are. */
  name: string;
  text: string;
  now: string[] | null;
  opened: boolean;
  loading: boolean;
  error: Error | null;
  onSave: (backends: string[] | null) => void;
  onClose: () => void;
}

export function SetBackends({ name, text, now, opened, loading, error, onSave, onClose }: Props) {
  const [chosen, setChosen] = useState(now);
  useOnOpen(opened, () => setChosen(now));
  return (
    <Confirm
      opened={opened}
      title={t.title(name)}
      action={t.save}
      why={JSON.stringify(chosen) === JSON.stringify(now) && shell.why.unchanged}
      loading={loading}
      error={error}
      onClose={onClose}
      onConfirm={() => onSave(chosen)}
    >
      <Text size="sm" c="dimmed">
        {text}
      </Text>
      <BackendsField value={chosen} onChange={setChosen} />
    </Confirm>
  );
}
