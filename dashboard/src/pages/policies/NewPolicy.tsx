// Makes a moderation policy.
import { useRouter } from "@tanstack/react-router";
import { useCanEdit } from "@/api/session";
import { AnchorLink } from "@/components/links";
import { LookOnly } from "@/components/LookOnly";
import { Page } from "@/components/Page";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { policies } from "@/texts/policies";
import { shell } from "@/texts/shell";
import { PolicyForm } from "./PolicyForm";

const CreateMutation = graphql(`
  mutation CreatePolicy($input: CreateModerationPolicyInput!) {
    createModerationPolicy(input: $input) {
      moderationPolicy {
        id
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = policies.make;
const NOTHING = { name: "", description: "", rules: {} };

export function NewPolicy() {
  const router = useRouter();
  const create = useAction(CreateMutation);
  if (!useCanEdit()) return <LookOnly title={t.title} back="/policies" />;
  return (
    <Page title={t.title} text={t.text}>
      <PolicyForm
        initial={NOTHING}
        canEdit
        submit={t.submit}
        save={create}
        onSubmit={(input) =>
          create.mutate(
            { input },
            {
              onSuccess: ({ createModerationPolicy }) => {
                const id = createModerationPolicy.moderationPolicy?.id;
                if (id)
                  void router.navigate({ to: "/policies/$policyId", params: { policyId: id }, ignoreBlocker: true });
              },
            },
          )
        }
        cancel={
          <AnchorLink to="/policies" size="sm" c="dimmed">
            {shell.cancel}
          </AnchorLink>
        }
      />
    </Page>
  );
}
