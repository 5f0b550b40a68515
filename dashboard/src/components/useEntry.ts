// Signing in or up, with the work that the server asks of a new device.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { UserErrors } from "@/api/errors";
import { mutate } from "@/api/graphql";
import { prove } from "@/api/proofOfWork";
import { graphql } from "@/gql";
import type { TypedDocumentString } from "@/gql/graphql";

export const SignInMutation = graphql(`
  mutation SignIn($input: SignInInput!) {
    signIn(input: $input) {
      viewer {
        role
        user {
          id
        }
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

interface Entry {
  input: { email: string; proofOfWork?: string | null };
}

/** The mutation, which is sent again with a proof of work if the server refuses it without. */
export function useEntry<R, V extends Entry>(document: TypedDocumentString<R, V>) {
  const [checking, setChecking] = useState(false);
  const enter = async (variables: V): Promise<R> => {
    // What is shown next is fetched while the server checks the password.
    import("./Shell").catch(() => undefined);
    try {
      return await mutate(document, variables);
    } catch (error) {
      if (!(error instanceof UserErrors && error.at("proofOfWork"))) throw error;
    }
    setChecking(true);
    try {
      const proofOfWork = await prove(variables.input.email);
      return await mutate(document, { ...variables, input: { ...variables.input, proofOfWork } });
    } finally {
      setChecking(false);
    }
  };
  return { ...useMutation<R, Error, V>({ mutationFn: enter }), checking };
}
