// A front end's day on Gavel, in types generated from schema.graphql: sign in, create a Judge, run it over REST, watch
// what it records, page through that both ways, re-classify, read statistics.
//
// GAVEL_URL, GAVEL_EMAIL, GAVEL_PASSWORD and GAVEL_API_KEY (with the scope `infer`) say where and who. Prints one JSON
// object of findings; any mismatch ends it with an exception.

import assert from "node:assert/strict";
import { print } from "graphql";
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { createClient, type Client } from "graphql-ws";
import WebSocket from "ws";
import {
    BalanceChangedDocument,
    CreateJudgeDocument,
    NodeDocument,
    ReclassifyDocument,
    SampleRecordedDocument,
    SamplesDocument,
    SignInDocument,
    StatsDocument,
    UndoDocument,
    type ErrorFragment,
    type ListedFragment,
    type SamplesQueryVariables,
} from "./generated/gavel.js";

const setting = (name: string): string => process.env[name] ?? assert.fail(`${name} is not set`);
const url = setting("GAVEL_URL");
const MESSAGES = ["charged twice", "where is my parcel", "hello", "refund me", "thank you"];

const COST = 0.5;

let cookie = "";
/** What the Judge was asked about, in order. */
const states: string[] = [];

/**
 * Runs an operation as a page of Gavel's own would: with its cookie, and with the header that no other site can send.
 */
async function ask<R, V>(document: TypedDocumentNode<R, V>, variables: V): Promise<R> {
    const response = await fetch(`${url}/graphql`, {
        method: "POST",
        headers: {
            accept: "application/graphql-response+json",
            "content-type": "application/json",
            "x-gavel-csrf": "1",
            ...(cookie && { cookie }),
        },
        body: JSON.stringify({ query: print(document), variables }),
    });
    const [set] = response.headers.getSetCookie();
    cookie = set?.split(";", 1)[0] ?? cookie;
    const { data, errors } = (await response.json()) as { data?: R; errors?: unknown };
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data ?? assert.fail("an answer has data");
}

/** Runs a Judge, as a program would. */
async function infer(endpoint: string, state: string): Promise<void> {
    const response = await fetch(`${url}${endpoint}`, {
        method: "POST",
        headers: { authorization: `Bearer ${setting("GAVEL_API_KEY")}`, "content-type": "application/json" },
        body: JSON.stringify({ state }),
    });
    const answer = (await response.json()) as { logged?: boolean };
    assert.deepEqual([response.status, answer.logged], [200, true], JSON.stringify(answer));
    states.push(state);
}

/** What a subscription sends. */
async function* watch<R, V extends Record<string, unknown>>(
    client: Client,
    document: TypedDocumentNode<R, V>,
    variables: V,
): AsyncGenerator<R> {
    for await (const { data, errors } of client.iterate<R>({ query: print(document), variables })) {
        assert.equal(errors, undefined, JSON.stringify(errors));
        yield data ?? assert.fail("what is sent has data");
    }
}

const none = (userErrors: ErrorFragment[]): void => assert.deepEqual(userErrors, []);
const there = <T>(value: T | null | undefined): T => value ?? assert.fail("something is null that should be there");

/** Every sample of a Judge, page by page. */
async function pages(judge: string, turn: (edge: string | null) => Partial<SamplesQueryVariables>) {
    const found: ListedFragment[][] = [];
    let edge: string | null = null;
    for (;;) {
        const asked = turn(edge);
        const { samples } = there((await ask(SamplesDocument, { judge, ...asked })).judge);
        assert.equal(samples.totalCount, states.length);
        found.push(samples.nodes);
        const { hasNextPage, hasPreviousPage, startCursor, endCursor } = samples.pageInfo;
        if (!(asked.last ? hasPreviousPage : hasNextPage)) return found;
        edge = asked.last ? startCursor : endCursor;
    }
}

// Sign in.
const wrong = { email: setting("GAVEL_EMAIL"), password: "not the password" };
assert.notDeepEqual((await ask(SignInDocument, { input: wrong })).signIn.userErrors, []);
assert.equal(cookie, "");
const { signIn } = await ask(SignInDocument, { input: { ...wrong, password: setting("GAVEL_PASSWORD") } });
none(signIn.userErrors);
const viewer = there(signIn.viewer);
assert.deepEqual([viewer.role, viewer.user?.email], ["OWNER", setting("GAVEL_EMAIL")]);

