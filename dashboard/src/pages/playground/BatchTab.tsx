// Moderates up to fifty messages in one request.
import { Table, Textarea } from "@mantine/core";
import { useState } from "react";
import type { BatchAnswer } from "@/api/rest";
import { ActionBadge } from "@/components/ActionBadge";
import { count, percent } from "@/logic/format";
import { BATCH_MESSAGES, MESSAGE_CHARS, tooManyChars } from "@/logic/limits";
import { playground } from "@/texts/playground";
import { shell } from "@/texts/shell";
import { Bench } from "./Bench";

const t = playground.batch;

export function BatchTab() {
  const [text, setText] = useState(t.placeholder);
  const contents = text.split("\n").filter((line) => line.trim() !== "");
  const body = { messages: contents.map((content) => ({ content })) };
  const long = contents.map((content) => tooManyChars(content, MESSAGE_CHARS)).find(Boolean);
  return (
    <Bench<BatchAnswer, typeof body>
      request={{ path: "/api/v1/moderate/text/batch", body }}
      ready={contents.length > 0}
      fault={
        contents.length > BATCH_MESSAGES ? shell.limits.lines(count(BATCH_MESSAGES), count(contents.length)) : long
      }
      answer={(answer, asked) => (
        <Verdicts answer={answer} contents={asked.messages.map((message) => message.content)} />
      )}
      cost={(answer) => [answer.credits_deducted]}
    >
      <Textarea
        label={t.messages}
        description={t.hint(BATCH_MESSAGES)}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={6}
        maxRows={16}
      />
    </Bench>
  );
}

function Verdicts({ answer, contents }: { answer: BatchAnswer; contents: string[] }) {
  return (
    <Table.ScrollContainer minWidth={420} type="native" tabIndex={0} role="region" aria-label={t.messages}>
      <Table aria-label={t.messages} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="36%">{t.columns.message}</Table.Th>
            <Table.Th w={88}>{t.columns.action}</Table.Th>
            <Table.Th ta="right">{t.columns.threat}</Table.Th>
            <Table.Th ta="right">{t.columns.scam}</Table.Th>
            <Table.Th ta="right">{t.columns.review}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {answer.results.map((result, index) => (
            <Table.Tr key={result.id ?? index}>
              <Table.Td className="clip" title={contents[index]}>
                {contents[index]}
              </Table.Td>
              <Table.Td>
                <ActionBadge action={result.action} />
              </Table.Td>
              <Table.Td className="numeric" ta="right">
                {result.threat_score.toFixed(2)}
              </Table.Td>
              <Table.Td className="numeric" ta="right">
                {percent(result.is_phishing_or_scam, 0)}
              </Table.Td>
              <Table.Td className="numeric" ta="right">
                {percent(result.requires_mod_review, 0)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
