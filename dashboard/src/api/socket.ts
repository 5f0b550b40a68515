// The WebSocket of subscriptions, once there is one. Apart from `subscribe.ts`, whose library no page needs before
// signing in.
import type { Client } from "graphql-ws";

let client: Client | undefined;

/** The client, which `create` makes when there is none. */
export function connect(create: () => Client): Client {
  client ??= create();
  return client;
}

/** Ends the connection, so that the next one has the new session's cookie. */
export function disconnect() {
  void client?.dispose();
  client = undefined;
}

/** Opens the connection anew with the new session's cookie; what is subscribed to goes on. */
export function reconnect() {
  client?.terminate();
}
