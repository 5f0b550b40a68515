// Which backends an API key may use.
import { tell } from "@/components/notify";
import { SetBackends } from "@/components/SetBackends";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { allowedBackends as t } from "@/texts/allowedBackends";

const SetMutation = graphql(`
  mutation SetApiKeyBackends($input: SetApiKeyBackendsInput!) {
    setApiKeyBackends(input: $input) {
      apiKey {
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
  apiKey: { id: string; name: string; backends?: string[] | null };
  opened: boolean;
  onClose: () => void;
}

export function SetKeyBackends({ apiKey, opened, onClose }: Props) {
  const set = useAction(SetMutation);
  const close = () => {
    onClose();
    set.reset();
  };
  const save = (backends: string[] | null) =>
    set.mutate(
      { input: { id: apiKey.id, backends } },
      {
        onSuccess: () => {
          tell(t.saved(apiKey.name));
          close();
        },
      },
    );
  return (
    <SetBackends
      name={apiKey.name}
      text={t.key}
      now={apiKey.backends ?? null}
      opened={opened}
      loading={set.isPending}
      error={set.error}
      onSave={save}
      onClose={close}
    />
  );
}
