// How many requests per minute an account may make.
import { NumberInput, Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Confirm } from "@/components/Confirm";
import { tell } from "@/components/notify";
import { useAction } from "@/components/useAction";
import { useOnOpen } from "@/components/useOnOpen";
import { graphql } from "@/gql";
import { type LimitKind, limitKind, limitToSend, type Typed } from "@/logic/operator";
import { accounts } from "@/texts/operator";
import { shell } from "@/texts/shell";
import type { Customer } from "./Accounts";

const SetMutation = graphql(`
  mutation SetAccountRateLimit($input: SetAccountRateLimitInput!) {
    setAccountRateLimit(input: $input) {
      customer {
        id
        rateLimitPerMinute
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = accounts.limit;
const KINDS: LimitKind[] = ["default", "none", "own"];

interface Props {
  customer: Customer;
  opened: boolean;
  onClose: () => void;
}

export function SetRateLimit({ customer, opened, onClose }: Props) {
  const now = customer.rateLimitPerMinute;
  const [kind, setKind] = useState(limitKind(now));
  const [typed, setTyped] = useState<Typed>(now || "");
  const set = useAction(SetMutation);
  useOnOpen(opened, () => {
    setKind(limitKind(now));
    setTyped(now || "");
  });
  const limit = limitToSend(kind, typed);
  const close = () => {
    onClose();
    set.reset();
  };
  const send = () =>
    set.mutate(
      { input: { accountId: customer.id, rateLimitPerMinute: limit } },
      {
        onSuccess: () => {
          tell(t.saved(customer.name));
          close();
        },
      },
    );
  return (
    <Confirm
      opened={opened}
      title={t.title(customer.name)}
      action={t.save}
      why={limit === undefined ? t.why : limit === (now ?? null) && shell.why.unchanged}
      loading={set.isPending}
      error={set.error}
      onClose={close}
      onConfirm={send}
    >
      <Text size="sm" c="dimmed">
        {t.text}
      </Text>
      <Radio.Group value={kind} onChange={(value) => setKind(value as LimitKind)} aria-label={t.open}>
        <Stack gap="xs">
          {KINDS.map((value) => (
            <Radio key={value} value={value} label={t.choices[value]} />
          ))}
        </Stack>
      </Radio.Group>
      {kind === "own" && (
        <NumberInput
          aria-label={t.perMinute}
          value={typed}
          onChange={setTyped}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
        />
      )}
    </Confirm>
  );
}
