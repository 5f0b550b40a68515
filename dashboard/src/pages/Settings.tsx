// The account's name, the password, sessions, the look, and the end.
import {
  Badge,
  Button,
  Card,
  Group,
  PasswordInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
  useMantineColorScheme,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { pagedQuery } from "@/api/graphql";
import { useViewer } from "@/api/session";
import { CopyIcon } from "@/components/CopyButton";
import { FormAlert } from "@/components/FormAlert";
import { GuardedButton } from "@/components/GuardedButton";
import { tell, tellFailure } from "@/components/notify";
import { Page } from "@/components/Page";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { agent } from "@/logic/agent";
import { settings as t } from "@/texts/account";
import { shell } from "@/texts/shell";
import { Erase } from "./settings/Erase";
import { Mails } from "./settings/Mails";

const SessionsQuery = graphql(`
  query Sessions {
    viewer {
      sessions {
        id
        current
        createdAt
        lastUsedAt
        userAgent
      }
    }
  }
`);
const RenameMutation = graphql(`
  mutation Rename($name: String!) {
    updateAccount(input: { name: $name }) {
      account {
        id
        name
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const PasswordMutation = graphql(`
  mutation ChangePassword($input: ChangePasswordInput!) {
    changePassword(input: $input) {
      viewer {
        role
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const EndMutation = graphql(`
  mutation EndSessions($input: EndSessionsInput!) {
    endSessions(input: $input) {
      ended
      userErrors {
        field
        message
        code
      }
    }
  }
`);
export function Settings() {
  const { role } = useViewer();
  return (
    <Page title={t.title}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: "start" }}>
        <Stack gap="md">
          <Account owner={role === "OWNER"} />
          <Appearance />
          <Sessions />
        </Stack>
        <Stack gap="md">
          <Password />
          {role === "OWNER" && <Mails />}
          {role === "OWNER" && <Erase />}
        </Stack>
      </SimpleGrid>
    </Page>
  );
}

function Account({ owner }: { owner: boolean }) {
  const { account } = useViewer();
  const [name, setName] = useState(account.name);
  const rename = useAction(RenameMutation);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate({ name }, { onSuccess: () => tell(t.name.saved) });
  };
  return (
    <Card component="form" onSubmit={submit}>
      <Stack gap="sm">
        <Title order={2}>{t.name.title}</Title>
        <FormAlert message={formError(rename.error, ["name"])} error={rename.error} />
        <TextInput
          label={t.name.label}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(rename.error, "name")}
          readOnly={!owner}
          description={owner ? undefined : t.name.owner}
        />
        <Group gap={4} wrap="nowrap">
          <Text size="sm" c="dimmed">
            {t.name.id}
          </Text>
          <span className="mono clip">{account.id}</span>
          <CopyIcon value={account.id} />
        </Group>
        {owner && (
          <Group justify="flex-end">
            <GuardedButton
              type="submit"
              variant="default"
              why={name.trim() ? name === account.name && shell.why.unchanged : shell.why.name}
              loading={rename.isPending}
            >
              {t.name.save}
            </GuardedButton>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Card>
      <Title order={2}>{t.appearance.title}</Title>
      <Text size="xs" c="dimmed" mb="sm">
        {t.appearance.hint}
      </Text>
      <SegmentedControl
        fullWidth
        value={colorScheme}
        onChange={(value) => setColorScheme(value as "light")}
        data={(["light", "dark", "auto"] as const).map((value) => ({ value, label: shell.theme[value] }))}
        aria-label={t.appearance.title}
      />
    </Card>
  );
}

function Password() {
  const [password, setPassword] = useState("");
  const [newPassword, setNewPassword] = useState("");
  const change = useAction(PasswordMutation);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { input: { password, newPassword } },
      {
        onSuccess: () => {
          setPassword("");
          setNewPassword("");
          tell(t.password.saved);
        },
      },
    );
  };
  return (
    <Card component="form" onSubmit={submit}>
      <Stack gap="sm">
        <Title order={2}>{t.password.title}</Title>
        <FormAlert message={formError(change.error, ["password", "newPassword"])} error={change.error} />
        <PasswordInput
          label={t.password.old}
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fieldError(change.error, "password")}
        />
        <PasswordInput
          label={t.password.new}
          description={t.password.hint}
          autoComplete="new-password"
          value={newPassword}
          onChange={(event) => setNewPassword(event.currentTarget.value)}
          error={fieldError(change.error, "newPassword")}
        />
        <Group justify="flex-end">
          <GuardedButton
            type="submit"
            variant="default"
            why={(!password || !newPassword) && t.password.missing}
            loading={change.isPending}
          >
            {t.password.save}
          </GuardedButton>
        </Group>
      </Stack>
    </Card>
  );
}

function Sessions() {
  const result = useQuery(pagedQuery(SessionsQuery));
  const end = useAction(EndMutation);
  const sessions = result.data?.viewer?.sessions ?? [];
  const done = { onSuccess: () => tell(t.sessions.ended), onError: tellFailure };
  return (
    <Card>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{t.sessions.title}</Title>
        {sessions.length > 1 && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => end.mutate({ input: { ids: [], others: true } }, done)}
          >
            {t.sessions.endOthers}
          </Button>
        )}
      </Group>
      <Stack gap={8}>
        {sessions.map((session) => (
          <Group key={session.id} justify="space-between" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Text size="sm" className="clip" title={session.userAgent}>
                {agent(session.userAgent)}
              </Text>
              <Text size="xs" c="dimmed">
                {t.sessions.used} <Time at={session.lastUsedAt} />
              </Text>
            </div>
            {session.current ? (
              <Badge>{t.sessions.current}</Badge>
            ) : (
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => end.mutate({ input: { ids: [session.id], others: false } }, done)}
              >
                {t.sessions.end}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
