// The public REST endpoints, as the playground calls them: with the session in place of a key.
import { ApiError } from "./errors";
import { CSRF, reach, refuse } from "./graphql";

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
      age_estimation: { estimated_age: number; age_range: string; is_minor: boolean; confidence: number; face_detected: boolean };
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
  if (!response.ok) {
    const error = new RestError(
      typeof answer.error === "string" ? answer.error : `HTTP ${response.status}`,
      typeof answer.code === "string" ? answer.code : "",
      typeof answer.request_id === "string" ? answer.request_id : undefined,
      Array.isArray(answer.details) ? (answer.details as { field: string; message: string }[]) : [],
    );
    return refuse(error);
  }
  return answer as T;
}

/** Fetches a file with the session, and has the browser save it under `name`. */
export async function download(path: string, name: string): Promise<void> {
  const response = await reach(path, { headers: CSRF });
  if (!response.ok) {
    const answer = (await response.json().catch(() => ({}))) as { error?: string; code?: string; request_id?: string };
    return refuse(new ApiError(answer.error ?? `HTTP ${response.status}`, answer.code ?? "", answer.request_id));
  }
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
