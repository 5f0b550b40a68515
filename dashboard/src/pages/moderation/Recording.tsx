// Whether moderated messages are recorded, for how long, and the way to their dataset.
import { Button, Card, Group, NumberInput, SimpleGrid, Stack, Switch, Text, Title } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { query } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { FormAlert } from "@/components/FormAlert";
import { ButtonLink } from "@/components/links";
import { tell } from "@/components/notify";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { ModerationLogQuery as Result } from "@/gql/graphql";
import { count, percentOrDash } from "@/logic/format";
import { moderationLog as t } from "@/texts/moderationLog";

const LogQuery = graphql(`
  query ModerationLog {
    account {
      moderationLog {
        id
        storeContent
        retentionDays
        stats {
          count
          labelled
          key(key: "action") {
            agreement {
              count
              accuracy
            }
          }
        }
      }
    }
  }
`);
const SetMutation = graphql(`
  mutation SetModerationLog($input: SetModerationLogInput!) {
    setModerationLog(input: $input) {
      moderationLog {
        id
        storeContent
        retentionDays
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

type Log = NonNullable<Result["account"]["moderationLog"]>;

export function Recording() {
  const log = useSuspenseQuery(query(LogQuery)).data.account.moderationLog ?? undefined;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: "start" }}>
      <RecordingForm key={`${log?.storeContent} ${log?.retentionDays}`} log={log} />
      {log && (
        <Stack gap="md">
          <Figures log={log} />
          <Data id={log.id} />
        </Stack>
      )}
    </SimpleGrid>
  );
}

function RecordingForm({ log }: { log: Log | undefined }) {
  const canEdit = useCanEdit();
  const [enabled, setEnabled] = useState(log?.storeContent ?? false);
  const [days, setDays] = useState<string | number>(log?.retentionDays ?? 30);
  const set = useAction(SetMutation);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate(
      { input: { enabled, retentionDays: Number(days) } },
      { onSuccess: () => tell(enabled ? t.settings.on : t.settings.ended) },
    );
  };
  const changed = enabled !== (log?.storeContent ?? false) || Number(days) !== (log?.retentionDays ?? 30);
  const blocked = days === "" ? t.settings.daysHint : changed ? undefined : t.settings.unchanged;
  return (
    <Card component="form" onSubmit={submit}>
      <Stack gap="sm">
        <Title order={2}>{t.settings.title}</Title>
        <FormAlert message={formError(set.error, ["retentionDays"])} error={set.error} />
        <Switch
          label={t.settings.enabled}
          description={t.settings.hint}
          checked={enabled}
          disabled={!canEdit}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
        <NumberInput
          label={t.settings.days}
          description={t.settings.daysHint}
          value={days}
          onChange={setDays}
          min={1}
          max={3650}
          allowDecimal={false}
          disabled={!canEdit}
          error={fieldError(set.error, "retentionDays")}
          maw={260}
        />
        {canEdit && (
          <Group justify="flex-end">
            <Button type="submit" disabled={blocked !== undefined} title={blocked} loading={set.isPending}>
              {t.settings.save}
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function Figures({ log: { stats } }: { log: Log }) {
  const agreement = stats.key?.agreement;
  const figures = [
    { label: t.figures.count, value: count(stats.count) },
    { label: t.figures.labelled, value: count(stats.labelled) },
    {
      label: t.figures.agreement,
      value: percentOrDash(agreement?.accuracy),
      hint: agreement?.count ? t.figures.of(count(agreement.count)) : undefined,
    },
  ];
  return (
    <Card>
      <Title order={2} mb="sm">
        {t.figures.title}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        {figures.map(({ label, value, hint }) => (
          <div key={label}>
            <Text size="xs" c="dimmed">
              {label}
            </Text>
            <Text size="xl" fw={600} className="numeric">
              {value}
            </Text>
            {hint && (
              <Text size="xs" c="dimmed">
                {hint}
              </Text>
            )}
          </div>
        ))}
      </SimpleGrid>
    </Card>
  );
}

function Data({ id }: { id: string }) {
  const params = { judgeId: id };
  return (
    <Card>
      <Title order={2}>{t.data.title}</Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t.data.text}
      </Text>
      <Group gap="xs">
        <ButtonLink to="/judges/$judgeId/dataset" params={params} variant="default">
          {t.data.dataset}
        </ButtonLink>
        <ButtonLink to="/judges/$judgeId/review" params={params} variant="default">
          {t.data.review}
        </ButtonLink>
        <ButtonLink to="/judges/$judgeId/analytics" params={params} variant="default">
          {t.data.analytics}
        </ButtonLink>
      </Group>
    </Card>
  );
}
