// What operators may do to accounts, prices and jobs, and what is missing before they can.
import type { BackendState, JobState } from "@/gql/graphql";
import { count } from "./format";

/** What a number field holds: text while something else than a number is typed. */
export type Typed = number | string;

const numberOf = (typed: Typed): number => (typed === "" ? Number.NaN : Number(typed));

/** Whether a number has at most three decimals, which is as exact as credits are. */
const isExact = (number: number) => Math.abs(number * 1000 - Math.round(number * 1000)) < 1e-6;

export type Direction = "grant" | "take";

/** The credits that are granted, or as a negative number taken back; nothing until there is a valid amount. */
export function signedAmount(direction: Direction, typed: Typed): number | undefined {
  const amount = numberOf(typed);
  if (!Number.isFinite(amount) || amount <= 0 || !isExact(amount)) return undefined;
  return direction === "grant" ? amount : -amount;
}

/** A balance after a change of it, without the errors of binary fractions. */
export const balanceAfter = (balance: number, amount: number) => Math.round((balance + amount) * 1000) / 1000;

/** A price: 0 or more, with at most three decimals. */
export function priceOf(typed: Typed): number | undefined {
  const price = numberOf(typed);
  return Number.isFinite(price) && price >= 0 && isExact(price) ? price : undefined;
}

export type LimitKind = "default" | "none" | "own";

/** Which kind of rate limit an account has: null is the deployment's, 0 is none. */
export function limitKind(perMinute: number | null | undefined): LimitKind {
  if (perMinute == null) return "default";
  return perMinute === 0 ? "none" : "own";
}

/** The rate limit to send; `undefined` until there is a valid one. */
export function limitToSend(kind: LimitKind, typed: Typed): number | null | undefined {
  if (kind === "default") return null;
  if (kind === "none") return 0;
  const perMinute = numberOf(typed);
  return Number.isInteger(perMinute) && perMinute > 0 ? perMinute : undefined;
}

interface JobStatus {
  kind: string;
  state: JobState;
  cancelRequested: boolean;
}

/** Why a job cannot be run now; nothing if it can. */
export function whyNoRetry({
  kind,
  state,
  cancelRequested,
}: JobStatus): "running" | "retry" | "cancelling" | undefined {
  if (state === "RUNNING") return "running";
  if (state === "QUEUED") return cancelRequested ? "cancelling" : undefined;
  return state === "FAILED" && kind === "deliver_webhook" ? undefined : "retry";
}

/** Why a job cannot be cancelled; nothing if it can. */
export function whyNoCancel({ state, cancelRequested }: JobStatus): "ended" | "cancelling" | undefined {
  if (state !== "QUEUED" && state !== "RUNNING") return "ended";
  return cancelRequested ? "cancelling" : undefined;
}

export type PartState = "up" | "down" | "unknown";

/** The state of a part of the deployment, which a process may not use. */
export function partState(works: boolean | null | undefined): PartState {
  if (works == null) return "unknown";
  return works ? "up" : "down";
}

const MODEL_COLORS: Record<string, string> = { intact: "pine", altered: "red", missing: "red", unusable: "red" };

/** The colour of a model's state: red for what does not work, yellow for what nobody can check. */
export const modelColor = (state: string): string => MODEL_COLORS[state] ?? "yellow";

const BACKEND_COLORS: Record<BackendState, string> = { UP: "pine", DOWN: "red", PAUSED: "yellow" };

/** The colour of whether a backend can be asked. */
export const backendColor = (state: BackendState): string => BACKEND_COLORS[state];

/** A time that a backend took: to the millisecond, but short ones to the tenth. */
export function milliseconds(ms: number | null | undefined): string {
  if (ms == null) return "–";
  return `${ms < 10 ? ms.toFixed(1) : count(Math.round(ms))} ms`;
}

/** The begin of a hash, which is enough to compare by eye. */
export const shortHash = (sha256: string): string => (sha256.length > 16 ? `${sha256.slice(0, 16)}…` : sha256);
