/** The client against the real Gavel. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { expect, inject, test } from "vitest";
import {
    ApiError,
    ConnectionFailed,
    Gavel,
    GraphQLFailed,
    InsufficientCredits,
    NotFound,
    RateLimited,
    ServerFailed,
    Unauthorized,
    ValidationFailed,
    verifyWebhook,
    WebhookInvalid,
    type Schemas,
} from "../src/index.js";

const SCAM = "free nitro for everyone, claim it at dlscord-gift.com/nitro";
const PNG =
    "iVBORw0KGgoAAAANSUhEUgAAADAAAAAgAQAAAAB8r8axAAAAGElEQVR42mNgYGD4//8/A22pehTqPx0pANNIXqHXkfd/AAAAAElFTkSuQmCC";
const QUICK = { count: 2, first: 10, longest: 20 };
const baseUrl = inject("url");
const gavel = new Gavel({ baseUrl, key: inject("key") });

function items(count: number): Schemas["BatchItem"][] {
    return Array.from({ length: count }, (_, n) => ({
        custom_id: `message-${n}`,
        url: "/api/v1/moderate/text",
        body: { content: `hello ${n}` },
    }));
}

/** A client of a server that gives these responses, the last of them for ever. */
function scripted(...responses: (() => Response)[]): { client: Gavel; requests: Request[] } {
    const requests: Request[] = [];
    const answer = async (request: RequestInfo | URL): Promise<Response> => {
        requests.push(request as Request);
        return (responses[requests.length - 1] ?? responses.at(-1)!)();
    };
    return { client: new Gavel({ baseUrl: "http://gavel.example.com", fetch: answer, retries: QUICK }), requests };
}

function limited(seconds: number): Response {
    const body = { error: "too many requests", code: "RATE_LIMITED", request_id: "req_1" };
    return Response.json(body, { status: 429, headers: { "retry-after": String(seconds) } });
}

test("a scam is banned and explained", async () => {
    const verdict = await gavel.moderateText({ content: SCAM, explain: true });
    expect(verdict.action).toBe("ban");
    expect(verdict.explanation?.categories.scam).toBeGreaterThan(0.9);
});

test("a batch of messages is charged together", async () => {
    const answer = await gavel.moderateTexts({ messages: [{ content: SCAM }, { content: "good morning" }] });
    expect(answer.results.map((result) => result.action)).toEqual(["ban", "none"]);
    expect(answer.credits_deducted).toBe(2 * (await gavel.pricing()).pricing.textCreditCost);
});

test("a picture is sent as a file and in base64", async () => {
    const file = new Blob([Buffer.from(PNG, "base64")], { type: "image/png" });
    const uploaded = await gavel.moderateImage(file);
    const inline = await gavel.moderateImage({ image_base64: PNG });
    expect(uploaded.data.classifications).toEqual(inline.data.classifications);
});

test("questions are answered", async () => {
    const instructions = { team: ["billing", "sales"] };
    const { answers } = await gavel.infer({ state: "I was charged twice", instructions });
    expect(answers.team).toMatchObject({ choice: "billing" });
});

test("a lost response is charged once", async () => {
    const keys: (string | null)[] = [];
    const unreliable: typeof fetch = async (request) => {
        keys.push((request as Request).headers.get("idempotency-key"));
        const response = await fetch(request);
        await response.clone().text();
        if (keys.length < 3) throw new TypeError("the connection was reset");
        return response;
    };
    const before = (await gavel.moderateText({ content: "hello" })).remaining_credits;
    const client = new Gavel({ baseUrl, key: inject("key"), fetch: unreliable, retries: QUICK });
    const verdict = await client.moderateText({ content: "hello again" });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(verdict.remaining_credits).toBe(before - 0.5);
});

test("without a server the retries end", async () => {
    const nowhere = new Gavel({ baseUrl: "http://127.0.0.1:9", retries: QUICK });
    await expect(nowhere.health()).rejects.toThrow(ConnectionFailed);
});

test("a server that does not answer in time is given up", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const client = new Gavel({ baseUrl: `http://127.0.0.1:${port}`, timeout: 50, retries: { count: 0 } });
    await expect(client.health()).rejects.toThrow(ConnectionFailed);
    silent.closeAllConnections();
    silent.close();
});

test("a rate limit is waited for as long as it asks", async () => {
    const { client, requests } = scripted(
        () => limited(1),
        () => Response.json({ success: true }),
    );
    const began = performance.now();
    expect((await client.pricing()).success).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(requests).toHaveLength(2);
});

