// A mutation whose refusals are errors, and whose success all lists on the page show.
import { useMutation } from "@tanstack/react-query";
import { mutate } from "@/api/graphql";
import type { TypedDocumentString } from "@/gql/graphql";

export function useAction<R, V>(document: TypedDocumentString<R, V>) {
  return useMutation<R, Error, V>({ mutationFn: (variables) => mutate(document, variables) });
}
