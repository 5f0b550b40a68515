import { expect, it } from "vitest";
import {
  backendColor,
  balanceAfter,
  limitKind,
  limitToSend,
  milliseconds,
  modelColor,
  partState,
  priceOf,
  shortHash,
  signedAmount,
  whyNoCancel,
  whyNoRetry,
} from "./operator";

it("credits are granted or taken back in thousandths", () => {
  expect(signedAmount("grant", 100)).toBe(100);
  expect(signedAmount("take", "0.125")).toBe(-0.125);
  for (const typed of ["", "-", 0, -5, 0.0001, "x", Number.POSITIVE_INFINITY])
    expect([typed, signedAmount("grant", typed)]).toEqual([typed, undefined]);
  expect(balanceAfter(0.1, 0.2)).toBe(0.3);
  expect(balanceAfter(199.5, -100)).toBe(99.5);
});

it("a price may be 0", () => {
  expect([0, "0.5", 1.001, "", -1, 0.0005].map(priceOf)).toEqual([0, 0.5, 1.001, undefined, undefined, undefined]);
});

it("a rate limit is the deployment's, none, or a number", () => {
  expect([null, undefined, 0, 60].map(limitKind)).toEqual(["default", "default", "none", "own"]);
  expect(limitToSend("default", 5)).toBeNull();
  expect(limitToSend("none", 5)).toBe(0);
  expect(limitToSend("own", "600")).toBe(600);
  for (const typed of ["", 0, -1, 1.5]) expect([typed, limitToSend("own", typed)]).toEqual([typed, undefined]);
});

it("a job is run again only while its work can still be done", () => {
  const job = { kind: "train_checkpoint", cancelRequested: false } as const;
  expect(whyNoRetry({ ...job, state: "QUEUED" })).toBeUndefined();
  expect(whyNoRetry({ ...job, state: "RUNNING" })).toBe("running");
  expect(whyNoRetry({ ...job, state: "FAILED" })).toBe("retry");
  expect(whyNoRetry({ ...job, state: "FAILED", kind: "deliver_webhook" })).toBeUndefined();
  expect(whyNoRetry({ ...job, state: "QUEUED", cancelRequested: true })).toBe("cancelling");
});

it("a job is cancelled until it has ended, and once", () => {
  const job = { kind: "evaluate", cancelRequested: false } as const;
  expect(whyNoCancel({ ...job, state: "RUNNING" })).toBeUndefined();
  expect(whyNoCancel({ ...job, state: "RUNNING", cancelRequested: true })).toBe("cancelling");
  expect(whyNoCancel({ ...job, state: "SUCCEEDED" })).toBe("ended");
});

it("a part that a process does not use is neither up nor down", () => {
  expect([true, false, null].map(partState)).toEqual(["up", "down", "unknown"]);
});

it("a backend that is not asked for a while is neither up nor down", () => {
  expect((["UP", "DOWN", "PAUSED"] as const).map(backendColor)).toEqual(["pine", "red", "yellow"]);
});

it("times of backends have the digits that matter", () => {
  expect([null, 0, 4.26, 12.6, 1234.5].map(milliseconds)).toEqual(["–", "0.0 ms", "4.3 ms", "13 ms", "1,235 ms"]);
});

it("a model that nobody can check is neither right nor wrong", () => {
  expect(["intact", "altered", "missing", "unusable", "unpinned", "new"].map(modelColor)).toEqual([
    "pine",
    "red",
    "red",
    "red",
    "yellow",
    "yellow",
  ]);
  expect(shortHash("ab".repeat(32))).toBe("abababababababab…");
  expect(shortHash("")).toBe("");
});
