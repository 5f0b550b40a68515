/** Verifies webhooks, which are signed as Standard Webhooks 1.0 says. */
import { WebhookInvalid } from "./errors.js";

/** An event. Later versions may add types and members. */
export interface WebhookEvent {
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
}

/**
 * The event in `body`, the text exactly as it arrived. Throws `WebhookInvalid` unless it is signed with the secret
 * (`whsec_…`) and was sent at most `tolerance` seconds ago.
 */
export async function verifyWebhook(
    secret: string,
    headers: Headers | Record<string, string | string[] | undefined>,
    body: string,
    tolerance = 300,
): Promise<WebhookEvent> {
    const id = header(headers, "webhook-id");
    const timestamp = header(headers, "webhook-timestamp");
    const signatures = header(headers, "webhook-signature");
    const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
    if (!(age <= tolerance))
        throw new WebhookInvalid(`the webhook must have been sent ${tolerance} seconds ago at most`);
    const name = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", decoded(secret.replace(/^whsec_/, "")), name, false, ["verify"]);
    const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
    for (const given of signatures.split(" ").filter((signature) => signature.startsWith("v1,"))) {
        const bytes = decoded(given.slice(3));
        if (await crypto.subtle.verify("HMAC", key, bytes, signed)) return JSON.parse(body) as WebhookEvent;
    }
    throw new WebhookInvalid("the webhook is not signed with this secret");
}

function header(headers: Headers | Record<string, string | string[] | undefined>, name: string): string {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== "string") throw new WebhookInvalid(`the header ${name} is missing`);
    return value;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
    try {
        return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    } catch {
        throw new WebhookInvalid("the secret and the signature must be base64");
    }
}
