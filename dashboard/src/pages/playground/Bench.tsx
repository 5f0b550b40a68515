// The two halves of the playground: a form, and what came back; below, the program.
import { Alert, Anchor, Box, Button, Card, Group, SegmentedControl, SimpleGrid, Stack, Tabs, Text, Title } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { errorCode } from "@/api/errors";
import { RestError, post } from "@/api/rest";
import { CodeBlock } from "@/components/Code";
import { credits } from "@/logic/format";
import { type Language, type Request, snippet } from "@/logic/snippets";
import { playground as t } from "@/texts/playground";

interface Props<A> {
  /** The request that runs, as programs send it too. */
  request: Request;
  /** The form to send in place of `request.body`. */
  form?: FormData;
  ready: boolean;
  /** The form's fields. */
  children: ReactNode;
  /** Shows an answer. */
  answer: (answer: A) => ReactNode;
  /** What the answer cost, and how long it took. */
  cost: (answer: A) => [creditsDeducted: number, latencyMs?: number];
  /** Something to look at next. */
  next?: (answer: A) => ReactNode;
  onAnswer?: (answer: A) => void;
}

export function Bench<A>({ request, form, ready, children, answer, cost, next, onAnswer }: Props<A>) {
  const run = useMutation({ mutationFn: () => post<A>(request.path, form ?? request.body), onSuccess: onAnswer });
  const submit = () => ready && !run.isPending && run.mutate();
  useHotkeys([["mod+Enter", submit]], []);
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: "start" }}>
        <Card component="form" onSubmit={(event) => { event.preventDefault(); submit(); }}>
          <Stack gap="sm">
            {children}
            <Group justify="space-between" mt={4}>
              <Text size="xs" c="dimmed" visibleFrom="sm">
                {t.shortcut}
              </Text>
              <Button type="submit" loading={run.isPending} disabled={!ready} leftSection={<IconPlayerPlay size={15} />}>
                {t.run}
              </Button>
            </Group>
          </Stack>
        </Card>
        <Outcome data={run.data} error={run.error} answer={answer} cost={cost} next={next} />
      </SimpleGrid>
      <Snippets request={request} />
    </Stack>
  );
}

type OutcomeProps<A> = Pick<Props<A>, "answer" | "cost" | "next"> & { data: A | undefined; error: Error | null };

function Outcome<A>({ data, error, answer, cost, next }: OutcomeProps<A>) {
  const [view, setView] = useState<"answer" | "json">("answer");
  return (
    <Card mih={220} aria-live="polite">
      <Group justify="space-between" mb="sm" mih={30}>
        <Title order={2}>{t.response}</Title>
        {data !== undefined && (
          <SegmentedControl
            size="xs"
            value={view}
            onChange={(value) => setView(value as typeof view)}
            data={[{ value: "answer", label: t.views.answer }, { value: "json", label: t.views.json }]}
            aria-label={t.response}
          />
        )}
      </Group>
      {error && <Refusal error={error} />}
      {!error && data === undefined && (
        <Text size="sm" c="dimmed">
          {t.waiting}
        </Text>
      )}
      {!error && data !== undefined && (
        <Stack gap="md" data-testid="answer">
          {view === "json" ? <CodeBlock text={JSON.stringify(data, null, 2)} label={t.response} wrap /> : answer(data)}
          <Group justify="space-between">
            <Text size="xs" c="dimmed" className="numeric">
              {t.cost(credits(cost(data)[0]), cost(data)[1]?.toFixed(1))}
            </Text>
            {next?.(data)}
          </Group>
        </Stack>
      )}
    </Card>
  );
}

function Refusal({ error }: { error: Error }) {
  const poor = errorCode(error) === "INSUFFICIENT_CREDITS";
  return (
    <Alert color={poor ? "yellow" : "red"} title={t.failed} role="alert">
      <Text size="sm">{poor ? t.insufficient : error.message}</Text>
      {error instanceof RestError &&
        error.details.map((detail) => (
          <Text size="sm" key={detail.field + detail.message}>
            <span className="mono">{detail.field}</span>: {detail.message}
          </Text>
        ))}
      <Text size="xs" c="dimmed" mt={4}>
        {t.nothingCharged}
      </Text>
    </Alert>
  );
}

function Snippets({ request }: { request: Request }) {
  const languages: [Language, string][] = [["curl", "curl"], ["python", "Python"], ["typescript", "TypeScript"]];
  return (
    <Card>
      <Title order={2}>{t.code}</Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t.codeText}{" "}
        <Anchor component={Link} to="/keys" inherit underline="always">
          {t.makeKey}
        </Anchor>
      </Text>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm">
          {languages.map(([language, name]) => (
            <Tabs.Tab key={language} value={language}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {languages.map(([language, name]) => (
          <Tabs.Panel key={language} value={language}>
            <Box>
              <CodeBlock text={snippet(language, window.location.origin, request)} label={name} />
            </Box>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}
