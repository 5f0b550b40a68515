// The official TypeScript client (npm `@typesafe-ai/sdk`) against Gavel, used as its documentation shows.
//
// TYPESAFE_BASE_URL and TYPESAFE_API_KEY say where and who; POOR_API_KEY is a key of an account without credits. Prints
// one JSON object of findings, `paid` being the calls that were answered; any mismatch ends it with an exception.
// With the argument `once` it makes one call under the Idempotency-Key in IDEMPOTENCY_KEY, retries included.

import assert from "node:assert/strict";
import { APIError, AuthenticationError, TypeSafeClient, UnprocessableEntityError, VERSION } from "@typesafe-ai/sdk";
import { choice, noul, score } from "@typesafe-ai/sdk";

const TICKET = "I was charged twice for March and nobody answers my mails. Please fix this today.";
const BILLING = noul("Is this about billing?");
// By default a client waits 10 s and asks again; on a very busy machine that would be one more call than is counted.
const timeout = 60_000;
const client = new TypeSafeClient({ timeout });
let paid = 0;

const ask = async (request, options) => {
    const response = await client.systemOne(request, options);
    paid += 1;
    return response;
};

const close = (a, b, within) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

const checkDistribution = (probabilities) => {
    const values = Object.values(probabilities);
    assert.ok(
        values.every((p) => p >= 0 && p <= 1),
        JSON.stringify(probabilities),
    );
    close(sum(values), 1, 1e-4);
};

const checkChoice = (answer, options) => {
    assert.equal(answer.type, "choice");
    assert.deepEqual(Object.keys(answer.probabilities).toSorted(), options.toSorted());
    checkDistribution(answer.probabilities);
    const best = Math.max(...Object.values(answer.probabilities));
    assert.equal(answer.probabilities[answer.choice], best);
    close(answer.confidence, (best - 1 / options.length) / (1 - 1 / options.length), 1e-4);
};

const checkScore = (answer, levels) => {
    assert.equal(answer.type, "score");
    // A level without a description has a name.
    assert.deepEqual(answer.legend, { ...levels.map((level, number) => level ?? `level ${number}`) });
    assert.deepEqual(Object.keys(answer.probabilities), Object.keys(levels));
    checkDistribution(answer.probabilities);
    close(answer.score, sum(Object.entries(answer.probabilities).map(([level, p]) => level * p)), 1e-3);
    assert.ok(answer.confidence >= 0 && answer.confidence <= 1);
};

// Nouls, choices with and without descriptions, scores, all about one state. `null` is sent where nothing is said.
const everyType = async () => {
    const levels = ["Can wait", { label: "This week", examples: ["a question"] }, null, "Today"];
    const response = await ask({
        state: { subject: "Invoice", document: TICKET, attempts: 3, tags: ["mail", null], open: true },
        questions: {
            billing: BILLING,
            angry: noul(null, { true: "The writer is upset." }),
            team: choice("Which team?", { billing: null, technical: null, other: null }),
            tone: choice(null, { calm: "polite", harsh: { examples: ["now!"] } }),
            urgency: score(["How urgent?", "Only the document counts."], levels),
        },
    }).catch(failed("every type"));
    const { billing, angry, team, tone, urgency } = response.answers;
    assert.deepEqual(Object.keys(response.answers), ["billing", "angry", "team", "tone", "urgency"]);
    for (const answer of [billing, angry]) assert.ok(answer.type === "noul" && answer.noul >= 0 && answer.noul <= 1);
    checkChoice(team, ["billing", "technical", "other"]);
    checkChoice(tone, ["calm", "harsh"]);
    checkScore(urgency, levels);
    assert.ok(response.usage.input_tokens > 0 && response.usage.output_tokens >= 0);
    assert.ok(response.model);
};

// Every name in the list is answered; the client's default name, `jev-latest`, need not be one of them.
const modelsAndTheirNames = async () => {
    const models = await client.models.list();
    assert.ok(
        models.length > 0 && models.every(({ description, release_date: date }) => description && date.length === 10),
    );
    for (const name of [undefined, ...models.map((model) => model.name)]) {
        assert.ok((await ask({ state: TICKET, questions: { billing: BILLING }, model: name })).model);
    }
    return models.map((model) => model.name);
};

// The raw response beside the parsed one, and the id to quote when something went wrong.
const requestIds = async () => {
    const asked = client.systemOne({ state: [TICKET, TICKET], questions: { billing: BILLING } });
    const { data, response, requestId } = await asked.withResponse();
    paid += 1;
    assert.ok(data.answers.billing.noul >= 0 && response.status === 200 && requestId.startsWith("req_"));
};

const manyAtOnce = async () => {
    const asked = Array.from({ length: 8 }, (_, i) =>
        ask({ state: `${TICKET} (${i})`, questions: { billing: BILLING } }),
    );
    for (const { answers } of await Promise.all(asked)) assert.ok(answers.billing.noul >= 0);
};

const failed = (what) => (error) => {
    throw new Error(`${what}: ${error.message}`, { cause: error });
};

// The error of a call that must be refused: the client's own for the status, with a sentence that says what is wrong.
const refusal = async (call, kind, status, named) => {
    const error = await call.then(
        () => assert.fail(`answered, though ${named} is wrong`),
        (error) => error,
    );
    assert.ok(error instanceof kind, `${error.stack}`);
    assert.equal(error.status, status);
    assert.match(error.message, new RegExp(named));
    assert.match(error.requestId, /^req_/);
    return error.message;
};

const refusals = async () => {
    const questions = { billing: BILLING };
    const eleven = score(
        "How urgent?",
        Array.from({ length: 11 }, (_, i) => `level ${i}`),
    );
    const options = Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`team ${i}`, null]));
    const invalid = (request, named) => refusal(client.systemOne(request), UnprocessableEntityError, 422, named);
    const as = (apiKey) => new TypeSafeClient({ apiKey }).systemOne({ state: TICKET, questions });
    return {
        "256 options": await invalid({ state: TICKET, questions: { team: choice("Which?", options) } }, "team"),
        "eleven levels": await invalid({ state: TICKET, questions: { urgency: eleven } }, "urgency"),
        "a question about nothing": await invalid({ state: TICKET, questions: { empty: noul() } }, "empty"),
        "no state": await invalid({ state: null, questions }, "state"),
        "300 KiB of state": await invalid({ state: "charged twice ".repeat(22_000), questions }, "state"),
        "a stranger": await refusal(as("svc_live_nobodyhasthiskey"), AuthenticationError, 401, "key"),
        "the poor": await refusal(as(process.env.POOR_API_KEY), APIError, 402, "credits"),
    };
};

const once = async () => {
    let sent = 0;
    const counting = new TypeSafeClient({
        timeout,
        fetch: (...request) => {
            sent += 1;
            return fetch(...request);
        },
    });
    const options = { headers: { "Idempotency-Key": process.env.IDEMPOTENCY_KEY } };
    const { answers } = await counting.systemOne({ state: TICKET, questions: { billing: BILLING } }, options);
    return { retries: sent - 1, noul: answers.billing.noul };
};

const everything = async () => {
    await everyType();
    await requestIds();
    await manyAtOnce();
    const models = await modelsAndTheirNames();
    const found = { client: `"@typesafe-ai/sdk": "${VERSION}"`, models, refusals: await refusals() };
    return { ...found, paid: { "/v1/systemone": paid } };
};

console.log(JSON.stringify(await (process.argv[2] === "once" ? once() : everything())));
