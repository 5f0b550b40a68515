// The two halves of the playground: a form, and what came back; below, the program.
import { Alert, Box, Card, Group, SegmentedControl, SimpleGrid, Stack, Tabs, Text, Title } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Unreachable, errorCode } from "@/api/errors";
import { RestError, post } from "@/api/rest";
import { useCanEdit } from "@/api/session";
import { CodeBlock } from "@/components/Code";
import { GuardedButton } from "@/components/GuardedButton";
import { FindRequest } from "@/components/FindRequest";
import { AnchorLink } from "@/components/links";
import { Rich } from "@/components/Rich";
import { creditAmount, sentence } from "@/logic/format";
import { type Language, type Request, snippet } from "@/logic/snippets";
import { playground as t } from "@/texts/playground";

interface Props<A, B> {
  /** The request that runs, as programs send it too. */
  request: Request<B>;
  /** The form to send in place of `request.body`. */
  form?: FormData;
  /** Why it cannot run yet. */
  why?: string | false;
  /** What is too large to be sent. */
  fault?: string;
  /** The form's fields. */
  children: ReactNode;
  /** Shows an answer to what was asked. */
  answer: (answer: A, asked: B) => ReactNode;
  /** What the answer cost, and how long it took. */
  cost: (answer: A) => [creditsDeducted: number, latencyMs?: number];
  /** Something to look at next. */
  next?: (answer: A) => ReactNode;
}

export function Bench<A, B = unknown>({ request, form, why, fault, children, answer, cost, next }: Props<A, B>) {
  const canRun = useCanEdit();
  const run = useMutation({
    mutationFn: (asked: Request<B> & { files?: FormData }) => post<A>(asked.path, asked.files ?? asked.body),
  });
  const refused = canRun ? (fault ?? why) : t.analyst;
  const submit = () => !refused && !run.isPending && run.mutate({ ...request, files: form });
  useHotkeys([["mod+Enter", submit]], []);
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: "start" }}>
        <Card
          component="form"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <Stack gap="sm">
            {children}
            {fault && (
              <Text size="sm" c="var(--mantine-color-error)" role="alert">
                {fault}
              </Text>
            )}
            <Group justify="space-between" mt={4} wrap="nowrap">
              <Text size="xs" c="dimmed" visibleFrom={canRun ? "sm" : undefined}>
                {canRun ? t.shortcut : t.analyst}
              </Text>
              <GuardedButton
                type="submit"
                loading={run.isPending}
                why={refused}
                style={{ flex: "none" }}
                leftSection={<IconPlayerPlay size={15} />}
              >
                {t.run}
              </GuardedButton>
            </Group>
          </Stack>
        </Card>
        <Outcome
          data={run.data}
          error={run.error}
          answer={(data) => answer(data, run.variables?.body as B)}
          cost={cost}
          next={next}
        />
      </SimpleGrid>
      <Snippets request={request} canMakeKey={canRun} />
    </Stack>
  );
}

type OutcomeProps<A> = Pick<Props<A, never>, "cost" | "next"> & {
  data: A | undefined;
  error: Error | null;
  answer: (answer: A) => ReactNode;
};

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
            data={[
              { value: "answer", label: t.views.answer },
              { value: "json", label: t.views.json },
            ]}
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
              {t.cost(creditAmount(cost(data)[0]), cost(data)[1]?.toFixed(1))}
            </Text>
            {next?.(data)}
          </Group>
        </Stack>
      )}
    </Card>
  );
}

function Refusal({ error }: { error: Error }) {
  const lost = error instanceof Unreachable;
  const poor = errorCode(error) === "INSUFFICIENT_CREDITS";
  return (
    <Alert color={poor ? "yellow" : "red"} title={lost ? t.lost : t.failed} role="alert">
      <Text size="sm">{poor ? <Rich text={t.insufficient} /> : sentence(error.message)}</Text>
      {error instanceof RestError &&
        error.details.map((detail) => (
          <Text size="sm" key={detail.field + detail.message}>
            <span className="mono">{detail.field}</span>: {detail.message}
          </Text>
        ))}
      <Text size="xs" c="dimmed" mt={4}>
        {lost ? t.maybeCharged : t.nothingCharged}
      </Text>
      <FindRequest error={error} mt={4} />
    </Alert>
  );
}

function Snippets({ request, canMakeKey }: { request: Request; canMakeKey: boolean }) {
  const languages: [Language, string][] = [
    ["curl", "curl"],
    ["python", "Python"],
    ["typescript", "TypeScript"],
  ];
  return (
    <Card>
      <Title order={2}>{t.code}</Title>
      <Text size="sm" c="dimmed" mb="xs">
        <Rich text={t.codeText} />{" "}
        {canMakeKey && (
          <AnchorLink to="/keys" inherit underline="always">
            {t.makeKey}
          </AnchorLink>
        )}
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
