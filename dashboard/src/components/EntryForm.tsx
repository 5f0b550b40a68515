// The form of the pages for those who are not signed in.
import { Alert, Box, Button, Card, Group, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { entry } from "@/texts/entry";
import { shell } from "@/texts/shell";
import { FormAlert } from "./FormAlert";
import { AnchorLink } from "./links";

interface Props {
  texts: { title: string; text: string; submit: string; other: string; otherLink: string; passwordHint?: string };
  /** The other of the two pages. */
  other: "/sign-in" | "/sign-up";
  /** Something to know before one begins. */
  note?: string;
  email?: string;
  newPassword?: boolean;
  /** Fields below the password, and their names in errors. */
  children?: ReactNode;
  fields?: string[];
  error: Error | null;
  loading: boolean;
  /** Whether the browser does the work that the server asks of a new device. */
  checking: boolean;
  onSubmit: (credentials: { email: string; password: string }) => void;
}

export function EntryForm({
  texts: t,
  other,
  note,
  email: known = "",
  newPassword,
  children,
  fields = [],
  error,
  loading,
  checking,
  onSubmit,
}: Props) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [incomplete, setIncomplete] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIncomplete(!email || !password);
    if (email && password) onSubmit({ email, password });
  };
  return (
    <EntryCard title={t.title} text={t.text}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {note && <Alert py="xs">{note}</Alert>}
          <FormAlert message={incomplete ? entry.missing : formError(error, ["email", "password", ...fields])} />
          <TextInput
            label={entry.email}
            type="email"
            name="email"
            autoComplete="username"
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={fieldError(error, "email")}
          />
          <PasswordInput
            label={entry.password}
            description={t.passwordHint}
            name="password"
            autoComplete={newPassword ? "new-password" : "current-password"}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={fieldError(error, "password")}
          />
          {children}
          <Button type="submit" fullWidth mt="xs" loading={loading}>
            {t.submit}
          </Button>
          <Text size="sm" ta="center" c="dimmed" role="status" hidden={!checking}>
            {checking && entry.checking}
          </Text>
          <Text size="sm" ta="center" c="dimmed">
            {t.other}{" "}
            <AnchorLink to={other} inherit underline="always">
              {t.otherLink}
            </AnchorLink>
          </Text>
        </Stack>
      </form>
    </EntryCard>
  );
}

/** The card of a page for those who are not signed in. */
export function EntryCard({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${shell.product}`;
  }, [title]);
  return (
    <Box component="main" mih="100dvh" p="md" style={{ display: "grid", placeItems: "center" }}>
      <Stack w="100%" maw={380} gap="lg">
        <Group gap={12} justify="center">
          <img src="/favicon.svg" width={34} height={34} alt="" />
          <Box>
            <Text fw={650} size="xl" lh={1.1} style={{ letterSpacing: "-0.01em" }}>
              {shell.product}
            </Text>
            <Text size="xs" c="dimmed">
              {entry.pitch}
            </Text>
          </Box>
        </Group>
        <Card p="lg">
          <Title order={1} mb={2}>
            {title}
          </Title>
          <Text size="sm" c="dimmed" mb="md">
            {text}
          </Text>
          {children}
        </Card>
      </Stack>
    </Box>
  );
}
