// Gives an account credits or takes some back: first how many and why, then whether it is meant.
import { Button, Group, Modal, NumberInput, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Confirm } from "@/components/Confirm";
import { GuardedButton } from "@/components/GuardedButton";
import { tell } from "@/components/notify";
import { useAction } from "@/components/useAction";
import { useOnOpen } from "@/components/useOnOpen";
import { graphql } from "@/gql";
import { creditAmount, credits } from "@/logic/format";
import { balanceAfter, type Direction, signedAmount, type Typed } from "@/logic/operator";
import { accounts } from "@/texts/operator";
import { shell } from "@/texts/shell";
import type { Customer } from "./Accounts";

const GrantMutation = graphql(`
  mutation GrantCredits($input: GrantCreditsInput!) {
    grantCredits(input: $input) {
      account {
        id
        balance
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = accounts.credits;

interface Props {
  customer: Customer;
  opened: boolean;
  onClose: () => void;
}

export function GrantCredits({ customer, opened, onClose }: Props) {
  const [direction, setDirection] = useState<Direction>("grant");
  const [typed, setTyped] = useState<Typed>("");
  const [note, setNote] = useState("");
  const [asking, setAsking] = useState(false);
  const grant = useAction(GrantMutation);
  useOnOpen(opened, () => {
    setDirection("grant");
    setTyped("");
    setNote("");
    setAsking(false);
  });
  const amount = signedAmount(direction, typed);
  const why = whyNot(amount, note, customer.available);
  const granting = direction === "grant";
  const said = creditAmount(Math.abs(amount ?? 0));

  const ask = (event: FormEvent) => {
    event.preventDefault();
    if (!why) setAsking(true);
  };
  const back = () => {
    setAsking(false);
    grant.reset();
  };
  const send = () => {
    if (amount === undefined) return;
    grant.mutate(
      { input: { accountId: customer.id, amount, note: note.trim() } },
      {
        onSuccess: () => {
          tell(granting ? t.granted(said, customer.name) : t.taken(said, customer.name));
          onClose();
        },
      },
    );
  };
  return (
    <>
      <Modal opened={opened && !asking} onClose={onClose} title={t.title(customer.name)} size={440}>
        <form onSubmit={ask}>
          <Stack gap="md">
            <SegmentedControl
              aria-label={t.direction}
              value={direction}
              onChange={(value) => setDirection(value as Direction)}
              data={[
                { value: "grant", label: t.directions.grant },
                { value: "take", label: t.directions.take },
              ]}
            />
            <NumberInput
              label={t.amount}
              value={typed}
              onChange={setTyped}
              min={0}
              decimalScale={3}
              thousandSeparator=","
              allowNegative={false}
              hideControls
              data-autofocus
            />
            <Textarea
              label={t.note}
              description={t.noteHint}
              value={note}
              maxLength={t.noteLimit}
              autosize
              minRows={2}
              maxRows={5}
              onChange={(event) => setNote(event.currentTarget.value)}
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                {shell.cancel}
              </Button>
              <GuardedButton type="submit" why={why}>
                {t.next}
              </GuardedButton>
            </Group>
          </Stack>
        </form>
      </Modal>
      <Confirm
        opened={opened && asking}
        title={granting ? t.grantTitle(said, customer.name) : t.takeTitle(said, customer.name)}
        action={granting ? t.grant(said) : t.take(said)}
        danger={!granting}
        loading={grant.isPending}
        error={grant.error}
        onClose={back}
        onConfirm={send}
      >
        <Stack gap={4}>
          <Text size="sm" className="numeric">
            {t.balance(credits(customer.balance), credits(balanceAfter(customer.balance, amount ?? 0)))}
          </Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {note.trim()}
          </Text>
        </Stack>
      </Confirm>
    </>
  );
}

/** What is missing before it can be confirmed. */
function whyNot(amount: number | undefined, note: string, available: number): string | undefined {
  if (amount === undefined) return t.whyAmount;
  if (-amount > available) return t.whyTooMany(creditAmount(available));
  return note.trim() ? undefined : t.whyNote;
}
