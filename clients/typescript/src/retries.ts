/** A `fetch` that repeats requests under one idempotency key. */
import { ConnectionFailed } from "./errors.js";

export interface Retries {
    /** Attempts after the first. */
    count: number;
    /** Milliseconds before the first of them; then twice as long each time. */
    first: number;
    longest: number;
    /** The longest `Retry-After`, in milliseconds, that is waited for. */
    patience: number;
}

export const RETRIES: Retries = { count: 3, first: 500, longest: 8_000, patience: 60_000 };
const RETRIED = new Set([429, 500, 502, 503, 504]);

export interface Sending {
    fetch: typeof fetch;
    retries: Retries;
    /** Milliseconds that one attempt may take until its response begins. */
    timeout: number;
}

/** Sends a request until a response comes that is not temporary. A POST has the same `Idempotency-Key` each time. */
export async function send(request: Request, { fetch, retries, timeout }: Sending): Promise<Response> {
    if (request.method === "POST" && !request.headers.has("idempotency-key")) {
        request.headers.set("idempotency-key", crypto.randomUUID());
    }
    for (let attempt = 0; ; attempt++) {
        const outcome = await once(request, fetch, timeout);
        const response = outcome instanceof Response ? outcome : undefined;
        const wait = attempt < retries.count && !request.signal.aborted ? delay(attempt, retries, response) : undefined;
        if (wait !== undefined) {
            await response?.body?.cancel();
            await new Promise((resolve) => setTimeout(resolve, wait));
        } else if (response) {
            return response;
        } else {
            throw new ConnectionFailed(`no response from ${new URL(request.url).origin}`, { cause: outcome });
        }
    }
}

/** The response, or why there is none. */
async function once(request: Request, fetch: Sending["fetch"], timeout: number): Promise<unknown> {
    const expiry = new AbortController();
    const timer = setTimeout(() => expiry.abort(new Error(`no response within ${timeout} ms`)), timeout);
    try {
        return await fetch(new Request(request.clone(), { signal: AbortSignal.any([request.signal, expiry.signal]) }));
    } catch (error) {
        return error;
    } finally {
        clearTimeout(timer);
    }
}

/** Milliseconds until the next attempt; undefined when the response is final. */
function delay(attempt: number, retries: Retries, response: Response | undefined): number | undefined {
    const asked = 1_000 * Number(response?.headers.get("retry-after") ?? 0) || 0;
    const temporary = !response || RETRIED.has(response.status) || (response.status === 409 && asked > 0);
    if (!temporary || asked > retries.patience) return undefined;
    const backoff = Math.min(retries.first * 2 ** attempt, retries.longest);
    return Math.max(asked, backoff * (0.5 + Math.random() / 2));
}
