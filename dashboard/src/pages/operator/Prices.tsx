// What operations cost.
import { Button, NumberInput, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconTag } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { query } from "@/api/graphql";
import { Confirm } from "@/components/Confirm";
import { EmptyState } from "@/components/EmptyState";
import { List } from "@/components/List";
import { tell } from "@/components/notify";
import { Page } from "@/components/Page";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { useOnOpen } from "@/components/useOnOpen";
import { graphql } from "@/gql";
import type { OperatorPricesQuery as Result } from "@/gql/graphql";
import { creditAmount } from "@/logic/format";
import { priceOf, type Typed } from "@/logic/operator";
import { prices as t } from "@/texts/operator";
import { shell } from "@/texts/shell";

const PricesQuery = graphql(`
  query OperatorPrices {
    operator {
      prices {
        operation
        credits
        updatedAt
      }
    }
  }
`);
const SetMutation = graphql(`
  mutation SetPrice($input: SetPriceInput!) {
    setPrice(input: $input) {
      price {
        operation
        credits
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

type Price = Result["operator"]["prices"][number];
const COLUMNS = [t.columns.operation, { name: t.columns.price, right: true }, t.columns.changed, ""];

export function Prices() {
  const result = useQuery(query(PricesQuery));
  return (
    <Page title={t.title} text={t.text}>
      <List<Price>
        label={t.title}
        query={result}
        rows={result.data && { nodes: result.data.operator.prices }}
        columns={COLUMNS}
        row={(price) => <Row key={price.operation} price={price} />}
        empty={<EmptyState icon={IconTag} {...t.empty} />}
      />
    </Page>
  );
}

function Row({ price }: { price: Price }) {
  const [changing, { open, close }] = useDisclosure();
  const operation = t.operations[price.operation];
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={550}>
          {operation}
        </Text>
        <Text size="xs" c="dimmed">
          {t.units[price.operation]}
        </Text>
      </Table.Td>
      <Table.Td className="numeric" ta="right">
        {creditAmount(price.credits)}
      </Table.Td>
      <Table.Td>
        <Time at={price.updatedAt} />
      </Table.Td>
      <Table.Td ta="right">
        <Button size="compact-xs" variant="default" aria-label={t.editOf(operation)} onClick={open}>
          {t.edit}
        </Button>
        <Change price={price} opened={changing} onClose={close} />
      </Table.Td>
    </Table.Tr>
  );
}

function Change({ price, opened, onClose }: { price: Price; opened: boolean; onClose: () => void }) {
  const [typed, setTyped] = useState<Typed>(price.credits);
  const set = useAction(SetMutation);
  useOnOpen(opened, () => setTyped(price.credits));
  const next = priceOf(typed);
  const operation = t.operations[price.operation];
  const close = () => {
    onClose();
    set.reset();
  };
  const send = () =>
    next !== undefined &&
    set.mutate(
      { input: { operation: price.operation, credits: next } },
      {
        onSuccess: () => {
          tell(t.saved(operation, creditAmount(next)));
          close();
        },
      },
    );
  return (
    <Confirm
      opened={opened}
      title={t.confirmTitle(operation)}
      action={next === undefined ? t.set : t.save(creditAmount(next))}
      why={next === undefined ? t.why : next === price.credits && shell.why.unchanged}
      loading={set.isPending}
      error={set.error}
      onClose={close}
      onConfirm={send}
    >
      <Text size="sm">{t.now(creditAmount(price.credits))}</Text>
      <NumberInput
        label={t.label}
        description={t.units[price.operation]}
        value={typed}
        onChange={setTyped}
        min={0}
        decimalScale={3}
        thousandSeparator=","
        allowNegative={false}
        hideControls
        data-autofocus
      />
      {next === 0 && (
        <Text size="sm" c="dimmed">
          {t.free}
        </Text>
      )}
    </Confirm>
  );
}
