// A review against the server: samples are fetched ahead, and ground truths are sent while the next sample is read.
import { useCallback, useEffect, useRef, useState } from "react";
import { errorCode } from "@/api/errors";
import { execute, mutate } from "@/api/graphql";
import { queryClient } from "@/api/queryClient";
import { tell, tellFailure } from "@/components/notify";
import { graphql } from "@/gql";
import type { ReviewQueueQuery as Result } from "@/gql/graphql";
import { back, extend, set as setValue, skip as skipSample, start } from "@/logic/review";
import { ClaimMutation, ReleaseMutation, UndoMutation } from "@/api/labels";
import { ReclassifyMutation } from "@/pages/dataset/queries";
import { review as t } from "@/texts/dataset";

const QueueQuery = graphql(`
  query ReviewQueue($id: ID!, $after: String) {
    judge(id: $id) {
      reviewQueue(first: 20, after: $after) {
        nodes {
          id
          state
          certainty
          answers {
            key
            value
            probabilities
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

export type QueueSample = NonNullable<Result["judge"]>["reviewQueue"]["nodes"][number];

/** Samples that are fetched before they are needed. */
const AHEAD = 6;

/** With `canEdit`, each sample that is looked at is claimed, so that nobody else corrects it meanwhile. */
export function useReview(judgeId: string, keys: string[], canEdit: boolean) {
  const [review, setReview] = useState(start<QueueSample>);
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<unknown>();
  const [conflict, setConflict] = useState<string>();
  const page = useRef<{ after?: string; more: boolean }>({ more: true });
  const fetching = useRef(false);
  // The change of each ground truth, once the server has made it.
  const changes = useRef<Promise<string | null | undefined>[]>([]);
  // The undo that is under way: what is set after it is sent after it.
  const undoing = useRef<Promise<unknown>>(Promise.resolve());

  const fetchMore = useCallback(async () => {
    if (fetching.current || !page.current.more) return;
    fetching.current = true;
    setLoading(true);
    try {
      const { judge } = await execute(QueueQuery, { id: judgeId, after: page.current.after });
      const queue = judge?.reviewQueue;
      page.current = { after: queue?.pageInfo.endCursor ?? undefined, more: queue?.pageInfo.hasNextPage ?? false };
      setReview((current) => extend(current, queue?.nodes ?? []));
      setError(undefined);
    } catch (cause) {
      setError(cause);
    } finally {
      fetching.current = false;
      setLoading(false);
    }
  }, [judgeId]);

  const left = review.samples.length - review.position;
  useEffect(() => {
    if (left < AHEAD) void fetchMore();
  }, [left, fetchMore]);
  // Other pages show what was done here.
  useEffect(() => () => void Promise.allSettled(changes.current).then(() => queryClient.invalidateQueries()), []);

  const sample = review.samples[review.position];
  const sampleId = sample?.id;
  useEffect(() => {
    if (!sampleId || !canEdit) return undefined;
    let shown = true;
    // A sample that only was passed is not worth a claim.
    const timer = setTimeout(() => {
      mutate(ClaimMutation, { id: sampleId }).catch(
        (cause: unknown) => shown && errorCode(cause) === "CONFLICT" && setConflict(sampleId),
      );
    }, 400);
    return () => {
      shown = false;
      clearTimeout(timer);
    };
  }, [sampleId, canEdit]);

  const set = (value: string) => {
    const key = keys[review.question];
    if (!sample || !key) return;
    const input = { sampleId: sample.id, key, value };
    const change = undoing.current
      .then(() => mutate(ReclassifyMutation, { input }))
      .then((data) => data.reclassifySample.changeId);
    change.catch(tellFailure);
    changes.current.push(change);
    setReview(setValue(review, keys, value));
  };
  const skip = () => {
    if (sample && canEdit) mutate(ReleaseMutation, { id: sample.id }).catch(() => undefined);
    setReview(skipSample(review));
  };
  const undo = () => {
    const { review: before, undone } = back(review);
    if (!undone) return tell(t.nothingToUndo);
    setReview(before);
    const change = changes.current.pop();
    const run = async () => {
      const changeId = await change;
      if (changeId) await mutate(UndoMutation, { changeId });
      tell(t.undone);
    };
    undoing.current = run().catch(tellFailure);
    return undefined;
  };
  return {
    sample,
    key: keys[review.question],
    done: review.done.length,
    loading,
    error,
    claimedByOther: conflict !== undefined && conflict === sampleId,
    set,
    skip,
    undo,
    retry: () => void fetchMore(),
  };
}
