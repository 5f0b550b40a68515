// Signing up, with or without an invitation.
import { TextInput } from "@mantine/core";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { fieldError } from "@/api/errors";
import { forgetSession } from "@/api/session";
import { EntryForm } from "@/components/EntryForm";
import { useEntry } from "@/components/useEntry";
import { graphql } from "@/gql";
import { entry } from "@/texts/entry";

const SignUpMutation = graphql(`
  mutation SignUp($input: SignUpInput!) {
    signUp(input: $input) {
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

const t = entry.signUp;
const route = getRouteApi("/sign-up");

export function SignUp() {
  const invitation = route.useSearch();
  const router = useRouter();
  const [token, setToken] = useState(invitation.token ?? "");
  const action = useEntry(SignUpMutation);
  const enter = () => {
    forgetSession();
    void router.navigate({ to: "/" });
  };
  return (
    <EntryForm
      texts={t}
      other="/sign-in"
      note={invitation.token && t.invited}
      email={invitation.email}
      newPassword
      fields={["inviteToken"]}
      error={action.error}
      loading={action.isPending}
      checking={action.checking}
      onSubmit={({ email, password }) =>
        action.mutate({ input: { email, password, inviteToken: token.trim() || undefined } }, { onSuccess: enter })
      }
    >
      <TextInput
        label={t.token}
        description={t.tokenHint}
        name="token"
        autoComplete="off"
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
        error={fieldError(action.error, "inviteToken")}
      />
    </EntryForm>
  );
}
