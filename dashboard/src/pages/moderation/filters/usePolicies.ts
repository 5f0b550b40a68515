// The account's policies, for filters by policy.
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { PoliciesQuery } from "../queries";

/** The policies; none while they load, and for those who may not see them. */
export function usePolicies(): { id: string; name: string }[] {
  const { data } = useQuery({ ...query(PoliciesQuery), staleTime: 60_000, retry: false });
  return data?.account.moderationPolicies.nodes ?? [];
}
