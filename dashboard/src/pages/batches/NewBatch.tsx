// Submits a batch, after its price was agreed to.
import { Alert, FileInput, Text, Textarea } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useViewer } from "@/api/session";
import { Confirm } from "@/components/Confirm";
import { tell } from "@/components/notify";
import { Rich } from "@/components/Rich";
import { useAction } from "@/components/useAction";
import { usePrices } from "@/components/usePrices";
import { graphql } from "@/gql";
import { readLines } from "@/logic/batchLines";
import { creditAmount, credits } from "@/logic/format";
import { GRAPHQL_BYTES, size, tooManyBytes } from "@/logic/limits";
import { batches } from "@/texts/integrate";
import { shell } from "@/texts/shell";

const SubmitMutation = graphql(`
  mutation SubmitBatch($data: String!) {
    submitBatch(input: { data: $data }) {
      batch {
        id
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = batches.form;

export function NewBatch({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { account } = useViewer();
  const router = useRouter();
  const [data, setData] = useState(t.example);
  const [file, setFile] = useState<File | null>(null);
  const submit = useAction(SubmitMutation);
  const prices = usePrices(opened);
  const [text, inference] = [prices.of("TEXT"), prices.of("INFERENCE")];
  const lines = readLines(data);
  const items = lines.texts + lines.inferences;
  const price =
    text === undefined || inference === undefined ? undefined : lines.texts * text + lines.inferences * inference;
  // A larger file is not read at all.
  const tooLarge =
    file && file.size > GRAPHQL_BYTES
      ? shell.limits.bytes(size(GRAPHQL_BYTES), size(file.size))
      : tooManyBytes(data, GRAPHQL_BYTES);
  const choose = async (next: File | null) => {
    setFile(next);
    if (next && next.size <= GRAPHQL_BYTES) setData(await next.text());
  };
  const run = () =>
    submit.mutate(
      { data },
      {
        onSuccess: ({ submitBatch }) => {
          onClose();
          tell(batches.submitted);
          const id = submitBatch.batch?.id;
          if (id) void router.navigate({ to: "/batches/$batchId", params: { batchId: id } });
        },
      },
    );
  let why: string | undefined;
  if (items === 0) why = t.noItems;
  else if (tooLarge !== undefined || lines.fault !== undefined) why = shell.why.faulty;
  else if (price === undefined) why = shell.why.price;
  const cost = price === undefined ? "…" : creditAmount(price);
  return (
    <Confirm
      opened={opened}
      title={t.title}
      action={t.action(cost)}
      why={why}
      loading={submit.isPending}
      error={submit.error ?? prices.error}
      onClose={onClose}
      onConfirm={run}
    >
      <Text size="sm" c="dimmed">
        <Rich text={t.text} />
      </Text>
      <FileInput
        label={t.file}
        placeholder={t.choose}
        accept=".jsonl,.ndjson,application/jsonl"
        value={file}
        onChange={(next) => void choose(next)}
        clearable
      />
      {tooLarge && (
        <Alert color="yellow">
          {tooLarge} <Rich text={t.tooLarge} />
        </Alert>
      )}
      <Textarea
        label={t.lines}
        value={data}
        onChange={(event) => setData(event.currentTarget.value)}
        autosize
        minRows={4}
        maxRows={10}
        spellCheck={false}
        error={lines.fault !== undefined && t.invalid(lines.fault)}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12 } }}
      />
      {items > 0 && <Text size="sm">{t.price(items, cost, credits(account.available))}</Text>}
    </Confirm>
  );
}
