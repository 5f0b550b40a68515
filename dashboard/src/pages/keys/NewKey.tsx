// Creates an API key, and shows it once.
import { Button, Checkbox, Group, Modal, NumberInput, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { BackendsField } from "@/components/BackendsField";
import { FormAlert } from "@/components/FormAlert";
import { GuardedButton } from "@/components/GuardedButton";
import { ShownOnce } from "@/components/ShownOnce";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { Scope } from "@/gql/graphql";
import { keys as t } from "@/texts/keys";
import { shell } from "@/texts/shell";

const CreateMutation = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      secret
      apiKey {
        id
        name
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const DAYS: Record<string, number> = { d30: 30, d90: 90, d365: 365 };

export function NewKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [secret, setSecret] = useState<string>();
  const show = (created: string) => {
    setSecret(created);
    onClose();
  };
  return (
    <>
      <Modal opened={opened} onClose={onClose} title={t.form.title} closeOnClickOutside={false}>
        {opened && <Form onClose={onClose} onCreated={show} />}
      </Modal>
      <ShownOnce secret={secret} texts={t.secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

function Form({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: string) => void }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<Scope[]>(["MODERATE", "INFER"]);
  const [expiry, setExpiry] = useState("never");
  const [limit, setLimit] = useState<number | string>("");
  const [backends, setBackends] = useState<string[] | null>(null);
  const create = useAction(CreateMutation);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const days = DAYS[expiry];
    const expiresAt = days ? new Date(Date.now() + days * 86_400_000).toISOString() : undefined;
    create.mutate(
      {
        input: { name, scopes, expiresAt, rateLimitPerMinute: limit === "" ? undefined : Number(limit), backends },
      },
      {
        onSuccess: ({ createApiKey }) => onCreated(createApiKey.secret ?? ""),
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <FormAlert
          message={formError(create.error, ["name", "scopes", "expiresAt", "rateLimitPerMinute", "backends"])}
          error={create.error}
        />
        <TextInput
          label={t.form.name}
          description={t.form.nameHint}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(create.error, "name")}
          data-autofocus
        />
        <Checkbox.Group
          label={t.form.scopes}
          value={scopes}
          onChange={(value) => setScopes(value as Scope[])}
          error={fieldError(create.error, "scopes")}
        >
          <Stack gap={8} mt={6}>
            {(Object.keys(t.scopes) as Scope[]).map((scope) => (
              <Checkbox key={scope} value={scope} label={t.scopes[scope].name} description={t.scopes[scope].text} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group grow align="flex-start">
          <Select
            label={t.form.expiry}
            value={expiry}
            onChange={(value) => setExpiry(value ?? "never")}
            allowDeselect={false}
            data={Object.entries(t.form.expiries).map(([value, label]) => ({ value, label }))}
            error={fieldError(create.error, "expiresAt")}
          />
          <NumberInput
            label={t.form.limit}
            value={limit}
            onChange={setLimit}
            min={0}
            allowDecimal={false}
            placeholder={t.form.limitHint}
            error={fieldError(create.error, "rateLimitPerMinute")}
          />
        </Group>
        <BackendsField value={backends} onChange={setBackends} error={fieldError(create.error, "backends")} />
        <Group justify="flex-end" mt="xs" gap="xs">
          <Button variant="default" onClick={onClose}>
            {shell.cancel}
          </Button>
          <GuardedButton
            type="submit"
            loading={create.isPending}
            why={name.trim() ? scopes.length === 0 && t.form.noScope : shell.why.name}
          >
            {t.form.submit}
          </GuardedButton>
        </Group>
      </Stack>
    </form>
  );
}
