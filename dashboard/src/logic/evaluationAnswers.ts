// The answers of an evaluation as a file.
import type { EvaluationAnswerFilterInput } from "@/gql/graphql";

/** The path of an export of the answers that match a filter. */
export function answersPath(id: string, format: string, filter: EvaluationAnswerFilterInput): string {
  const parameters = new URLSearchParams({ format });
  if (filter.key) parameters.set("key", filter.key);
  if (filter.groundTruth) parameters.set("ground_truth", filter.groundTruth);
  if (filter.answer) parameters.set("answer", filter.answer);
  if (filter.agrees != null) parameters.set("agrees", String(filter.agrees));
  if (filter.trained != null) parameters.set("trained", String(filter.trained));
  return `/api/v1/evaluations/${id}/answers?${parameters}`;
}
