// The public REST endpoints, as the playground calls them: with the session in place of a key.
import { saveFile } from "@/logic/saveFile";
import { ApiError, Unreachable } from "./errors";
import { CSRF, reach, refuse } from "./graphql";
import { reportReachable, reportUnreachable } from "./reachability";

/** The shapes of answers, as far as the dashboard reads them. */
export interface Explanation {
  categories: Record<string, number>;
  signals: { name: string; weight: number; start: number; end: number }[];
  normalized_text: string;
}
export interface TextAnswer {
  id: string;
  action: "none" | "warn" | "timeout" | "ban";
  threat_score: number;
  is_phishing_or_scam: number;
  requires_mod_review: number;
  action_probabilities: Record<string, number>;
  routing_model: string;
  latency_ms: number;
  credits_deducted?: number;
  explanation?: Explanation;
  policy?: { id: string; name: string; version: number };
}
export interface BatchAnswer {
  results: (TextAnswer & { content?: string })[];
  credits_deducted: number;
}
export interface ImageAnswer {
  request_id: string;
  credits_deducted: number;
  data: {
    is_flagged: boolean;
    summary: string;
    categories: {
      nudity: { score: number; flagged: boolean; labels: string[] };
      drawn_nudity: { score: number; flagged: boolean; labels: string[] };
      age_estimation: {
        estimated_age: number;
        age_range: string;
        is_minor: boolean;
        confidence: number;
        face_detected: boolean;
      };
    };
    classifications: { className: string; probability: number }[];
    meta: { latency_ms: number; model_backend: string };
  };
}
export interface Answer {
  type: "choice" | "score" | "noul" | "text";
  choice?: string;
  score?: number;
  noul?: number;
  text?: string;
  confidence?: number;
  legend?: Record<string, string>;
  probabilities?: Record<string, number>;
  abstained?: boolean;
}
export interface InferenceAnswer {
  id: string;
  model: string;
  backend: string;
  latency_ms: number;
  answers: Record<string, Answer>;
  routing: { model: string; reason: string };
  credits_deducted: number;
  logged?: boolean;
}

/** An error of a REST route, with the fields that it names. */
export class RestError extends ApiError {
  constructor(
    message: string,
    code: string,
    requestId: string | undefined,
    readonly details: { field: string; message: string }[],
  ) {
    super(message, code, requestId);
    this.name = "RestError";
  }
}

/** Posts JSON, or a form, and returns the answer's JSON. */
export async function post<T>(path: string, body: unknown): Promise<T> {
  const form = body instanceof FormData;
  const response = await reach(path, {
    method: "POST",
    headers: form ? CSRF : { "Content-Type": "application/json", ...CSRF },
    body: form ? body : JSON.stringify(body),
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok) return refuse(restError(response.status, answer));
  return answer as T;
}

/** Posts a file as it is, and returns the answer's JSON. `onProgress` is told which share of it has been sent. */
export async function upload<T>(
  path: string,
  file: Blob,
  { headers, onProgress }: { headers: Record<string, string>; onProgress: (share: number) => void },
): Promise<T> {
  // fetch does not tell how far an upload is.
  const request = new XMLHttpRequest();
  const answered = new Promise<void>((resolve, reject) => {
    request.addEventListener("load", () => resolve());
    request.addEventListener("error", () => reject(new Unreachable()));
  });
  request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded / total));
  request.open("POST", path);
  for (const [name, value] of Object.entries({ ...CSRF, ...headers })) request.setRequestHeader(name, value);
  request.send(file);
  await answered.catch((cause: unknown) => {
    reportUnreachable();
    throw cause;
  });
  reportReachable();
  let answer: Record<string, unknown> = {};
  try {
    answer = JSON.parse(request.responseText) as Record<string, unknown>;
  } catch {
    // Not from Gavel, but from what stands before it.
  }
  return request.status < 300 ? (answer as T) : refuse(restError(request.status, answer));
}

/** A name for a request that is safe to send again. */
export function idempotencyKey(): string {
  // randomUUID is for pages over https alone.
  return Array.from(window.crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

function restError(status: number, answer: Record<string, unknown>): RestError {
  return new RestError(
    typeof answer.error === "string" ? answer.error : `HTTP ${status}`,
    typeof answer.code === "string" ? answer.code : "",
    typeof answer.request_id === "string" ? answer.request_id : undefined,
    Array.isArray(answer.details) ? (answer.details as { field: string; message: string }[]) : [],
  );
}

/** Fetches a file with the session, and has the browser save it under `name`. */
export async function download(path: string, name: string): Promise<void> {
  const response = await reach(path, { headers: CSRF });
  if (!response.ok) {
    const answer = (await response.json().catch(() => ({}))) as { error?: string; code?: string; request_id?: string };
    return refuse(new ApiError(answer.error ?? `HTTP ${response.status}`, answer.code ?? "", answer.request_id));
  }
  saveFile(await response.blob(), name);
}
