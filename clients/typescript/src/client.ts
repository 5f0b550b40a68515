/** The client: openapi-fetch over the generated paths, with retries and typed errors, and helpers for what repeats. */
import createClient, { type Client } from "openapi-fetch";
import { errorOf, GraphQLFailed, type GraphQLErrorBody } from "./errors.js";
import { RETRIES, send, type Retries } from "./retries.js";
import type { components, paths } from "./schema.js";

export type Schemas = components["schemas"];

/** The result of one item of a batch. */
export interface BatchResult {
    custom_id: string;
    response: { status_code: number; request_id: string; body: unknown } | null;
    error: { code: string; message: string } | null;
}

export interface GavelOptions {
    baseUrl: string;
    /** `svc_live_…` */
    key?: string;
    retries?: Partial<Retries>;
    /** Milliseconds that an attempt may take until its response begins. */
    timeout?: number;
    fetch?: typeof fetch;
}

export interface RequestOptions {
    /** Makes requests of several processes one, which is charged once. By default each call has its own. */
    idempotencyKey?: string;
    signal?: AbortSignal;
}

export interface BatchOptions extends RequestOptions {
    metadata?: Record<string, string>;
    /** Called with the batch when it was submitted, and each `interval` milliseconds until it ends. */
    progress?: (batch: Schemas["BatchResponse"]) => void;
    interval?: number;
}

const ENDED = new Set(["completed", "failed", "cancelled", "expired"]);

export class Gavel {
    /** All paths, typed: `gavel.api.GET("/api/v1/checkpoints/{id}", { params: { path: { id } } })`. */
    readonly api: Client<paths>;
    readonly #baseUrl: string;
    readonly #fetch: (request: Request, repeatable?: boolean) => Promise<Response>;

