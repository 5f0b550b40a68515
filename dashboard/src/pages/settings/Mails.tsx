// Which e-mails an owner wants.
import { Card, Stack, Switch, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { tell, tellFailure } from "@/components/notify";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { settings } from "@/texts/account";

const MailsQuery = graphql(`
  query MailPreferences {
    sendsEmail
    viewer {
      mailPreferences {
        weeklySummary
        lowBalance
      }
    }
  }
`);
const SetMutation = graphql(`
  mutation SetMailPreferences($input: SetMailPreferencesInput!) {
    setMailPreferences(input: $input) {
      viewer {
        mailPreferences {
          weeklySummary
          lowBalance
        }
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = settings.mails;
const KINDS = ["weeklySummary", "lowBalance"] as const;

export function Mails() {
  const { data } = useQuery(query(MailsQuery));
  const set = useAction(SetMutation);
  const wanted = data?.viewer?.mailPreferences;
  if (!data?.sendsEmail || !wanted) return null;
  const shown = set.isPending ? set.variables.input : wanted;
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2}>{t.title}</Title>
        <Text size="xs" c="dimmed">
          {t.hint}
        </Text>
        {KINDS.map((kind) => (
          <Switch
            key={kind}
            label={t.kinds[kind]}
            checked={shown[kind]}
            onChange={(event) =>
              set.mutate(
                { input: { ...wanted, [kind]: event.currentTarget.checked } },
                { onSuccess: () => tell(t.saved), onError: tellFailure },
              )
            }
          />
        ))}
      </Stack>
    </Card>
  );
}
