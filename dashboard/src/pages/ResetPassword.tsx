// A forgotten password: asking for a link by email, and setting a new password by it.
import { Alert, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { forgetSession } from "@/api/session";
import { EntryCard } from "@/components/EntryForm";
import { FormAlert } from "@/components/FormAlert";
import { GuardedButton } from "@/components/GuardedButton";
import { AnchorLink } from "@/components/links";
import { useAction } from "@/components/useAction";
import { useEntry } from "@/components/useEntry";
import { graphql } from "@/gql";
import { entry } from "@/texts/entry";

const RequestMutation = graphql(`
  mutation RequestPasswordReset($input: RequestPasswordResetInput!) {
    requestPasswordReset(input: $input) {
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const ResetMutation = graphql(`
  mutation ResetPassword($input: ResetPasswordInput!) {
    resetPassword(input: $input) {
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

const t = entry.reset;
const route = getRouteApi("/reset-password");

export function ResetPassword() {
  const { token } = route.useSearch();
  return token ? <NewPassword token={token} /> : <RequestLink />;
}

function RequestLink() {
  const [email, setEmail] = useState("");
  const request = useEntry(RequestMutation);
  return (
    <EntryCard title={t.title} text={t.text}>
      <Form onSubmit={() => request.mutate({ input: { email } })}>
        <FormAlert message={formError(request.error, ["email"])} />
        {request.isSuccess && (
          <Alert py="xs" role="status">
            {t.sent}
          </Alert>
        )}
        <TextInput
          label={entry.email}
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldError(request.error, "email")}
        />
        <GuardedButton type="submit" fullWidth mt="xs" loading={request.isPending} why={!email && t.missingEmail}>
          {t.submit}
        </GuardedButton>
        <Text size="sm" ta="center" c="dimmed" role="status" hidden={!request.checking}>
          {request.checking && entry.checking}
        </Text>
      </Form>
    </EntryCard>
  );
}

function NewPassword({ token }: { token: string }) {
  const [password, setPassword] = useState("");
  const router = useRouter();
  const reset = useAction(ResetMutation);
  const enter = () => {
    forgetSession();
    void router.navigate({ to: "/" });
  };
  return (
    <EntryCard title={t.newTitle} text={t.newText}>
      <Form onSubmit={() => reset.mutate({ input: { token, password } }, { onSuccess: enter })}>
        <FormAlert message={fieldError(reset.error, "token") ?? formError(reset.error, ["password", "token"])} />
        <PasswordInput
          label={t.newPassword}
          description={entry.signUp.passwordHint}
          name="password"
          autoComplete="new-password"
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fieldError(reset.error, "password")}
        />
        <GuardedButton type="submit" fullWidth mt="xs" loading={reset.isPending} why={!password && t.missingPassword}>
          {t.newSubmit}
        </GuardedButton>
      </Form>
    </EntryCard>
  );
}

function Form({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {children}
        <Text size="sm" ta="center" c="dimmed">
          <AnchorLink to="/sign-in" inherit underline="always">
            {t.back}
          </AnchorLink>
        </Text>
      </Stack>
    </form>
  );
}
