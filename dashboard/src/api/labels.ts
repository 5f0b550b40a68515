// Labels of samples and claims on them, for a dataset, its review and the moderation queue.
import { graphql } from "@/gql";
import { mutate } from "./graphql";
import { queryClient } from "./queryClient";

export const ReclassifyManyMutation = graphql(`
  mutation ReclassifyMany($input: ReclassifySamplesInput!) {
    reclassifySamples(input: $input) {
      changeId
      changed
      userErrors {
        field
        message
        code
      }
    }
  }
`);
export const UndoMutation = graphql(`
  mutation UndoReclassification($changeId: ID!) {
    undoReclassification(input: { changeId: $changeId }) {
      changed
      userErrors {
        field
        message
        code
      }
    }
  }
`);
export const ClaimMutation = graphql(`
  mutation Claim($id: ID!) {
    claimSample(input: { sampleId: $id }) {
      sample {
        id
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);
export const ReleaseMutation = graphql(`
  mutation Release($id: ID!) {
    releaseSample(input: { sampleId: $id }) {
      sample {
        id
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

/** Undoes a change of labels; all pages show what is there then. */
export function undoChange(changeId: string) {
  return mutate(UndoMutation, { changeId }).finally(() => void queryClient.invalidateQueries());
}
