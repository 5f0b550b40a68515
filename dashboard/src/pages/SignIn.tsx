// Signing in with an e-mail address and a password.
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { forgetSession } from "@/api/session";
import { EntryForm } from "@/components/EntryForm";
import { SignInMutation, useEntry } from "@/components/useEntry";
import { entry } from "@/texts/entry";

const route = getRouteApi("/sign-in");

export function SignIn() {
  const { next } = route.useSearch();
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
      error={action.error}
      loading={action.isPending}
      checking={action.checking}
      onSubmit={(input) => action.mutate({ input }, { onSuccess: enter })}
    />
  );
}
