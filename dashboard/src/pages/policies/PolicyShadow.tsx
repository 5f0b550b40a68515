// The shadow of a policy: what it would have done on recent traffic, beside what the policy did.
import { Button, Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import { ActionBadge } from "@/components/ActionBadge";
import { DataTable } from "@/components/DataTable";
import { FormAlert } from "@/components/FormAlert";
import { ButtonLink } from "@/components/links";
import { tell } from "@/components/notify";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { PolicyQuery } from "@/gql/graphql";
import { formError } from "@/api/errors";
import { count, percentOrDash } from "@/logic/format";
import { shadowTotals } from "@/logic/shadow";
import { policies } from "@/texts/policies";

const EndMutation = graphql(`
  mutation EndPolicyShadow($input: EndModerationPolicyShadowInput!) {
    endModerationPolicyShadow(input: $input) {
      moderationPolicy {
        id
        version
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

type Shadow = NonNullable<NonNullable<PolicyQuery["moderationPolicy"]>["shadow"]>;
const t = policies.shadow;

interface Props {
  policyId: string;
  shadow: Shadow;
  canEdit: boolean;
  onEnd: () => void;
}

export function PolicyShadow({ policyId, shadow, canEdit, onEnd }: Props) {
  const end = useAction(EndMutation);
  const { all, changed } = shadowTotals(shadow.outcomes);
  const finish = (activate: boolean) =>
    end.mutate(
      { input: { id: policyId, activate } },
      {
        onSuccess: () => {
          tell(activate ? t.activated(shadow.version) : t.dropped);
          onEnd();
        },
      },
    );
  return (
    <Card component="section" aria-label={t.title} data-testid="policy-shadow">
      <Stack gap="sm">
        <Title order={2}>{t.heading(shadow.version)}</Title>
        <Text size="sm" c="dimmed">
          {t.text} <Time at={shadow.createdAt} />
        </Text>
        <FormAlert message={formError(end.error, [])} error={end.error} />
        {all === 0 ? (
          <Text size="sm">{t.nothing}</Text>
        ) : (
          <>
            <Text size="sm" role="status">
              {t.changed(changed, all, percentOrDash(changed / all))}
            </Text>
            <DataTable
              label={t.title}
              columns={[t.columns.live, t.columns.shadow, { name: t.columns.messages, right: true }]}
              minWidth={280}
            >
              {shadow.outcomes.map((one) => (
                <Table.Tr key={`${one.live}-${one.shadow}`} fw={one.live === one.shadow ? undefined : 550}>
                  <Table.Td>
                    <ActionBadge action={one.live.toLowerCase()} />
                  </Table.Td>
                  <Table.Td>
                    <ActionBadge action={one.shadow.toLowerCase()} />
                  </Table.Td>
                  <Table.Td className="numeric" ta="right">
                    {count(one.messages)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </DataTable>
          </>
        )}
        <Group gap="xs">
          {changed > 0 && (
            <ButtonLink
              to="/moderation"
              search={{ policy: policyId, shadow: shadow.version, status: "all" }}
              variant="default"
              size="xs"
            >
              {t.show}
            </ButtonLink>
          )}
          {canEdit && (
            <>
              <Button size="xs" loading={end.isPending} onClick={() => finish(true)}>
                {t.activate}
              </Button>
              <Button size="xs" variant="subtle" color="gray" loading={end.isPending} onClick={() => finish(false)}>
                {t.drop}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
