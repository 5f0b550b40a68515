// What the moderation queue asks for and changes.
import { graphql } from "@/gql";
import type { ModerationMessageQuery, ModerationQueueQuery } from "@/gql/graphql";

export const QueueQuery = graphql(`
  query ModerationQueue(
    $first: Int
    $after: String
    $last: Int
    $before: String
    $order: SampleOrder!
    $filter: SampleFilterInput
    $text: String
    $moderation: ModerationFilterInput
  ) {
    account {
      moderationLog {
        id
        storeContent
        samples(
          first: $first
          after: $after
          last: $last
          before: $before
          order: $order
          filter: $filter
          text: $text
          moderation: $moderation
        ) {
          totalCount
          nodes {
            id
            createdAt
            labelled
            model
            claimedBy {
              id
              name
            }
            assignedTo {
              id
              name
            }
            answers {
              key
              value
              probabilities
              groundTruth
            }
            history(first: 5) {
              nodes {
                changeId
                note
              }
            }
            moderation {
              moderationId
              content
              picture {
                sha256
                bytes
                source
                labels
              }
              shadow {
                version
                action
              }
              author
              channel
              action
              threatScore
              language
              policy {
                id
                name
                version
              }
              signals {
                name
                weight
                start
                end
              }
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
  }
`);

export const MessageQuery = graphql(`
  query ModerationMessage($id: ID!) {
    sample(id: $id) {
      id
      state
      createdAt
      judge {
        id
      }
      model
      answers {
        key
        value
        probabilities
        groundTruth
      }
      history(first: 30) {
        nodes {
          changeId
          key
          value
          note
          createdAt
          actor {
            id
            name
          }
        }
      }
      moderation {
        moderationId
        content
        author
        channel
        action
        threatScore
        language
        policy {
          id
          name
          version
        }
        signals {
          name
          weight
          start
          end
        }
        plainRules {
          id
          name
          probability
          broken
        }
        ruleExamples {
          ruleId
          allowed
        }
        earlierOfAuthor(limit: 5) {
          id
          createdAt
          moderation {
            content
            action
          }
        }
        earlierInChannel(limit: 5) {
          id
          createdAt
          moderation {
            content
            author
            action
          }
        }
      }
    }
  }
`);

export const DecideMutation = graphql(`
  mutation Decide($input: GiveModerationFeedbackInput!) {
    giveModerationFeedback(input: $input) {
      changeId
      userErrors {
        field
        message
        code
      }
    }
  }
`);
export const CorrectRuleMutation = graphql(`
  mutation CorrectRule($input: GiveModerationFeedbackInput!) {
    giveModerationFeedback(input: $input) {
      policy {
        version
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);
export const AssignMutation = graphql(`
  mutation AssignMessages($input: AssignSamplesInput!) {
    assignSamples(input: $input) {
      samples {
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

/** Who messages can be assigned to. */
export const PeopleQuery = graphql(`
  query ModerationPeople {
    account {
      users(first: 100) {
        nodes {
          id
          email
          role
        }
      }
    }
  }
`);
export const PoliciesQuery = graphql(`
  query ModerationPolicyNames {
    account {
      moderationPolicies(first: 100, includeArchived: true) {
        nodes {
          id
          name
        }
      }
    }
  }
`);

type Node = NonNullable<ModerationQueueQuery["account"]["moderationLog"]>["samples"]["nodes"][number];
/** A message of the queue. */
export type Message = Node & { moderation: NonNullable<Node["moderation"]> };
export type MessageDetail = NonNullable<ModerationMessageQuery["sample"]>;
export type Signal = Message["moderation"]["signals"][number];

/** The nodes that are moderated messages: all of them, in a moderation log. */
export const messages = (nodes: Node[]): Message[] => nodes.filter((node): node is Message => node.moderation != null);
