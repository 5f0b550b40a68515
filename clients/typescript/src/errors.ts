/** What can go wrong. Errors of the server carry the documented body. */
import type { components } from "./schema.js";

export type ErrorBody = components["schemas"]["ErrorResponse"];

/** Any failure of a request. */
export class GavelError extends Error {
    constructor(message: string, options?: ErrorOptions) {
        super(message, options);
        this.name = new.target.name;
    }
}

/** No response came, also after the retries. */
export class ConnectionFailed extends GavelError {}

/** A request was not sent by Gavel, or is too old. */
export class WebhookInvalid extends GavelError {}

/** An error that the server returned. The subclass says which status. */
export class ApiError extends GavelError {
    constructor(
        readonly status: number,
        readonly body: ErrorBody,
    ) {
        super(`${status} ${body.code}: ${body.error} (${body.request_id})`);
    }

    get code(): string {
        return this.body.code;
    }

    get requestId(): string {
        return this.body.request_id;
    }

    get details(): NonNullable<ErrorBody["details"]> {
        return this.body.details ?? [];
    }
}

/** 401: no API key, or none that is valid. */
export class Unauthorized extends ApiError {}
/** 402: the balance is lower than the cost. */
export class InsufficientCredits extends ApiError {}
/** 403: the key lacks a scope. */
export class Forbidden extends ApiError {}
/** 404: there is none of the account's with this id or name. */
export class NotFound extends ApiError {}
/** 409: the state of the resource does not allow this, or a quota is used up. */
export class Conflict extends ApiError {}
/** 413: the body exceeds the path's limit. */
export class PayloadTooLarge extends ApiError {}
/** 422: `details` names the fields at fault. */
export class ValidationFailed extends ApiError {}
/** 429: too many requests per minute, also after the retries. */
export class RateLimited extends ApiError {}
/** 500 to 599: the server could not answer, also after the retries. Nothing was charged. */
export class ServerFailed extends ApiError {}

const BY_STATUS: Record<number, typeof ApiError> = {
    401: Unauthorized,
    402: InsufficientCredits,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: PayloadTooLarge,
    422: ValidationFailed,
    429: RateLimited,
};

/** One error of GraphQL, or one of a mutation's `userErrors`. */
export interface GraphQLErrorBody {
    message: string;
    code?: string;
    field?: string | null;
    extensions?: { code?: string; request_id?: string };
}

/** GraphQL refused an operation. */
export class GraphQLFailed extends GavelError {
    constructor(readonly errors: GraphQLErrorBody[]) {
        super(errors.map((error) => error.message).join("; "));
    }

    /** The code of the first error, such as `CONFLICT`. */
    get code(): string | undefined {
        return this.errors[0]?.code ?? this.errors[0]?.extensions?.code;
    }
}

/** The error for a response, also for one that a proxy sent in place of Gavel. */
export async function errorOf(response: Response): Promise<ApiError> {
    const text = await response.text();
    const Kind = response.status >= 500 ? ServerFailed : (BY_STATUS[response.status] ?? ApiError);
    return new Kind(response.status, parseBody(text) ?? unknownBody(response, text));
}

/** The documented body, also of an error of GraphQL. */
function parseBody(text: string): ErrorBody | undefined {
    try {
        const body = JSON.parse(text) as Partial<ErrorBody> & { errors?: GraphQLErrorBody[] };
        if (body.error && body.code && body.request_id) return body as ErrorBody;
        const { message, extensions } = body.errors?.[0] ?? {};
        if (!message || !extensions?.code || !extensions.request_id) return undefined;
        return { error: message, code: extensions.code, request_id: extensions.request_id };
    } catch {
        return undefined;
    }
}

function unknownBody(response: Response, text: string): ErrorBody {
    const request_id = response.headers.get("x-request-id") ?? "no request id";
    return { error: text.slice(0, 200) || response.statusText, code: "UNKNOWN", request_id };
}
