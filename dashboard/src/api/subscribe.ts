// Subscriptions, over one WebSocket that is opened when the first is needed.
import { createClient, type Client } from "graphql-ws";
import { useEffect, useEffectEvent } from "react";
import type { TypedDocumentString } from "@/gql/graphql";
import { connect } from "./socket";

function create(): Client {
  const scheme = window.location.protocol === "https:" ? "wss" : "ws";
  return createClient({
    url: `${scheme}://${window.location.host}/graphql/ws`,
    lazy: true,
    lazyCloseTimeout: 3000,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: (event) => !(event instanceof CloseEvent && event.code >= 4400 && event.code < 4500),
  });
}

/** Calls `onData` with each event while the component is shown and `enabled`. What it misses is in the next query. */
export function useSubscription<R, V extends Record<string, unknown>>(
  document: TypedDocumentString<R, V>,
  variables: V,
  onData: (data: R) => void,
  enabled = true,
) {
  const receive = useEffectEvent(onData);
  const text = document.toString();
  const key = JSON.stringify(variables);
  useEffect(() => {
    if (!enabled) return undefined;
    return connect(create).subscribe<R>(
      { query: text, variables: JSON.parse(key) as V },
      { next: (result) => result.data && receive(result.data), error: () => undefined, complete: () => undefined },
    );
  }, [text, key, enabled]);
}
