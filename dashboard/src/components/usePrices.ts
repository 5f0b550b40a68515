// What operations cost.
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { graphql } from "@/gql";
import type { Operation } from "@/gql/graphql";

const PricesQuery = graphql(`
  query Prices {
    prices {
      operation
      credits
    }
  }
`);

/**
 * The prices, asked for once `enabled`: credits for one operation, undefined until they are known; or why they are not.
 */
export function usePrices(enabled = true): { of: (operation: Operation) => number | undefined; error: Error | null } {
  const { data, error } = useQuery({ ...query(PricesQuery), enabled });
  return { of: (operation) => data?.prices.find((price) => price.operation === operation)?.credits, error };
}
