// What the dataset's pages ask for and change.
import { graphql } from "@/gql";
import type { SamplesQuery as Result } from "@/gql/graphql";

export const SamplesQuery = graphql(`
  query Samples(
    $id: ID!
    $first: Int
    $after: String
    $last: Int
    $before: String
    $order: SampleOrder!
    $filter: SampleFilterInput
    $answer: AnswerFilterInput
    $text: String
  ) {
    judge(id: $id) {
      id
      samples(
        first: $first
        after: $after
        last: $last
        before: $before
        order: $order
        filter: $filter
        answer: $answer
        text: $text
      ) {
        totalCount
        nodes {
          id
          state
          certainty
          createdAt
          answers {
            key
            type
            value
            probability
            groundTruth
          }
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
    }
  }
`);

export const SampleQuery = graphql(`
  query Sample($id: ID!) {
    sample(id: $id) {
      id
      state
      source
      judgeVersion
      createdAt
      model
      latencyMs
      credits
      instructions
      answers {
        key
        type
        value
        probability
        probabilities
        groundTruth
      }
      history(first: 20) {
        nodes {
          changeId
          key
          previous
          value
          createdAt
        }
      }
    }
  }
`);

export const ReclassifyMutation = graphql(`
  mutation Reclassify($input: ReclassifySampleInput!) {
    reclassifySample(input: $input) {
      changeId
      userErrors {
        field
        message
        code
      }
    }
  }
`);
export const ClearTruthMutation = graphql(`
  mutation ClearTruth($input: ClearGroundTruthInput!) {
    clearGroundTruth(input: $input) {
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
export const PurgeMutation = graphql(`
  mutation Purge($input: PurgeSamplesInput!) {
    purgeSamples(input: $input) {
      count
      userErrors {
        field
        message
        code
      }
    }
  }
`);

export type SampleRow = NonNullable<Result["judge"]>["samples"]["nodes"][number];
