// Erases the account, after its name was typed.
import { Button, Card, Group, Modal, Stack, Text, TextInput, Title } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { forgetSession, useViewer } from "@/api/session";
import { FormAlert } from "@/components/FormAlert";
import { GuardedButton } from "@/components/GuardedButton";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { settings as t } from "@/texts/account";
import { shell } from "@/texts/shell";

const EraseMutation = graphql(`
  mutation Erase($confirm: String!) {
    eraseAccount(input: { confirm: $confirm }) {
      erasedAccountId
      userErrors {
        field
        message
        code
      }
    }
  }
`);

export function Erase() {
  const { account } = useViewer();
  const router = useRouter();
  const [opened, setOpened] = useState(false);
  const [confirm, setConfirm] = useState("");
  const erase = useAction(EraseMutation);
  const run = () =>
    erase.mutate(
      { confirm },
      {
        onSuccess: () => {
          forgetSession();
          void router.navigate({ to: "/sign-up" });
        },
      },
    );
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2}>{t.erase.title}</Title>
        <Text size="sm" c="dimmed">
          {t.erase.text}
        </Text>
        <Group>
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpened(true)}>
            {t.erase.open}
          </Button>
        </Group>
      </Stack>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t.erase.title}>
        <Stack gap="md">
          <Text size="sm">{t.erase.text}</Text>
          <FormAlert message={erase.error?.message} error={erase.error} />
          <TextInput
            label={t.erase.label(account.name)}
            value={confirm}
            onChange={(event) => setConfirm(event.currentTarget.value)}
            autoComplete="off"
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setOpened(false)}>
              {shell.cancel}
            </Button>
            <GuardedButton
              color="red"
              why={confirm !== account.name && t.erase.label(account.name)}
              loading={erase.isPending}
              onClick={run}
            >
              {t.erase.action}
            </GuardedButton>
          </Group>
        </Stack>
      </Modal>
    </Card>
  );
}
