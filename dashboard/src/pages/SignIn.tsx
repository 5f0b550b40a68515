// Signing in with an e-mail address and a password.
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { forgetSession } from "@/api/session";
import { EntryForm } from "@/components/EntryForm";
import { useEntry } from "@/components/useEntry";
import { graphql } from "@/gql";
import { entry } from "@/texts/entry";

const SignInMutation = graphql(`
  mutation SignIn($input: SignInInput!) {
    signIn(input: $input) {
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

const route = getRouteApi("/sign-in");

export function SignIn() {
  const { next, ended } = route.useSearch();
  const router = useRouter();
  const action = useEntry(SignInMutation);
  const enter = () => {
    forgetSession();
    void router.navigate({ href: next ?? "/" });
  };
  return (
    <EntryForm
      texts={entry.signIn}
      other="/sign-up"
      note={ended ? entry.signIn.ended : undefined}
      error={action.error}
      loading={action.isPending}
      checking={action.checking}
      onSubmit={(input) => action.mutate({ input }, { onSuccess: enter })}
    />
  );
}
