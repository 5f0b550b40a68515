// Signing in with an e-mail address and a password.
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

const SignInMutation = graphql(`
  mutation SignIn($input: SignInInput!) { signIn(input: $input) { viewer { role } userErrors { field message code } } }
`);

const t = entry.signIn;
const route = getRouteApi("/sign-in");

export function SignIn() {
  const { next, ended } = route.useSearch();
  const router = useRouter();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const action = useAction(SignInMutation);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    action.mutate(
      { input: { email, password } },
      {
        onSuccess: () => {
          forgetSession();
          void router.navigate({ href: next ?? "/" });
        },
      },
    );
  };
  return (
    <EntryCard title={t.title} text={t.text}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {ended && <Alert py="xs">{t.ended}</Alert>}
          <FormAlert message={formError(action.error, ["email", "password"])} />
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
            name="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={fieldError(action.error, "password")}
          />
          <Button type="submit" fullWidth mt="xs" loading={action.isPending} disabled={!email || !password}>
            {t.submit}
          </Button>
          <Text size="sm" ta="center" c="dimmed">
            {t.other}{" "}
            <Anchor component={Link} to="/sign-up" inherit underline="always">
              {t.otherLink}
            </Anchor>
          </Text>
        </Stack>
      </form>
    </EntryCard>
  );
}
