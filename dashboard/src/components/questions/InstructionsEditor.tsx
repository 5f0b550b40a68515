// Edits instructions as a form or as JSON. What a form cannot show stays JSON.
import { Group, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { type Draft, draftsOf, instructionsOf, problems } from "@/logic/instructions";
import { questions as t } from "@/texts/questions";
import { QuestionEditor } from "./QuestionEditor";

/** Instructions while they are edited. */
export type Edited = { kind: "form"; drafts: Draft[] } | { kind: "json"; text: string };

export function editedOf(instructions: unknown): Edited {
  const drafts = draftsOf(instructions);
  return drafts ? { kind: "form", drafts } : { kind: "json", text: JSON.stringify(instructions, null, 2) };
}

/** The instructions, or undefined while they cannot be sent. */
export function readEdited(edited: Edited): unknown {
  if (edited.kind === "form") return problems(edited.drafts).length ? undefined : instructionsOf(edited.drafts);
  try {
    return JSON.parse(edited.text);
  } catch {
    return undefined;
  }
}

export function InstructionsEditor({
  edited,
  onChange,
  error,
}: {
  edited: Edited;
  onChange: (edited: Edited) => void;
  error?: string;
}) {
  const [note, setNote] = useState<string>();
  const change = (kind: string) => {
    setNote(undefined);
    if (kind === edited.kind) return;
    if (edited.kind === "form")
      return onChange({ kind: "json", text: JSON.stringify(instructionsOf(edited.drafts), null, 2) });
    const value = readEdited(edited);
    const drafts = value === undefined ? undefined : draftsOf(value);
    if (drafts) onChange({ kind: "form", drafts });
    else setNote(value === undefined ? t.jsonInvalid : t.jsonOnly);
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          value={edited.kind}
          onChange={change}
          data={[
            { value: "form", label: t.form },
            { value: "json", label: t.json },
          ]}
          aria-label={t.form}
        />
        {note && (
          <Text size="xs" c="dimmed" role="status">
            {note}
          </Text>
        )}
      </Group>
      {error && (
        <Text size="sm" c="red" role="alert">
          {error}
        </Text>
      )}
      {edited.kind === "form" ? (
        <QuestionEditor drafts={edited.drafts} onChange={(drafts) => onChange({ kind: "form", drafts })} />
      ) : (
        <Textarea
          aria-label={t.json}
          value={edited.text}
          onChange={(event) => onChange({ kind: "json", text: event.currentTarget.value })}
          error={readEdited(edited) === undefined && t.jsonInvalid}
          autosize
          minRows={8}
          maxRows={28}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } }}
        />
      )}
    </Stack>
  );
}
