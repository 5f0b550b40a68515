// Which backends an account may use.
import { tell } from "@/components/notify";
import { SetBackends } from "@/components/SetBackends";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { allowedBackends as t } from "@/texts/allowedBackends";
import type { Customer } from "./Accounts";

const SetMutation = graphql(`
  mutation SetAccountBackends($input: SetAccountBackendsInput!) {
    setAccountBackends(input: $input) {
      customer {
        id
        backends
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

interface Props {
  customer: Customer;
  opened: boolean;
  onClose: () => void;
}

export function SetAccountBackends({ customer, opened, onClose }: Props) {
  const set = useAction(SetMutation);
  const close = () => {
    onClose();
    set.reset();
  };
  const save = (backends: string[] | null) =>
    set.mutate(
      { input: { accountId: customer.id, backends } },
      {
        onSuccess: () => {
          tell(t.saved(customer.name));
          close();
        },
      },
    );
  return (
    <SetBackends
      name={customer.name}
      text={t.account}
      now={customer.backends ?? null}
      opened={opened}
      loading={set.isPending}
      error={set.error}
      onSave={save}
      onClose={close}
    />
  );
}
