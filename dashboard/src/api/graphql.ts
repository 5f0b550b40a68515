// One GraphQL operation over HTTP, with the session's cookie.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { TypedDocumentString } from "@/gql/graphql";
import { ApiError, Unreachable, UserErrors, type UserError } from "./errors";
import { reportReachable, reportUnreachable } from "./reachability";
import { reportSessionEnd } from "./sessionEnd";

/** Other sites cannot send this header, so they cannot act for the signed-in person. */
export const CSRF = { "X-Gavel-CSRF": "1" };

type Variables<V> = [V] extends [Record<string, never>] ? [] : [variables: V];

interface Answer<R> {
  data?: R | null;
  errors?: { message: string; extensions?: { code?: string; request_id?: string } }[];
}

/** Fetches, and notes whether the server answers at all. */
export async function reach(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...init });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    reportUnreachable();
    throw new Unreachable();
  }
  // A proxy in front of a server that is down.
  if (response.status === 502 || response.status === 504) {
    reportUnreachable();
    throw new Unreachable();
  }
  reportReachable();
  return response;
}

/** Throws an error that the server answered with, and notes when it says that nobody is signed in. */
export function refuse(error: ApiError): never {
  if (error.code === "UNAUTHORIZED") reportSessionEnd();
  throw error;
}

/** Runs `document`. Throws an {@link ApiError} with the first error of the answer. */
export async function execute<R, V>(
  document: TypedDocumentString<R, V>,
  variables?: V,
  signal?: AbortSignal,
): Promise<R> {
  const response = await reach("/graphql", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/graphql-response+json, application/json",
      ...CSRF,
    },
    body: JSON.stringify({ query: document.toString(), variables }),
    signal,
  });
  const answer = (await response.json().catch(() => ({}))) as Answer<R>;
  const error = answer.errors?.[0];
  if (error || !answer.data) {
    return refuse(
      new ApiError(
        error?.message ?? `HTTP ${response.status}`,
        error?.extensions?.code ?? "",
        error?.extensions?.request_id,
      ),
    );
  }
  return answer.data;
}

/** Runs a mutation. Throws {@link UserErrors} when its payload has any. */
export async function mutate<R, V>(document: TypedDocumentString<R, V>, variables: V): Promise<R> {
  const data = await execute(document, variables);
  for (const payload of Object.values(data as Record<string, { userErrors?: UserError[] } | null>)) {
    if (payload?.userErrors?.length) throw new UserErrors(payload.userErrors);
  }
  return data;
}

/** The options of a query, whose key is the operation's name and the variables. */
export function query<R, V>(document: TypedDocumentString<R, V>, ...[variables]: Variables<V>) {
  return queryOptions({
    queryKey: [operationName(document), variables ?? {}],
    queryFn: ({ signal }) => execute(document, variables as V, signal),
  });
}

/** The options of a query whose old rows stay while those of other variables load. */
export function pagedQuery<R, V>(document: TypedDocumentString<R, V>, ...variables: Variables<V>) {
  return { ...query(document, ...variables), placeholderData: keepPreviousData };
}

/** The name of an operation. */
export function operationName(document: { toString(): string }): string {
  return /(?:query|mutation|subscription)\s+(\w+)/.exec(document.toString())?.[1] ?? "anonymous";
}
