// What a page shows when it failed to load: what happened, and what to do.
import { Button, Card, Stack, Text, Title } from "@mantine/core";
import { IconPlugConnectedX, IconRefresh } from "@tabler/icons-react";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import { ApiError, Unreachable } from "@/api/errors";
import { isReachable, onReachability } from "@/api/reachability";
import { hasSessionEnded, onSessionChange } from "@/api/sessionEnd";
import { sentence } from "@/logic/format";
import { shell as t } from "@/texts/shell";
import { FindRequest } from "./FindRequest";

export function PageError({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter();
  const { reset: resetQueries } = useQueryErrorResetBoundary();
  const retry = () => {
    resetQueries();
    reset?.();
    void router.invalidate();
  };
  const whenReachable = useEffectEvent(() => isReachable() && retry());
  const whenResumed = useEffectEvent(() => !hasSessionEnded() && retry());
  useEffect(() => onReachability(() => void whenReachable()), []);
  useEffect(() => onSessionChange(() => void whenResumed()), []);
  return <ErrorCard error={error} onRetry={retry} />;
}

export function ErrorCard({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const forbidden = error instanceof ApiError && error.code === "FORBIDDEN";
  const missing = error instanceof ApiError && error.code === "NOT_FOUND";
  let text = sentence(error instanceof Error ? error.message : String(error));
  if (forbidden) text = t.error.forbidden;
  if (missing) text = t.error.missing;
  if (error instanceof Unreachable) text = t.error.unreachable;
  return (
    <Card maw={560} mx="auto" mt="xl" p="lg" role="alert">
      <Stack gap="sm" align="flex-start">
        <IconPlugConnectedX size={24} stroke={1.5} aria-hidden />
        <Title order={2}>{t.error.title}</Title>
        <Text size="sm">{text}</Text>
        <FindRequest error={error} />
        {onRetry && !forbidden && (
          <Button variant="default" leftSection={<IconRefresh size={15} />} onClick={onRetry}>
            {t.error.retry}
          </Button>
        )}
      </Stack>
    </Card>
  );
}
