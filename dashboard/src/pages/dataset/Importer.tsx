// Imports a file, after a look at what it would do. It is sent as it is, so that a large one is never in memory.
import { Alert, Button, FileInput, Group, Modal, Progress, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { idempotencyKey, RestError, upload } from "@/api/rest";
import { FormAlert } from "@/components/FormAlert";
import { tell } from "@/components/notify";
import { IMPORT_BYTES, size } from "@/logic/limits";
import type { JudgeData } from "@/pages/judge/query";
import { dataset } from "@/texts/dataset";
import { shell } from "@/texts/shell";

const t = dataset.importer;

interface Imported {
  lines: number;
  imported: number;
  labelled: number;
  duplicates: number;
}

interface Chosen {
  file: File;
  /** The same however often the file is sent, so that an answer that was lost imports nothing twice. */
  key: string;
}

export function Importer({ judge, opened, onClose }: { judge: JudgeData; opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={t.title} size={520}>
      {opened && <Form judge={judge} onClose={onClose} />}
    </Modal>
  );
}

function Form({ judge, onClose }: { judge: JudgeData; onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen>();
  const [sent, setSent] = useState<number>();
  const send = ({ file, key }: Chosen, dryRun: boolean) => {
    const format = file.name.toLowerCase().endsWith(".csv") ? "csv" : "jsonl";
    setSent(0);
    return upload<Imported>(`/api/v1/judges/${judge.id}/dataset?format=${format}&dry_run=${dryRun}`, file, {
      headers: {
        "Content-Type": format === "csv" ? "text/csv" : "application/x-ndjson",
        ...(dryRun ? {} : { "Idempotency-Key": key }),
      },
      onProgress: setSent,
    }).finally(() => setSent(undefined));
  };
  const check = useMutation({ mutationFn: (next: Chosen) => send(next, true) });
  const run = useMutation({ mutationFn: (next: Chosen) => send(next, false) });
  const tooLarge = chosen && chosen.file.size > IMPORT_BYTES;
  const choose = (file: File | null) => {
    check.reset();
    run.reset();
    const next = file ? { file, key: idempotencyKey() } : undefined;
    setChosen(next);
    if (next && next.file.size <= IMPORT_BYTES) check.mutate(next);
  };
  const submit = () =>
    chosen &&
    run.mutate(chosen, {
      onSuccess: ({ imported }) => {
        tell(t.done(imported));
        onClose();
      },
    });
  const checked = check.data;
  return (
    <Stack gap="md">
      <Text size="sm">{t.text}</Text>
      <FileInput
        label={t.file}
        placeholder={t.choose}
        accept=".jsonl,.ndjson,.csv,application/x-ndjson,text/csv"
        value={chosen?.file ?? null}
        onChange={choose}
        disabled={sent !== undefined}
        clearable
      />
      {tooLarge && (
        <Alert color="yellow">
          {shell.limits.bytes(size(IMPORT_BYTES), size(chosen.file.size))} {t.tooLarge}
        </Alert>
      )}
      {sent !== undefined && (
        <div>
          <Text size="xs" c="dimmed" mb={4} className="numeric">
            {sent < 1 ? t.sending(Math.floor(sent * 100)) : t.reading}
          </Text>
          <Progress value={sent * 100} animated={sent === 1} aria-label={t.progress} />
        </div>
      )}
      {checked && <Alert>{t.checked(checked.lines, checked.imported, checked.labelled, checked.duplicates)}</Alert>}
      <Faults error={run.error ?? check.error} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {shell.cancel}
        </Button>
        <Button onClick={submit} disabled={!checked} loading={run.isPending || check.isPending}>
          {t.submit}
        </Button>
      </Group>
    </Stack>
  );
}

/** The faults of a file by line, or why it was refused as a whole. */
function Faults({ error }: { error: Error | null }) {
  if (!(error instanceof RestError) || error.details.length === 0) return <FormAlert message={error?.message} />;
  return (
    <Alert color="red" title={t.faults} role="alert">
      {error.details.slice(0, 12).map((one) => (
        <Text size="sm" key={one.field + one.message}>
          {one.field && <span className="mono">{one.field} </span>}
          {one.message}
        </Text>
      ))}
    </Alert>
  );
}
