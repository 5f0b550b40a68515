// Imports a file, after a look at what it would do.
import { Alert, Button, FileInput, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { UserErrors } from "@/api/errors";
import { FormAlert } from "@/components/FormAlert";
import { tell } from "@/components/notify";
import { useAction } from "@/components/useAction";
import { GRAPHQL_BYTES, size, tooManyBytes } from "@/logic/limits";
import type { JudgeData } from "@/pages/judge/query";
import { dataset } from "@/texts/dataset";
import { shell } from "@/texts/shell";
import { ImportMutation } from "./queries";

const t = dataset.importer;

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
  const [tooLarge, setTooLarge] = useState<string>();
  const choose = async (next: File | null) => {
    setFile(next);
    setChosen(undefined);
    setTooLarge(undefined);
    check.reset();
    run.reset();
    if (!next) return;
    // A larger file is not read at all; one that fits may not, once its quotes are escaped.
    if (next.size > GRAPHQL_BYTES) return setTooLarge(shell.limits.bytes(size(GRAPHQL_BYTES), size(next.size)));
    const data = await next.text();
    const fault = tooManyBytes(data, GRAPHQL_BYTES);
    if (fault) return setTooLarge(fault);
    const format = next.name.toLowerCase().endsWith(".csv") ? "CSV" : "JSONL";
    setChosen({ data, format });
    check.mutate({ input: { judgeId: judge.id, data, format, dryRun: true } });
    return undefined;
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
      {tooLarge && <Alert color="yellow">{tooLarge} {t.tooLarge}<Text className="mono" mt={4}>/api/v1/judges/{judge.id}/dataset</Text></Alert>}
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