// Create a Judge; what is wrong with one is said beside the field.
const { createJudge: refused } = await ask(CreateJudgeDocument, {
    input: { name: "", instructions: { team: ["one"] } },
});
assert.equal(refused.judge, null);
assert.notDeepEqual(refused.userErrors, []);
const instructions = { team: ["billing", "shipping", "other"], urgent: "Does somebody need to act today?" };
const { createJudge } = await ask(CreateJudgeDocument, { input: { name: "Triage", instructions, storeContent: true } });
none(createJudge.userErrors);
const judge = there(createJudge.judge);
assert.deepEqual(
    judge.questions.map(({ key, type }) => [key, type]),
    [
        ["team", "CHOICE"],
        ["urgent", "NOUL"],
    ],
);

// Subscribe, and run the Judge over REST. When a subscription has begun nobody says, so it is run until something is
// heard.
class Page extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
        super(address, protocols, { headers: { cookie, origin: url } });
    }
}
const client = createClient({ url: `${url.replace("http", "ws")}/graphql/ws`, webSocketImpl: Page, retryAttempts: 0 });
const watched: ListedFragment[] = [];
const samples = (async () => {
    for await (const { sampleRecorded } of watch(client, SampleRecordedDocument, { judge: judge.id })) {
        watched.push(sampleRecorded);
        if (sampleRecorded.state === MESSAGES.at(-1)) return;
    }
})();
let balance = viewer.account.balance;
let last = -Infinity;
const balances = (async () => {
    for await (const { balanceChanged } of watch(client, BalanceChangedDocument, {})) {
        assert.equal(balanceChanged.id, viewer.account.id);
        balance = balanceChanged.balance;
        if (balance === last) return;
    }
})();
for (let i = 0; watched.length === 0 || balance === viewer.account.balance; i += 1) {
    assert.ok(i < 100, "nothing is heard");
    await infer(judge.endpoint, `is anybody there, asked ${i} times`);
    await new Promise((resolve) => setTimeout(resolve, 100));
}
last = viewer.account.balance - COST * (states.length + MESSAGES.length);
for (const message of MESSAGES) await infer(judge.endpoint, message);
await Promise.all([samples, balances]);
await client.dispose();
assert.deepEqual(watched.map(({ state }) => state).slice(-MESSAGES.length), MESSAGES);

// Page through the samples, newest first, from either end.
const forward = await pages(judge.id, (after) => ({ first: 3, after }));
assert.deepEqual(
    forward.flat().map(({ state }) => state),
    states.toReversed(),
);
const backward = await pages(judge.id, (before) => ({ last: 3, before }));
assert.deepEqual(backward.toReversed().flat(), forward.flat());
for (const found of [forward, backward]) assert.ok(found.slice(0, -1).every((page) => page.length === 3));

// Re-classify the newest, undo that, and do it again.
const newest = there(forward[0]?.[0]);
const input = { sampleId: newest.id, key: "team", value: "other" };
const { reclassifySample: invalid } = await ask(ReclassifyDocument, { input: { ...input, value: "elsewhere" } });
assert.notDeepEqual(invalid.userErrors, []);
const { reclassifySample: first } = await ask(ReclassifyDocument, { input });
none(first.userErrors);
assert.equal(there(first.sample).answers.find(({ key }) => key === "team")?.groundTruth, "other");
const { undoReclassification } = await ask(UndoDocument, { input: { changeId: there(first.changeId) } });
none(undoReclassification.userErrors);
none((await ask(ReclassifyDocument, { input })).reclassifySample.userErrors);
const labelled = await ask(SamplesDocument, { judge: judge.id, filter: { labelled: true } });
assert.deepEqual(
    labelled.judge?.samples.nodes.map(({ id }) => id),
    [newest.id],
);

// Statistics, and anything by its id.
const { stats } = there((await ask(StatsDocument, { judge: judge.id })).judge);
assert.deepEqual([stats.count, stats.labelled, stats.credits], [states.length, 1, COST * states.length]);
assert.deepEqual(
    stats.keys.map(({ key }) => key),
    ["team", "urgent"],
);
const { node } = await ask(NodeDocument, { id: newest.id });
assert.ok(node?.__typename === "Sample");
assert.equal(node.state, newest.state);

console.log(JSON.stringify({ account: viewer.account.id, judge: judge.id, sample: newest.id }));