test("a rate limit beyond the patience is an error", async () => {
    const { client, requests } = scripted(() => limited(3600));
    await expect(client.pricing()).rejects.toThrow(RateLimited);
    expect(requests).toHaveLength(1);
});

test("a mutation is not repeated", async () => {
    const { client, requests } = scripted(() => new Response("down", { status: 503 }));
    const operation = client.graphql("mutation { signOut { userErrors { message } } }");
    await expect(operation).rejects.toThrow("503 UNKNOWN: down");
    await expect(client.graphql("{ viewer { id } }")).rejects.toThrow(ServerFailed);
    expect(requests).toHaveLength(1 + 3);
});

test("errors carry the documented body", async () => {
    const error = await gavel.moderateText({ content: "" }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ValidationFailed);
    const { status, code, details, requestId } = error as ApiError;
    expect({ status, code, field: details[0]?.field }).toEqual({
        status: 422,
        code: "VALIDATION_FAILED",
        field: "content",
    });
    expect(requestId).toMatch(/^req_/);
    await expect(gavel.batch("../../pricing")).rejects.toThrow(NotFound);
    const stranger = new Gavel({ baseUrl, key: "svc_live_wrong" });
    await expect(stranger.graphql("{ account { id } }")).rejects.toThrow("401 UNAUTHORIZED");
    await expect(stranger.moderateText({ content: "hello" })).rejects.toThrow(Unauthorized);
    const poor = new Gavel({ baseUrl, key: inject("poor") });
    await expect(poor.moderateText({ content: "hello" })).rejects.toThrow(InsufficientCredits);
});

test("a batch runs with progress", async () => {
    const seen: Schemas["BatchResponse"][] = [];
    const results = await gavel.runBatch(items(20), { progress: (batch) => seen.push(batch), interval: 100 });
    expect([...results.keys()]).toEqual(items(20).map((item) => item.custom_id));
    expect(results.get("message-3")?.response?.body).toMatchObject({ action: "none" });
    expect(seen[0]?.status).toBe("queued");
    expect(seen.at(-1)).toMatchObject({ status: "completed", counts: { completed: 20 } });
});

test("all pages of batches are listed", async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await gavel.createBatch(items(1))).id);
    const listed: string[] = [];
    for await (const batch of gavel.batches(2)) listed.push(batch.id);
    expect(listed.slice(0, 5)).toEqual(made);
});

test("GraphQL errors are thrown", async () => {
    await expect(gavel.graphql("{ nothing }")).rejects.toThrow(GraphQLFailed);
    const archive = `mutation { archiveJudge(input: { id: "judge_01kahd7f3ye9pvsk8h0a5m5x2e" }) {
        userErrors { message code } } }`;
    await expect(gavel.graphql(archive)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a webhook of the server is verified", async () => {
    const hooks = createServer().listen(0, "127.0.0.1");
    await once(hooks, "listening");
    const { port } = hooks.address() as { port: number };
    const create = `mutation($i: CreateWebhookEndpointInput!) {
        createWebhookEndpoint(input: $i) { webhookEndpoint { id } secret userErrors { message } } }`;
    type Created = { createWebhookEndpoint: { webhookEndpoint: { id: string }; secret: string } };
    const { createWebhookEndpoint: made } = await gavel.graphql<Created>(create, {
        i: { url: `http://127.0.0.1:${port}/` },
    });
    const ping = "mutation($id: ID!) { testWebhookEndpoint(input: { id: $id }) { userErrors { message } } }";
    const arrival = once(hooks, "request");
    await gavel.graphql(ping, { id: made.webhookEndpoint.id });
    const [request, response] = (await arrival) as [
        import("node:http").IncomingMessage,
        import("node:http").ServerResponse,
    ];
    let body = "";
    for await (const chunk of request) body += String(chunk);
    response.end();
    expect(await verifyWebhook(made.secret, request.headers, body)).toMatchObject({ type: "ping" });
    await expect(verifyWebhook(made.secret, request.headers, `${body} `)).rejects.toThrow("not signed");
    const old = { ...request.headers, "webhook-timestamp": "1" };
    await expect(verifyWebhook(made.secret, old, body)).rejects.toThrow("seconds ago");
    await expect(verifyWebhook(made.secret, {}, body)).rejects.toThrow(WebhookInvalid);
    hooks.close();
});

test("the version is the server's", () => {
    const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
    const server = readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8");
    const described = (JSON.parse(server) as { info: { description: string } }).info.description;
    expect(described.endsWith(`Gavel ${own.version}.`)).toBe(true);
});
