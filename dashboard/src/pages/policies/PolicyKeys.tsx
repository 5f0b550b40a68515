// The API keys whose requests follow a policy when they name none.
import { ActionIcon, Button, Card, Group, Select, Stack, Text, Title } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { tell, tellFailure } from "@/components/notify";
import { ErrorCard } from "@/components/PageError";
import { RowsSkeleton } from "@/components/PageSkeleton";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { policies } from "@/texts/policies";

const KeysQuery = graphql(`
  query PolicyKeys {
    account {
      apiKeys(first: 100) {
        nodes {
          id
          name
          hint
          active
          moderationPolicyId
        }
      }
    }
  }
`);
const SetMutation = graphql(`
  mutation SetKeyPolicy($input: SetApiKeyModerationPolicyInput!) {
    setApiKeyModerationPolicy(input: $input) {
      apiKey {
        id
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = policies.keys;

export function PolicyKeys({ policyId, canEdit }: { policyId: string; canEdit: boolean }) {
  const result = useQuery(pagedQuery(KeysQuery));
  const [chosen, setChosen] = useState<string | null>(null);
  const set = useAction(SetMutation);
  if (result.error && !result.data) return <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
  const keys = result.data?.account.apiKeys.nodes.filter((key) => key.active);
  const followers = keys?.filter((key) => key.moderationPolicyId === policyId) ?? [];
  const others = keys?.filter((key) => key.moderationPolicyId !== policyId) ?? [];
  const picked = others.find((key) => key.id === chosen);
  const use = () =>
    picked &&
    set.mutate(
      { input: { id: picked.id, moderationPolicyId: policyId } },
      {
        onSuccess: () => {
          setChosen(null);
          tell(t.done(picked.name));
        },
        onError: tellFailure,
      },
    );
  return (
    <Card component="section" aria-label={t.title}>
      <Stack gap="sm">
        <div>
          <Title order={2}>{t.title}</Title>
          <Text size="xs" c="dimmed">
            {t.text}
          </Text>
        </div>
        {!keys && <RowsSkeleton rows={2} />}
        {keys && followers.length === 0 && (
          <Text size="sm" c="dimmed">
            {t.none}
          </Text>
        )}
        {followers.map((key) => (
          <Group key={key.id} justify="space-between" wrap="nowrap">
            <Text size="sm" className="clip">
              {key.name} <span className="mono quiet">{key.hint}…</span>
            </Text>
            {canEdit && (
              <ActionIcon
                size="sm"
                variant="subtle"
                color="gray"
                aria-label={t.remove(key.name)}
                onClick={() =>
                  set.mutate(
                    { input: { id: key.id, moderationPolicyId: null } },
                    { onSuccess: () => tell(t.removed(key.name)), onError: tellFailure },
                  )
                }
              >
                <IconX size={14} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {canEdit && others.length > 0 && (
          <Group gap="xs" wrap="nowrap" align="flex-end">
            <Select
              label={t.pick}
              placeholder={t.placeholder}
              style={{ flex: 1 }}
              data={others.map((key) => ({
                value: key.id,
                label: key.moderationPolicyId ? t.replaces(key.name) : key.name,
              }))}
              value={chosen}
              onChange={setChosen}
            />
            <Button variant="default" onClick={use} disabled={!picked} loading={set.isPending}>
              {t.set}
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}
