// Signing up, with or without an invitation.
import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { Link, getRouteApi, useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { forgetSession } from "@/api/session";
import { EntryCard } from "@/components/EntryCard";
import { FormAlert } from "@/components/FormAlert";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { entry } from "@/texts/entry";

const SignUpMutation = graphql(`
  mutation SignUp($input: SignUpInput!) { signUp(input: $input) { viewer { role } userErrors { field message code } } }
`);

const t = entry.signUp;
const route = getRouteApi("/sign-up");

export function SignUp() {
  const invitation = route.useSearch();
  const router = useRouter();
  const [email, setEmail] = useState(invitation.email ?? "");
  const [password, setPassword] = useState("");
  const [token, setToken] = useState(invitation.token ?? "");
  const action = useAction(SignUpMutation);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    action.mutate(
      { input: { email, password, inviteToken: token.trim() || undefined } },
      {
        onSuccess: () => {
          forgetSession();
          void router.navigate({ to: "/" });
        },
      },
    );
  };
  return (
    <EntryCard title={t.title} text={t.text}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {invitation.token && <Alert py="xs">{t.invited}</Alert>}
          <FormAlert message={formError(action.error, ["email", "password", "inviteToken"])} />
          <TextInput
            label={t.email}
            type="email"
            name="email"
            autoComplete="username"
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={fieldError(action.error, "email")}
          />
          <PasswordInput
            label={t.password}
            description={t.passwordHint}
            name="password"
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={fieldError(action.error, "password")}
          />
          <TextInput
            label={t.token}
            description={t.tokenHint}
            name="token"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            error={fieldError(action.error, "inviteToken")}
          />
          <Button type="submit" fullWidth mt="xs" loading={action.isPending} disabled={!email || !password}>
            {t.submit}
          </Button>
          <Text size="sm" ta="center" c="dimmed">
            {t.other}{" "}
            <Anchor component={Link} to="/sign-in" inherit underline="always">
              {t.otherLink}
            </Anchor>
          </Text>
        </Stack>
      </form>
    </EntryCard>
  );
}
