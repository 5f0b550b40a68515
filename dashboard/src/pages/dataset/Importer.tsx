// Imports a file after showing its first rows and what the import would do. A file with the API's column names is
// streamed unchanged; for other files, columns are mapped first.
import { Alert, Button, FileInput, Group, Modal, Progress, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { idempotencyKey, RestError, upload } from "@/api/rest";
import { FindRequest } from "@/components/FindRequest";
import { FormAlert } from "@/components/FormAlert";
import { GuardedButton } from "@/components/GuardedButton";
import { tell } from "@/components/notify";
import { count, sentence } from "@/logic/format";
import { type Format, type ImportFile, lookInto, readRows } from "@/logic/importFile";
import { guess, isComplete, type Mapping, mappedLines, withMeaning } from "@/logic/importMapping";
import { IMPORT_BYTES, size } from "@/logic/limits";
import { sampleFile } from "@/logic/sampleFile";
import { saveFile } from "@/logic/saveFile";
import type { JudgeData } from "@/pages/judge/query";
import { dataset } from "@/texts/dataset";
import { shell } from "@/texts/shell";
import { ImportPreview } from "./ImportPreview";

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
  look?: ImportFile;
  mapping?: Mapping;
}

export function Importer({ judge, opened, onClose }: { judge: JudgeData; opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={t.title} size={680}>
      {opened && <Form judge={judge} onClose={onClose} />}
    </Modal>
  );
}

/** The file as the server takes it. */
async function contentOf({ file, look, mapping }: Chosen, judge: JudgeData): Promise<[Blob, Format]> {
  if (!look || !mapping) return [file, look?.format ?? "jsonl"];
  return [new Blob([mappedLines(readRows(await file.text(), look), mapping, judge)]), "jsonl"];
}

function Form({ judge, onClose }: { judge: JudgeData; onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen>();
  const [sent, setSent] = useState<number>();
  const send = async (next: Chosen, dryRun: boolean) => {
    setSent(0);
    try {
      const [content, format] = await contentOf(next, judge);
      const path = `/api/v1/judges/${judge.id}/dataset?format=${format}&dry_run=${dryRun}`;
      const headers = {
        "Content-Type": format === "csv" ? "text/csv" : "application/x-ndjson",
        ...(dryRun ? {} : { "Idempotency-Key": next.key }),
      };
      return await upload<Imported>(path, content, { headers, onProgress: setSent });
    } finally {
      setSent(undefined);
    }
  };
  const check = useMutation({ mutationFn: (next: Chosen) => send(next, true) });
  const run = useMutation({ mutationFn: (next: Chosen) => send(next, false) });
  const tooLarge = chosen && chosen.file.size > IMPORT_BYTES;
  const consider = (next: Chosen | undefined) => {
    check.reset();
    run.reset();
    setChosen(next);
    if (next && next.file.size <= IMPORT_BYTES && (!next.mapping || isComplete(next.mapping))) check.mutate(next);
  };
  const choose = async (file: File | null) => {
    if (!file) return consider(undefined);
    const look = await lookInto(file);
    const mapping = look.direct ? undefined : guess(look.columns, judge);
    consider({ file, key: idempotencyKey(), look, mapping });
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
  let why: string | undefined;
  if (!chosen) why = t.why.file;
  else if (chosen.mapping && !isComplete(chosen.mapping)) why = t.why.state;
  else if (!checked) why = t.why.check;
  return (
    <Stack gap="md">
      <Text size="sm">{t.text}</Text>
      <Samples judge={judge} />
      <FileInput
        label={t.file}
        placeholder={t.choose}
        accept=".jsonl,.ndjson,.csv,.tsv,application/x-ndjson,text/csv"
        value={chosen?.file ?? null}
        onChange={(file) => void choose(file)}
        disabled={sent !== undefined}
        clearable
      />
      {tooLarge && (
        <Alert color="yellow">
          {shell.limits.bytes(size(IMPORT_BYTES), size(chosen.file.size))} {t.tooLarge}
        </Alert>
      )}
      {chosen?.look && (
        <ImportPreview
          judge={judge}
          file={chosen.look}
          mapping={chosen.mapping}
          busy={sent !== undefined}
          onMeaning={(column, meaning) =>
            consider({
              ...chosen,
              key: idempotencyKey(),
              mapping: withMeaning(chosen.mapping ?? {}, column, meaning),
            })
          }
        />
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
        <GuardedButton onClick={submit} why={why} loading={run.isPending || check.isPending}>
          {checked ? t.submitCount(count(checked.imported + checked.labelled)) : t.submit}
        </GuardedButton>
      </Group>
    </Stack>
  );
}

/** Files to download, as examples for the Judge's own questions. */
function Samples({ judge }: { judge: JudgeData }) {
  const save = (format: Format) =>
    saveFile(new Blob([sampleFile(format, judge, t.sample.texts)]), `${t.sample.name}.${format}`);
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        {t.sample.text}
      </Text>
      {(["csv", "jsonl"] as const).map((format) => (
        <Button key={format} size="compact-xs" variant="default" onClick={() => save(format)}>
          {t.sample.formats[format]}
        </Button>
      ))}
    </Group>
  );
}

/** The faults of a file by line, or why it was refused as a whole. */
function Faults({ error }: { error: Error | null }) {
  if (!(error instanceof RestError) || error.details.length === 0)
    return <FormAlert message={error?.message} error={error} />;
  return (
    <Alert color="red" title={t.faults} role="alert">
      {error.details.slice(0, 12).map((one) => (
        <Text size="sm" key={one.field + one.message}>
          {one.field && <span className="mono">{one.field} </span>}
          {one.field ? one.message : sentence(one.message)}
        </Text>
      ))}
      <FindRequest error={error} mt={4} />
    </Alert>
  );
}
