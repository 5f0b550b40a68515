// Starts an evaluation, after its price was agreed to.
import { Group, Select, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { query } from "@/api/graphql";
import { Confirm } from "@/components/Confirm";
import { tell } from "@/components/notify";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { EvaluationScope, SampleSource } from "@/gql/graphql";
import { creditAmount } from "@/logic/format";
import type { JudgeData } from "@/pages/judge/query";
import { shell } from "@/texts/shell";
import { evaluations } from "@/texts/training";

const PriceQuery = graphql(`
  query EvaluationPrice($input: EvaluationInput!) {
    evaluationPrice(input: $input) {
      samples
      price
      credits
    }
  }
`);
const StartMutation = graphql(`
  mutation StartEvaluation($input: StartEvaluationInput!) {
    startEvaluation(input: $input) {
      evaluation {
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

const t = evaluations.confirm;

type Who = keyof typeof t.whos;

/** Days as `YYYY-MM-DD`. */
interface Filter {
  since?: string;
  until?: string;
  source?: SampleSource;
}

/** The instant at which a day begins here. */
const startOf = (day: string | undefined) => (day ? new Date(`${day}T00:00`).toISOString() : undefined);

export function StartEvaluation({
  judge,
  opened,
  onClose,
}: {
  judge: JudgeData;
  opened: boolean;
  onClose: () => void;
}) {
  const router = useRouter();
  const [who, setWho] = useState<Who>("now");
  const [named, setNamed] = useState("");
  const [version, setVersion] = useState<string | null>(null);
  const [scope, setScope] = useState<EvaluationScope>("UNSEEN");
  const [filter, setFilter] = useState<Filter>({});
  // Without a Checkpoint nothing was trained on.
  const trained = judge.activeCheckpoint != null && who === "now";
  const backend = who === "backend" ? named.trim() : undefined;
  const input = {
    judgeId: judge.id,
    zeroShot: who === "zeroShot",
    backend,
    version: version ? Number(version) : undefined,
    scope: trained ? scope : "UNSEEN",
    filter: { since: startOf(filter.since), until: startOf(filter.until), source: filter.source },
  } as const;
  const price = useQuery({ ...query(PriceQuery, { input }), enabled: opened && backend !== "" });
  const start = useAction(StartMutation);
  const cost = price.data?.evaluationPrice;
  const run = () =>
    cost &&
    start.mutate(
      { input: { ...input, maxCredits: cost.credits } },
      {
        onSuccess: ({ startEvaluation }) => {
          onClose();
          tell(evaluations.started);
          const id = startEvaluation.evaluation?.id;
          if (id) void router.navigate({ to: "/evaluations/$evaluationId", params: { evaluationId: id } });
        },
      },
    );
  return (
    <Confirm
      opened={opened}
      title={t.title}
      action={t.action(cost ? creditAmount(cost.credits) : "…")}
      why={!cost && shell.why.price}
      loading={start.isPending}
      error={start.error ?? price.error}
      onClose={onClose}
      onConfirm={run}
    >
      <Select
        label={t.who}
        data={Object.entries(t.whos).map(([value, label]) => ({ value, label }))}
        value={who}
        allowDeselect={false}
        onChange={(value) => setWho((value ?? "now") as Who)}
      />
      {who === "backend" && (
        <TextInput
          label={t.backend}
          description={t.backendHint}
          value={named}
          onChange={(event) => setNamed(event.currentTarget.value)}
        />
      )}
      <Select
        label={t.version}
        data={Array.from({ length: judge.version }, (_, index) => String(judge.version - index))}
        value={version ?? String(judge.version)}
        allowDeselect={false}
        onChange={setVersion}
      />
      {trained && (
        <Select
          label={t.scope}
          data={Object.entries(evaluations.scopes).map(([value, label]) => ({ value, label }))}
          value={scope}
          allowDeselect={false}
          onChange={(value) => setScope((value ?? "UNSEEN") as EvaluationScope)}
        />
      )}
      <Group grow align="start">
        <TextInput
          type="date"
          label={t.since}
          value={filter.since ?? ""}
          onChange={(event) => setFilter({ ...filter, since: event.currentTarget.value || undefined })}
        />
        <TextInput
          type="date"
          label={t.until}
          value={filter.until ?? ""}
          onChange={(event) => setFilter({ ...filter, until: event.currentTarget.value || undefined })}
        />
        <Select
          label={t.source}
          placeholder={t.anySource}
          data={Object.entries(t.sources).map(([value, label]) => ({ value, label }))}
          value={filter.source ?? null}
          onChange={(value) => setFilter({ ...filter, source: (value ?? undefined) as Filter["source"] })}
          clearable
        />
      </Group>
      {!cost && !price.error && (
        <Text size="sm" c="dimmed">
          {t.pricing}
        </Text>
      )}
      {cost && <Text size="sm">{t.price(cost.samples, creditAmount(cost.credits))}</Text>}
    </Confirm>
  );
}
