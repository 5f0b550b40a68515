// Why a message got its verdict, what came before it, and what was said about it.
import { Anchor, Group, Modal, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useViewer } from "@/api/session";
import { ActionBadge } from "@/components/ActionBadge";
import { CodeBlock } from "@/components/Code";
import { CopyIcon } from "@/components/CopyButton";
import { AnchorLink } from "@/components/links";
import { RiskMeter } from "@/components/Meter";
import { Time } from "@/components/Time";
import { count, words } from "@/logic/format";
import { languageName } from "@/logic/languages";
import { harms } from "@/logic/verdict";
import { moderation, queue } from "@/texts/moderation";
import { RuleCorrections } from "./RuleCorrections";
import type { Message, MessageDetail } from "./queries";

const t = queue.panel;
type Record = NonNullable<MessageDetail["moderation"]>;

interface Props {
  message: Message;
  detail: MessageDetail;
  hidden: boolean;
  canDecide: boolean;
}

export function Details({ message, detail, hidden, canDecide }: Props) {
  const record = detail.moderation;
  return (
    <>
      {hidden ? (
        <Text size="sm" c="dimmed">
          {t.blind}
        </Text>
      ) : (
        <>
          <Part title={t.categories}>
            {harms(detail.answers).map(({ category, probability }) => (
              <RiskMeter key={category} label={words(category)} value={probability} strong={probability >= 0.5} />
            ))}
          </Part>
          <Evidence message={message} />
          {record && record.plainRules.length > 0 && (
            <Part title={queue.rules.title}>
              <RuleCorrections record={record} canDecide={canDecide} />
            </Part>
          )}
        </>
      )}
      <History detail={detail} />
      {record && (
        <>
          {record.author && <Earlier title={t.earlierOfAuthor} samples={record.earlierOfAuthor} hidden={hidden} />}
          {record.channel && <Earlier title={t.earlierInChannel} samples={record.earlierInChannel} hidden={hidden} />}
        </>
      )}
      <Facts message={message} detail={detail} hidden={hidden} />
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap={6} component="section" aria-label={title}>
      <Title order={3}>{title}</Title>
      {children}
    </Stack>
  );
}

function Evidence({ message }: { message: Message }) {
  const { content, signals } = message.moderation;
  const points = Array.from(content);
  return (
    <Part title={t.evidence}>
      {signals.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.noEvidence}
        </Text>
      )}
      {signals.map((signal, index) => (
        // A signal may be there twice at one place.
        // oxlint-disable-next-line react/no-array-index-key
        <Group key={index} justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm" className="clip">
            <span className="mono">{signal.name}</span>{" "}
            <span className="quiet">
              {signal.end > signal.start ? `“${points.slice(signal.start, signal.end).join("")}”` : t.outside}
            </span>
          </Text>
          <Text size="sm" className="numeric">
            {signal.weight.toFixed(2)}
          </Text>
        </Group>
      ))}
    </Part>
  );
}

const label = (key: string, value: string) => (key === "action" ? moderation.actions[value] : undefined) ?? value;

function History({ detail }: { detail: MessageDetail }) {
  const { user } = useViewer();
  const changes = detail.history.nodes;
  return (
    <Part title={t.history}>
      {changes.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.noHistory}
        </Text>
      )}
      {changes.map(({ changeId, key, value, note, createdAt, actor }, index) => (
        <div key={changeId + key}>
          <Text size="sm">
            {value == null ? t.cleared(words(key)) : t.change(words(key), label(key, value))}{" "}
            <span className="quiet">
              {actor.id === user?.id ? user.email : (actor.name ?? actor.id)} · <Time at={createdAt} />
            </span>
          </Text>
          {note && changes[index - 1]?.changeId !== changeId && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
              “{note}”
            </Text>
          )}
        </div>
      ))}
    </Part>
  );
}

interface EarlierProps {
  title: string;
  samples: (Record["earlierOfAuthor"][number] | Record["earlierInChannel"][number])[];
  hidden: boolean;
}

function Earlier({ title, samples, hidden }: EarlierProps) {
  return (
    <Part title={title}>
      {samples.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.noEarlier}
        </Text>
      )}
      {samples.map(({ id, createdAt, moderation: record }) =>
        record ? (
          <Group key={id} gap={8} wrap="nowrap" align="baseline">
            {!hidden && <ActionBadge action={record.action.toLowerCase()} />}
            <Text size="sm" lineClamp={2} style={{ flex: 1, overflowWrap: "anywhere" }}>
              {"author" in record && record.author && <b>{record.author}: </b>}
              {record.content}
            </Text>
            <Text size="xs" c="dimmed">
              <Time at={createdAt} />
            </Text>
          </Group>
        ) : null,
      )}
    </Part>
  );
}

function Facts({ message, detail, hidden }: { message: Message; detail: MessageDetail; hidden: boolean }) {
  const { role } = useViewer();
  const [opened, { open, close }] = useDisclosure();
  const { language, policy, picture, shadow, moderationId } = message.moderation;
  const ofMessage: [string, ReactNode][] = [
    [t.facts.language, language ? languageName(language) : t.unknown],
    [t.facts.policy, policy ? t.policyVersion(policy.name, policy.version) : t.noPolicy],
  ];
  if (shadow && !hidden) {
    const action = shadow.action.toLowerCase();
    ofMessage.push([t.facts.shadow, t.shadowVerdict(moderation.actions[action] ?? action, shadow.version)]);
  }
  const facts: [string, ReactNode][] = [
    ...(picture ? pictureFacts(picture, hidden) : ofMessage),
    [t.facts.model, message.model ?? t.unknown],
    [t.facts.recorded, <Time key="at" at={message.createdAt} />],
    [t.facts.id, <Id key="id" value={moderationId} />],
    [t.facts.sample, <Id key="sample" value={message.id} />],
  ];
  return (
    <>
      <Stack gap={4} component="dl" m={0}>
        {facts.map(([name, value]) => (
          <Group key={name} justify="space-between" wrap="nowrap" gap="md">
            <Text size="sm" c="dimmed" component="dt">
              {name}
            </Text>
            <Text size="sm" component="dd" m={0} className="clip">
              {value}
            </Text>
          </Group>
        ))}
      </Stack>
      <Group gap="md">
        {!hidden && (
          <Anchor component="button" type="button" size="sm" onClick={open}>
            {t.json}
          </Anchor>
        )}
        {role !== "MODERATOR" && (
          <AnchorLink
            size="sm"
            to="/judges/$judgeId/dataset"
            params={{ judgeId: detail.judge.id }}
            search={{ sample: message.id }}
          >
            {t.dataset}
          </AnchorLink>
        )}
      </Group>
      <Modal opened={opened} onClose={close} title={t.json} size="lg">
        <CodeBlock text={JSON.stringify(detail, null, 2)} label={t.json} />
      </Modal>
    </>
  );
}

function pictureFacts(picture: NonNullable<Message["moderation"]["picture"]>, hidden: boolean): [string, ReactNode][] {
  const size = count(Math.ceil(picture.bytes / 1024));
  const seen = picture.labels.map(words).join(", ") || t.nothing;
  return [
    ...(hidden ? [] : ([[t.facts.labels, seen]] as [string, ReactNode][])),
    [t.facts.file, t.pictureFile(size, t.pictureSources[picture.source] ?? picture.source)],
    [t.facts.sha256, <Id key="sha256" value={picture.sha256} />],
  ];
}

function Id({ value }: { value: string }) {
  return (
    <Group gap={2} wrap="nowrap" component="span">
      <span className="mono clip">{value}</span>
      <CopyIcon value={value} />
    </Group>
  );
}
