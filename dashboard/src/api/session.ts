// Who is signed in.
import { graphql } from "@/gql";
import { queryOptions, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { mayEdit, mayModerate } from "@/logic/roles";
import { execute, query } from "./graphql";
import { queryClient } from "./queryClient";
import { reportSessionEnd, reportSessionResumed } from "./sessionEnd";
import { disconnect, reconnect } from "./socket";
import { forgetKept } from "@/logic/kept";

const ViewerQuery = graphql(`
  query Viewer {
    viewer {
      role
      operator
      user {
        id
        email
      }
      account {
        id
        name
        available
        held
        balance
      }
    }
  }
`);

const SignOutMutation = graphql(`
  mutation SignOut {
    signOut {
      signedOut
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const { queryKey } = query(ViewerQuery);

export const viewerQuery = queryOptions({
  queryKey,
  queryFn: async ({ signal }) => {
    const known = queryClient.getQueryData(queryKey);
    const now = await execute(ViewerQuery, {}, signal);
    if (now.viewer || !known?.viewer) return now;
    // Keeps the page and its unsaved input until the person has signed in again.
    reportSessionEnd();
    return known;
  },
  staleTime: 60_000,
});

/** The viewer of a page that only people who are signed in see. */
export function useViewer() {
  const { data } = useSuspenseQuery(viewerQuery);
  if (!data.viewer) throw new Error("not signed in");
  return data.viewer;
}

/** Whether the viewer may change Judges, datasets and keys. */
export function useCanEdit(): boolean {
  return mayEdit(useViewer().role);
}

/** Whether the viewer may decide on messages of the moderation log. */
export function useCanModerate(): boolean {
  return mayModerate(useViewer().role);
}

/** Puts a new balance where the viewer is shown. */
export function useSetBalance() {
  const client = useQueryClient();
  return (account: { available: number; held: number; balance: number }) =>
    client.setQueryData(viewerQuery.queryKey, (data) =>
      data?.viewer ? { ...data, viewer: { ...data.viewer, account: { ...data.viewer.account, ...account } } } : data,
    );
}

/** Forgets everything that was fetched for the person who was signed in. */
export function forgetSession() {
  disconnect();
  queryClient.clear();
  forgetKept();
  reportSessionResumed();
}

/** Goes on after the same person has signed in again. */
export async function resumeSession() {
  reconnect();
  reportSessionResumed();
  await queryClient.invalidateQueries();
}

export async function signOut() {
  await execute(SignOutMutation, {});
  forgetSession();
}
