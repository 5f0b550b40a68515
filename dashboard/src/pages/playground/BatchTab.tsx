// Moderates up to fifty messages in one request.
import { Table, Textarea } from "@mantine/core";
import type { BatchAnswer } from "@/api/rest";
import { ActionBadge } from "@/components/ActionBadge";
import { DataTable } from "@/components/DataTable";
import { useKept } from "@/components/useKept";
import { count, percent } from "@/logic/format";
import { BATCH_MESSAGES, MESSAGE_CHARS, tooManyChars } from "@/logic/limits";
import { playground } from "@/texts/playground";
import { shell } from "@/texts/shell";
import { Bench } from "./Bench";

const t = playground.batch;

export function BatchTab() {
  const [text, setText] = useKept("playground-batch", t.placeholder);
  const contents = text.split("\n").filter((line) => line.trim() !== "");
  const body = { messages: contents.map((content) => ({ content })) };
  const long = contents.map((content) => tooManyChars(content, MESSAGE_CHARS)).find(Boolean);
  return (
    <Bench<BatchAnswer, typeof body>
      request={{ path: "/api/v1/moderate/text/batch", body }}
      why={contents.length === 0 && playground.why.message}
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
    <DataTable
      label={t.messages}
      minWidth={420}
      columns={[
        t.columns.message,
        t.columns.action,
        { name: t.columns.threat, right: true },
        { name: t.columns.scam, right: true },
        { name: t.columns.review, right: true },
      ]}
    >
      {answer.results.map((result, index) => (
        <Table.Tr key={result.id ?? index}>
          <Table.Td className="room clip" title={contents[index]}>
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
    </DataTable>
  );
}
