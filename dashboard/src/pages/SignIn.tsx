// Signing in with an e-mail address and a password.
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { query } from "@/api/graphql";
import { forgetSession } from "@/api/session";
import { EntryForm } from "@/components/EntryForm";
import { AnchorLink } from "@/components/links";
import { SignInMutation, useEntry } from "@/components/useEntry";
import { graphql } from "@/gql";
import { entry } from "@/texts/entry";

const SendsEmailQuery = graphql(`
  query SendsEmail {
    sendsEmail
  }
`);

const route = getRouteApi("/sign-in");

export function SignIn() {
  const { next } = route.useSearch();
  const router = useRouter();
  const action = useEntry(SignInMutation);
  const sendsEmail = useQuery(query(SendsEmailQuery)).data?.sendsEmail;
  const enter = () => {
    forgetSession();
    void router.navigate({ href: next ?? "/" });
  };
  return (
    <EntryForm
      texts={entry.signIn}
      other="/sign-up"
      error={action.error}
      loading={action.isPending}
      checking={action.checking}
      onSubmit={(input) => action.mutate({ input }, { onSuccess: enter })}
    >
      {sendsEmail && (
        <AnchorLink to="/reset-password" size="sm" underline="always">
          {entry.reset.link}
        </AnchorLink>
      )}
    </EntryForm>
  );
}
