// The cache of what was fetched.
import { MutationCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./errors";
import { isReachable, onReachability } from "./reachability";

export const queryClient = new QueryClient({
  // Lists show what a change did to them. Only what is on the page is fetched again.
  mutationCache: new MutationCache({ onSuccess: () => void queryClient.invalidateQueries() }),
  defaultOptions: {
    queries: { staleTime: 5_000, retry: (count, error) => !(error instanceof ApiError) && count < 2, retryDelay: 500 },
  },
});

onReachability(() => {
  if (isReachable()) void queryClient.invalidateQueries();
});
