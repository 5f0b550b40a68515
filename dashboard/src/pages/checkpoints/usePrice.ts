// What an operation costs.
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { graphql } from "@/gql";
import type { Operation } from "@/gql/graphql";

const PricesQuery = graphql(`
  query Prices { prices { operation credits } }
`);

/** Credits for one `operation`; undefined until it is known. */
export function usePrice(operation: Operation, enabled = true): number | undefined {
  const { data } = useQuery({ ...query(PricesQuery), enabled });
  return data?.prices.find((price) => price.operation === operation)?.credits;
}
