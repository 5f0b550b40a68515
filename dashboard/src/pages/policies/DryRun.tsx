// Tries rules on messages before they are saved: on recent ones of the moderation log, or on one's own.
import { Button, Card, Group, SegmentedControl, Stack, Switch, Text, Textarea, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { fieldError } from "@/api/errors";
import { query } from "@/api/graphql";
import { FormAlert } from "@/components/FormAlert";
import { usePrices } from "@/components/usePrices";
import { graphql } from "@/gql";
import type { DryRunPolicyMutation } from "@/gql/graphql";
import { type Trial, outcomes } from "@/logic/dryRun";
import { count, credits } from "@/logic/format";
import { BATCH_MESSAGES, MESSAGE_CHARS, tooManyChars } from "@/logic/limits";
import { linesOf } from "@/logic/policyRules";
import { policies } from "@/texts/policies";
import { shell } from "@/texts/shell";
import { Outcomes } from "./Outcomes";

const RecentQuery = graphql(`
  query RecentMessages {
    account {
      moderationLog {
        samples(first: 20, order: NEWEST_FIRST) {
          nodes {
            id
            moderation {
              content
              action
            }
          }
        }
      }
    }
  }
`);

const t = policies.dryRun;
type Source = keyof typeof t.sources;

interface Props {
  run: { data: DryRunPolicyMutation | undefined; error: Error | null; isPending: boolean };
  /** The rules as text, which change with every edit. */
  rules: string;
  /** Whether the rules cannot be tried. */
  disabled: boolean;
  /** Whether rules in plain language cost more than the messages. */
  asksRules: boolean;
  onRun: (messages: string[]) => void;
}

export function DryRun({ run, rules, disabled, asksRules, onRun }: Props) {
  const recent = useRecent();
  const [chosen, setChosen] = useState<Source>();
  const [text, setText] = useState(t.example);
  const [live, setLive] = useState(false);
  const [asked, setAsked] = useState<{ trials: Trial[]; rules: string; source: Source }>();
  const prices = usePrices();
  const source = chosen ?? (recent.length ? "recent" : "own");
  const trials = source === "recent" ? recent : linesOf(text).map((content): Trial => ({ content }));
  const price = prices.of("TEXT");
  const least = price === undefined ? "…" : credits(price * trials.length);
  const cost = asksRules ? t.atLeast(least) : least;
  const fault = source === "own" ? faultOf(trials) : undefined;
  const blocked = blockedBy({ disabled, trials, source, fault });
  const attempt = () => {
    setAsked({ trials, rules, source });
    onRun(trials.map(({ content }) => content));
  };

  const follow = useEffectEvent((edited: string) => {
    if (blocked === undefined && price !== undefined && asked?.rules !== edited) attempt();
  });
  // While it is on, the rules are tried whenever editing pauses.
  useEffect(() => {
    if (!live) return undefined;
    const timer = setTimeout(() => follow(rules), 900);
    return () => clearTimeout(timer);
  }, [live, rules]);

  const { results, creditsDeducted } = run.data?.dryRunModerationPolicy ?? {};
  return (
    <Card p="lg" component="section" aria-label={t.title}>
      <Stack gap="sm">
        <div>
          <Title order={2}>{t.title}</Title>
          <Text size="sm" c="dimmed">
            {t.text}
          </Text>
        </div>
        <SegmentedControl
          size="xs"
          aria-label={t.source}
          data={Object.entries(t.sources).map(([value, label]) => ({ value, label }))}
          value={source}
          onChange={(value) => setChosen(value as Source)}
          style={{ alignSelf: "flex-start" }}
        />
        {source === "own" ? (
          <Textarea
            label={t.messages}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={fault ?? fieldError(run.error, "messages")}
            autosize
            minRows={3}
            maxRows={10}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {recent.length ? t.recentHint(recent.length) : t.noRecent}
          </Text>
        )}
        <FormAlert message={prices.error?.message} error={prices.error} />
        <Group justify="space-between" gap="sm">
          <Switch
            size="xs"
            label={t.live}
            description={t.liveHint(cost)}
            checked={live}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
          <Button
            variant="default"
            loading={run.isPending}
            disabled={blocked !== undefined || price === undefined}
            title={blocked}
            onClick={attempt}
          >
            {t.run(cost)}
          </Button>
        </Group>
        {results && asked && <Outcomes outcomes={outcomes(asked.trials, results)} />}
        {results && asked && (
          <Text size="xs" c="dimmed" className="numeric">
            {asked.source === "recent" ? t.beforeRecent : t.beforeOwn}{" "}
            {creditsDeducted != null && t.charged(credits(creditsDeducted))}
            {asked.rules !== rules && !run.isPending && ` · ${t.outdated}`}
          </Text>
        )}
      </Stack>
    </Card>
  );
}

/** The newest messages of the moderation log, with what was recommended. */
function useRecent(): Trial[] {
  const { data } = useQuery({ ...query(RecentQuery), staleTime: 60_000 });
  return (data?.account.moderationLog?.samples.nodes ?? []).flatMap(({ moderation }): Trial[] =>
    moderation ? [{ content: moderation.content, before: moderation.action }] : [],
  );
}

/** What is wrong with messages that were written here. */
function faultOf(trials: Trial[]): string | undefined {
  if (trials.length > BATCH_MESSAGES) return shell.limits.lines(count(BATCH_MESSAGES), count(trials.length));
  return trials.map(({ content }) => tooManyChars(content, MESSAGE_CHARS)).find(Boolean);
}

interface Readiness {
  disabled: boolean;
  trials: Trial[];
  source: Source;
  fault: string | undefined;
}

/** Why nothing can be tried. */
function blockedBy({ disabled, trials, source, fault }: Readiness): string | undefined {
  if (disabled) return t.faults;
  if (trials.length === 0) return source === "recent" ? t.noRecent : t.noMessages;
  return fault;
}
