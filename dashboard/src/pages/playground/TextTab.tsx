// Moderates one message, and explains the verdict.
import {
  Button,
  Checkbox,
  Divider,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  Title,
  Tooltip,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import type { TextAnswer } from "@/api/rest";
import { ActionBadge } from "@/components/ActionBadge";
import { Meter, RiskMeter } from "@/components/Meter";
import { Help } from "@/components/Help";
import { useKept } from "@/components/useKept";
import { graphql } from "@/gql";
import { actionChartColor } from "@/logic/colors";
import { words } from "@/logic/format";
import { parts } from "@/logic/highlight";
import { MESSAGE_CHARS, tooManyChars } from "@/logic/limits";
import { playground } from "@/texts/playground";
import { Bench } from "./Bench";

const PoliciesQuery = graphql(`
  query PolicyNames {
    account {
      moderationPolicies(first: 100) {
        nodes {
          name
        }
      }
    }
  }
`);

const t = playground.message;
const r = playground.result;

interface Fields {
  content: string;
  mode: string;
  age: number | string;
  mentions: number | string;
  attachments: boolean;
  policy: string | null;
}

const FIRST: Fields = {
  content: t.sample[0]?.text ?? "",
  mode: "hybrid",
  age: 30,
  mentions: 0,
  attachments: false,
  policy: null,
};

export function TextTab() {
  const [fields, setFields] = useKept<Fields>("playground-text", FIRST);
  const set = (change: Partial<Fields>) => setFields({ ...fields, ...change });
  const { content, mode, age, mentions, attachments, policy } = fields;
  const policies = useQuery(query(PoliciesQuery)).data?.account.moderationPolicies.nodes ?? [];
  const body = {
    content,
    ...(policy ? { policy } : {}),
    ...(age === 30 || age === "" ? {} : { account_age_days: Number(age) }),
    ...(Number(mentions) ? { mentions_count: Number(mentions) } : {}),
    ...(attachments ? { has_attachments: true } : {}),
    ...(mode === "hybrid" ? {} : { mode }),
    explain: true,
  };
  return (
    <Bench<TextAnswer, typeof body>
      request={{ path: "/api/v1/moderate/text", body }}
      why={content.trim() === "" && playground.why.message}
      fault={tooManyChars(content, MESSAGE_CHARS)}
      answer={(answer, asked) => <Verdict answer={answer} content={asked.content} />}
      cost={(answer) => [answer.credits_deducted ?? 0, answer.latency_ms]}
    >
      <Textarea
        label={t.content}
        placeholder={t.placeholder}
        value={content}
        onChange={(event) => set({ content: event.currentTarget.value })}
        autosize
        minRows={4}
        maxRows={12}
      />
      <Group gap={6}>
        <Text size="xs" c="dimmed">
          {t.examples}
        </Text>
        {t.sample.map((sample) => (
          <Button key={sample.label} size="compact-xs" variant="default" onClick={() => set({ content: sample.text })}>
            {sample.label}
          </Button>
        ))}
      </Group>
      {policies.length > 0 && (
        <Select
          label={t.policy}
          placeholder={t.noPolicy}
          value={policy}
          onChange={(next) => set({ policy: next })}
          data={policies.map((one) => one.name)}
          clearable
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <Tooltip label={t.modeHint} multiline w={260}>
          <Select
            label={t.mode}
            value={mode}
            onChange={(value) => set({ mode: value ?? "hybrid" })}
            data={Object.entries(t.modes).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
          />
        </Tooltip>
        <NumberInput
          label={`${t.age} (${t.ageHint.toLowerCase()})`}
          value={age}
          onChange={(value) => set({ age: value })}
          min={0}
          allowDecimal={false}
        />
        <NumberInput
          label={t.mentions}
          value={mentions}
          onChange={(value) => set({ mentions: value })}
          min={0}
          allowDecimal={false}
        />
      </SimpleGrid>
      <Checkbox
        label={t.attachments}
        checked={attachments}
        onChange={(event) => set({ attachments: event.currentTarget.checked })}
      />
    </Bench>
  );
}

function Verdict({ answer, content }: { answer: TextAnswer; content: string }) {
  const explanation = answer.explanation;
  return (
    <Stack gap="md">
      <Group gap="xl">
        <Stack gap={2}>
          <Text size="xs" c="dimmed">
            {r.action}
          </Text>
          <ActionBadge action={answer.action} size="lg" />
        </Stack>
        <Tooltip label={r.threatHint}>
          <Stack gap={2}>
            <Text size="xs" c="dimmed">
              {r.threat}
              <Help term="threat-score" />
            </Text>
            <Text fw={600} fz={20} lh={1.2} className="numeric">
              {answer.threat_score.toFixed(2)}
            </Text>
          </Stack>
        </Tooltip>
      </Group>
      <SimpleGrid cols={2} spacing="md" verticalSpacing="xs">
        {Object.entries(answer.action_probabilities).map(([action, value]) => (
          <Meter
            key={action}
            label={r.actions[action] ?? action}
            value={value}
            color={actionChartColor(action)}
            strong={action === answer.action}
          />
        ))}
        <RiskMeter label={r.scam} value={answer.is_phishing_or_scam} />
        <RiskMeter label={r.review} value={answer.requires_mod_review} />
      </SimpleGrid>
      {answer.policy && (
        <Text size="sm" c="dimmed">
          {t.decidedBy(answer.policy.name, answer.policy.version)}
        </Text>
      )}
      {explanation && (
        <>
          <Divider />
          <Title order={3}>{r.why}</Title>
          <Text size="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
            {parts(content, explanation.signals).map((part, index) =>
              part.signals.length ? (
                // oxlint-disable-next-line react/no-array-index-key
                <mark key={index} className="signal" title={part.signals.join(", ")}>
                  {part.text}
                </mark>
              ) : (
                part.text
              ),
            )}
          </Text>
          <SimpleGrid cols={2} spacing="md" verticalSpacing="xs">
            {Object.entries(explanation.categories).map(([name, value]) => (
              <RiskMeter key={name} label={words(name)} value={value} strong={value >= 0.5} />
            ))}
          </SimpleGrid>
          <Stack gap={4}>
            <Text size="xs" c="dimmed">
              {explanation.signals.length ? r.signals : r.noSignals}
            </Text>
            {explanation.signals.slice(0, 8).map((signal) => (
              <Group key={`${signal.name}-${signal.start}`} justify="space-between" wrap="nowrap" gap="sm">
                <Text size="sm" className="mono clip" title={signal.name}>
                  {signal.name}
                </Text>
                <Text size="sm" className="numeric">
                  {signal.weight.toFixed(2)}
                </Text>
              </Group>
            ))}
          </Stack>
        </>
      )}
    </Stack>
  );
}
