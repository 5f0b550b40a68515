import { expect, it } from "vitest";
import { countResults, readResult } from "./batchResults";

const line = (body: object | null, error: object | null = null) =>
  JSON.stringify({ custom_id: "a", response: body && { status_code: 200, body }, error });

it("results are read by their kind, and counted", () => {
  const results = [
    readResult(line({ action: "ban", threat_score: 4.567 })),
    readResult(line({ action: "none", threat_score: 0 })),
    readResult(line({ action: "none", threat_score: 0 })),
    readResult(line(null, { code: "BATCH_CANCELLED", message: "the batch was cancelled" })),
    readResult(
      line({ answers: { team: { type: "choice", choice: "billing" }, urgent: { type: "noul", noul: 0.25 } } }),
    ),
    readResult(line({ flagged: true })),
  ];
  expect(results.map(({ text }) => text)).toEqual([
    "4.57",
    "0.00",
    "0.00",
    "the batch was cancelled",
    "team: billing, urgent: 25.0%",
    '{"flagged":true}',
  ]);
  expect(countResults(results)).toEqual({
    actions: [
      ["none", 2],
      ["ban", 1],
    ],
    errors: [["BATCH_CANCELLED", 1]],
  });
});
