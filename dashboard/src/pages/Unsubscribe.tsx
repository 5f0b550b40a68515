// Ends e-mails of a kind by the link in one of them, without signing in.
import { Alert, Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { reach } from "@/api/graphql";
import { EntryCard } from "@/components/EntryForm";
import { AnchorLink } from "@/components/links";
import { entry } from "@/texts/entry";

const t = entry.unsubscribe;
const route = getRouteApi("/unsubscribe");

async function end(token: string): Promise<string> {
  const response = await reach(`/api/v1/unsubscribe?${new URLSearchParams({ token })}`, { method: "POST" });
  const answer = (await response.json().catch(() => ({}))) as { kind?: string };
  if (!response.ok) throw new Error(t.invalid);
  return answer.kind ?? "";
}

export function Unsubscribe() {
  const { token = "" } = route.useSearch();
  const ending = useMutation({ mutationFn: end });
  return (
    <EntryCard title={t.title} text={ending.isSuccess ? t.doneText : t.text}>
      <Stack gap="md">
        {ending.error && (
          <Alert color="red" role="alert">
            {ending.error.message}
          </Alert>
        )}
        {ending.isSuccess ? (
          <Text role="status">{t.done[ending.data] ?? t.doneOther}</Text>
        ) : (
          <Button onClick={() => ending.mutate(token)} loading={ending.isPending}>
            {t.submit}
          </Button>
        )}
        <AnchorLink to="/settings" size="sm">
          {t.settings}
        </AnchorLink>
      </Stack>
    </EntryCard>
  );
}