    constructor(options: GavelOptions) {
        const retries = { ...RETRIES, ...options.retries };
        const sending = { fetch: options.fetch ?? fetch, retries, timeout: options.timeout ?? 60_000 };
        const headers = options.key ? { authorization: `Bearer ${options.key}` } : {};
        this.#baseUrl = options.baseUrl.replace(/\/+$/, "");
        this.#fetch = (request, repeatable = true) => {
            for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
            return send(request, repeatable ? sending : { ...sending, retries: { ...retries, count: 0 } });
        };
        this.api = createClient<paths>({ baseUrl: this.#baseUrl, fetch: (request) => this.#fetch(request) });
        this.api.use({
            async onResponse({ response }) {
                if (!response.ok) throw await errorOf(response);
            },
        });
    }

    /** The prices. Needs no key. */
    async pricing(): Promise<Schemas["PricingResponse"]> {
        return given(await this.api.GET("/api/pricing"));
    }

    /** Whether the server can answer. Needs no key. */
    async health(): Promise<Schemas["HealthResponse"]> {
        return given(await this.api.GET("/api/v1/moderate/health"));
    }

    /** The verdict on one message. */
    async moderateText(
        body: Schemas["TextModerationRequest"],
        options?: RequestOptions,
    ): Promise<Schemas["TextModerationResponse"]> {
        return given(await this.api.POST("/api/v1/moderate/text", { body, ...sent(options) }));
    }

    /** The verdicts on 1 to 50 messages, charged together. */
    async moderateTexts(
        body: Schemas["BatchTextModerationRequest"],
        options?: RequestOptions,
    ): Promise<Schemas["BatchTextModerationResponse"]> {
        return given(await this.api.POST("/api/v1/moderate/text/batch", { body, ...sent(options) }));
    }

    /** What a picture shows: a file, `{ image_url }` or `{ image_base64 }`. */
    async moderateImage(
        image: Schemas["ImageModerationRequest"] | Blob,
        options?: RequestOptions,
    ): Promise<Schemas["ImageModerationResponse"]> {
        if (!(image instanceof Blob)) {
            return given(await this.api.POST("/api/v1/moderate/image", { body: image, ...sent(options) }));
        }
        const form = new FormData();
        form.set("image", image, "image");
        const init = { method: "POST", body: form, ...sent(options) };
        const response = await this.#response("/api/v1/moderate/image", init);
        return (await response.json()) as Schemas["ImageModerationResponse"];
    }

    /** Says what was right or wrong about a verdict in the moderation log. Free. */
    async giveFeedback(body: Schemas["FeedbackRequest"]): Promise<Schemas["FeedbackResponse"]> {
        return given(await this.api.POST("/api/v1/moderate/feedback", { body }));
    }

    /** The answers to questions about a state; through a Judge with `judge_id`. */
    async infer(
        body: Schemas["CustomInferenceRequest"],
        options?: RequestOptions,
    ): Promise<Schemas["CustomInferenceResponse"]> {
        return given(await this.api.POST("/api/v1/inference", { body, ...sent(options) }));
    }

    /** Submits up to 50,000 requests that are run in the background. */
    async createBatch(items: Schemas["BatchItem"][], options: BatchOptions = {}): Promise<Schemas["BatchResponse"]> {
        const body = { items, metadata: options.metadata ?? {} };
        return given(await this.api.POST("/api/v1/batches", { body, ...sent(options) }));
    }

    async batch(id: string): Promise<Schemas["BatchResponse"]> {
        return given(await this.api.GET("/api/v1/batches/{id}", { params: { path: { id } } }));
    }

    /** All batches that the key may see, newest first. Pages are fetched as they are needed. */
    async *batches(pageSize = 100): AsyncGenerator<Schemas["BatchResponse"], void> {
        for (let after: string | undefined; ;) {
            const query = { limit: pageSize, ...(after === undefined ? {} : { after }) };
            const page = given(await this.api.GET("/api/v1/batches", { params: { query } }));
            yield* page.data;
            after = page.data.at(-1)?.id;
            if (!page.has_more || after === undefined) return;
        }
    }

    /** Ends a batch at once. What has run stays charged. */
    async cancelBatch(id: string): Promise<Schemas["BatchResponse"]> {
        return given(await this.api.POST("/api/v1/batches/{id}/cancel", { params: { path: { id } } }));
    }

    /** The results so far, in the order of the items. */
    async *batchResults(id: string): AsyncGenerator<BatchResult, void> {
        for await (const line of this.lines(`/api/v1/batches/${encodeURIComponent(id)}/results`)) {
            yield line as BatchResult;
        }
    }

    /** Submits a batch, waits for its end, and returns the results by `custom_id`. */
    async runBatch(items: Schemas["BatchItem"][], options: BatchOptions = {}): Promise<Map<string, BatchResult>> {
        let batch = await this.createBatch(items, options);
        for (;;) {
            options.progress?.(batch);
            if (ENDED.has(batch.status)) break;
            await new Promise((resolve) => setTimeout(resolve, options.interval ?? 1_000));
            options.signal?.throwIfAborted();
            batch = await this.batch(batch.id);
        }
        const results = new Map<string, BatchResult>();
        for await (const result of this.batchResults(batch.id)) results.set(result.custom_id, result);
        return results;
    }

    /** The lines of a JSON Lines response, such as an export of a dataset, as they arrive. */
    async *lines(path: string, init: RequestInit = {}): AsyncGenerator<unknown, void> {
        const response = await this.#response(path, init);
        let rest = "";
        for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
            const lines = (rest + chunk).split("\n");
            rest = lines.pop() ?? "";
            for (const line of lines.filter(Boolean)) yield JSON.parse(line);
        }
        if (rest) yield JSON.parse(rest);
    }

    /**
     * The data of a GraphQL operation; mutations are not repeated. Throws `GraphQLFailed` on its errors, and on the
     * `userErrors` of a mutation.
     */
    async graphql<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
        const headers = { "content-type": "application/json" };
        const init = { method: "POST", headers, body: JSON.stringify({ query, variables }) };
        const repeatable = !query.trimStart().startsWith("mutation");
        const response = await this.#response("/graphql", init, repeatable);
        const answer = (await response.json()) as GraphQLAnswer;
        const errors = answer.errors ?? Object.values(answer.data).flatMap((payload) => payload?.userErrors ?? []);
        if (errors.length > 0) throw new GraphQLFailed(errors);
        return answer.data as Data;
    }

    async #response(path: string, init: RequestInit, repeatable = true): Promise<Response> {
        const response = await this.#fetch(new Request(this.#baseUrl + path, init), repeatable);
        if (!response.ok) throw await errorOf(response);
        return response;
    }
}

interface GraphQLAnswer {
    data: Record<string, { userErrors?: GraphQLErrorBody[] } | null>;
    errors?: GraphQLErrorBody[];
}

/** The headers and the signal of a request. */
function sent(options: RequestOptions | undefined): { headers?: Record<string, string>; signal?: AbortSignal } {
    return {
        ...(options?.idempotencyKey ? { headers: { "idempotency-key": options.idempotencyKey } } : {}),
        ...(options?.signal ? { signal: options.signal } : {}),
    };
}

/** The body of a response that was no error: others were thrown. */
function given<Body>(result: { data?: Body }): Body {
    if (result.data === undefined) throw new TypeError("the response has no body");
    return result.data;
}
