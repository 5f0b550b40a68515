// The cache of what was fetched.
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, errorCode } from "./errors";
import { isReachable, onReachability } from "./reachability";

let whenSessionEnds: () => void = () => undefined;

/** Says what happens when the server no longer knows the session. */
export function onSessionEnd(callback: () => void) {
  whenSessionEnds = callback;
}

function watch(error: unknown) {
  if (errorCode(error) === "UNAUTHORIZED") whenSessionEnds();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: watch }),
  mutationCache: new MutationCache({
    onError: watch,
    // Lists show what a change did to them. Only what is on the page is fetched again.
    onSuccess: () => void queryClient.invalidateQueries(),
  }),
  defaultOptions: {
    queries: { staleTime: 5_000, retry: (count, error) => !(error instanceof ApiError) && count < 2, retryDelay: 500 },
  },
});

onReachability(() => {
  if (isReachable()) void queryClient.invalidateQueries();
});
