// Imports a file, after a look at what it would do.
import { Alert, Button, FileInput, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { UserErrors } from "@/api/errors";
import { FormAlert } from "@/components/FormAlert";
import { tell } from "@/components/notify";
import { useAction } from "@/components/useAction";
import type { JudgeData } from "@/pages/judge/query";
import { dataset } from "@/texts/dataset";
import { shell } from "@/texts/shell";
import { ImportMutation } from "./queries";

const t = dataset.importer;
/** What fits into a GraphQL request, with its escapes. */
const MAX_BYTES = 900_000;

interface Chosen {
  data: string;
  format: "CSV" | "JSONL";
}

export function Importer({ judge, opened, onClose }: { judge: JudgeData; opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={t.title} size={520}>
      {opened && <Form judge={judge} onClose={onClose} />}
    </Modal>
  );
}

function Form({ judge, onClose }: { judge: JudgeData; onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [chosen, setChosen] = useState<Chosen>();
  const check = useAction(ImportMutation);
  const run = useAction(ImportMutation);
  const tooLarge = file !== null && file.size > MAX_BYTES;
  const choose = async (next: File | null) => {
    setFile(next);
    setChosen(undefined);
    check.reset();
    run.reset();
    if (!next || next.size > MAX_BYTES) return;
    const data = await next.text();
    const format = next.name.toLowerCase().endsWith(".csv") ? "CSV" : "JSONL";
    setChosen({ data, format });
    check.mutate({ input: { judgeId: judge.id, data, format, dryRun: true } });
  };
  const submit = () =>
    chosen &&
    run.mutate({ input: { judgeId: judge.id, ...chosen } }, {
      onSuccess: ({ importSamples }) => {
        tell(t.done(importSamples.imported ?? 0));
        onClose();
      },
    });
  const checked = check.data?.importSamples;
  const error = run.error ?? check.error;
  return (
    <Stack gap="md">
      <Text size="sm">{t.text}</Text>
      <FileInput label={t.file} placeholder={t.choose} accept=".jsonl,.ndjson,.csv,application/x-ndjson,text/csv" value={file} onChange={(next) => void choose(next)} clearable />
      {tooLarge && <Alert color="yellow">{t.tooLarge}<Text className="mono" mt={4}>/api/v1/judges/{judge.id}/dataset</Text></Alert>}
      {checked && <Alert>{t.checked(checked.lines ?? 0, checked.imported ?? 0, checked.labelled ?? 0, checked.duplicates ?? 0)}</Alert>}
      {error instanceof UserErrors ? (
        <Alert color="red" title={t.faults} role="alert">
          {error.errors.slice(0, 12).map((one) => (
            <Text size="sm" key={(one.field ?? "") + one.message}>{one.field && <span className="mono">{one.field} </span>}{one.message}</Text>
          ))}
        </Alert>
      ) : (
        <FormAlert message={error?.message} />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>{shell.cancel}</Button>
        <Button onClick={submit} disabled={!checked} loading={run.isPending || check.isPending}>{t.submit}</Button>
      </Group>
    </Stack>
  );
}
