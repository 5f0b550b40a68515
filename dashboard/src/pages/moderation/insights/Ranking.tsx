// A list of what occurs, the most frequent first, as bars.
import { Button, Card, Group, Text, Title } from "@mantine/core";
import { useState } from "react";
import { AnchorLink } from "@/components/links";
import { count } from "@/logic/format";
import type { QueueFilter } from "@/logic/moderationFilter";
import { insights as t } from "@/texts/moderation";

export interface Entry {
  id: string;
  label: string;
  messages: number;
  /** Of these messages, those acted upon; left out where all were, or none count. */
  actedUpon?: number;
  /** Finds the messages in the queue. */
  filter?: QueueFilter;
}

interface Props {
  title: string;
  note?: string;
  entries: Entry[];
  /** Said where there are no entries. */
  none: string;
}

const FEW = 8;

export function Ranking({ title, note, entries, none }: Props) {
  const [all, setAll] = useState(false);
  const shown = all ? entries : entries.slice(0, FEW);
  const most = Math.max(1, ...entries.map(({ actedUpon, messages }) => actedUpon ?? messages));
  return (
    <Card component="section" aria-label={title}>
      <Title order={2} mb={note && entries.length > 0 ? 0 : "sm"}>
        {title}
      </Title>
      {entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      )}
      {note && entries.length > 0 && (
        <Text size="xs" c="dimmed" mb="sm">
          {note}
        </Text>
      )}
      <ul className="ranking">
        {shown.map((entry) => (
          <li key={entry.id}>
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Text size="sm" className="ranking-name clip" component="span" title={entry.label}>
                {entry.filter ? (
                  <AnchorLink to="/moderation" search={entry.filter} inherit c="inherit">
                    {entry.label}
                  </AnchorLink>
                ) : (
                  entry.label
                )}
              </Text>
              <Text size="sm" className="numeric" component="span">
                {entry.actedUpon === undefined
                  ? count(entry.messages)
                  : t.group(count(entry.actedUpon), count(entry.messages))}
              </Text>
            </Group>
            <div className="meter" aria-hidden>
              <span style={{ width: `${((entry.actedUpon ?? entry.messages) / most) * 100}%` }} />
            </div>
          </li>
        ))}
      </ul>
      {entries.length > FEW && (
        <Button mt="sm" size="compact-xs" variant="subtle" onClick={() => setAll(!all)}>
          {all ? t.fewer : t.more(entries.length - FEW)}
        </Button>
      )}
    </Card>
  );
}
