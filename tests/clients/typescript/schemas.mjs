// The schemas of openapi.json against the server: each operation's bodies are varied in every place, and what the
// schema says of a variant must be what the server does with it.
//
// GAVEL_URL and GAVEL_API_KEY say where and who; JUDGE is the id of a Judge with labelled samples, and VERDICT one of
// the moderation log. Prints one JSON object: how many bodies were sent, how many of each verdict, and on which the two
// disagreed.

import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const { GAVEL_URL, GAVEL_API_KEY, JUDGE, VERDICT } = process.env;
const document = JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8"));
const ajv = new Ajv({ strict: false, allErrors: false, schemas: [{ ...document, $id: "openapi" }] });
addFormats(ajv);
// Their bounds are in `minimum` and `maximum`.
for (const format of ["uint32", "uint64"]) ajv.addFormat(format, true);

// Bodies beside the examples, so that every form of each type is varied.
const QUESTIONS = [
    ["Is it urgent?", "Is it about money?"],
    [{ key: "urgent", type: "noul", instructions: "Is it urgent?" }],
    "Which team?",
    { team: ["billing", "shipping"] },
    { team: { type: "choice", instructions: "Which team?", criteria: { billing: "invoices", shipping: null } } },
    { angry: { type: "score", criteria: ["calm", "cross", "furious"] } },
    { urgent: { type: "noul", criteria: { true: "today", false: "later" } }, plain: "Is it a question?" },
    {
        type: "object",
        properties: { urgent: { type: "boolean" }, level: { type: "integer", minimum: 1, maximum: 3 } },
        required: ["urgent"],
    },
    { $schema: "https://json-schema.org/draft/2020-12/schema", properties: { team: { enum: ["billing", "sales"] } } },
];
const CALL = { type: "function_call", call_id: "c", name: "find", arguments: "{}" };
const MORE = {
    infer: [
        ...QUESTIONS.map((instructions) => ({ state: "I was charged twice.", instructions })),
        {
            content: "I was charged twice.",
            instructions: { team: ["a", "b"] },
            mode: "hybrid",
            backend: "local",
            model: "auto",
            parameters: { temperature: 1, abstain_below: 0.1, steps: 2 },
        },
        { state: { subject: "Refund", lines: [1, true, null] }, judge_id: JUDGE },
        {
            state: "I was charged twice.",
            response_format: {
                type: "json_schema",
                json_schema: {
                    name: "ticket",
                    description: "A ticket",
                    schema: { properties: { urgent: { type: "boolean" } } },
                    strict: true,
                },
            },
        },
    ],
    inferThroughJudge: [{ state: "I was charged twice." }],
    systemOne: [
        {
            state: "x",
            questions: {
                a: { type: "noul", instructions: "Is it?" },
                b: { type: "noul", criteria: { true: "yes", false: null } },
            },
        },
        {
            state: { a: 1 },
            questions: { c: { type: "choice", instructions: { ask: "which" }, criteria: { a: null, b: "words" } } },
            model: "gavel-latest",
            assets: {},
        },
        { state: ["x"], questions: { s: { type: "score", instructions: null, criteria: ["low", "high"] } } },
    ],
    createDecision: [
        {
            input: [{ role: "user", content: [{ type: "input_text", text: "hello" }] }],
            model: "gavel-latest",
            questions: [{ type: "predicate", instructions: "Is it a greeting?", name: "g" }],
        },
        {
            input: [
                { role: "user", content: "find it" },
                CALL,
                { type: "function_call_output", call_id: "c", output: "found" },
            ],
            model: "gavel-latest",
            questions: [
                {
                    type: "choice",
                    instructions: [{ type: "input_text", text: "Which?" }],
                    choices: [{ value: "a" }, { value: true }],
                },
            ],
        },
        {
            input: "hello",
            model: "gavel-latest",
            questions: [{ type: "score", instructions: "How warm?", levels: [{ label: "cold" }, { label: "warm" }] }],
        },
    ],
    createModeration: [
        { input: ["a", "b"] },
        { input: [{ type: "text", text: "hello" }], model: "omni-moderation-latest" },
    ],
    moderateText: [
        {
            content: "hello",
            author: "a",
            channel: "c",
            account_age_days: 1,
            mentions_count: 1,
            has_attachments: true,
            mode: "native",
            explain: true,
        },
    ],
    moderateTextBatch: [
        { messages: [{ content: "hello" }, { content: "bye", mode: "native" }], mode: "native", explain: false },
    ],
    createBatch: [
        {
            items: [{ custom_id: "a", method: "POST", url: "/api/v1/moderate/text", body: { content: "hello" } }],
            metadata: { team: "one" },
        },
    ],
    createEvaluation: [
        {
            version: 1,
            zero_shot: true,
            filter: { version: 1, source: "import", since: "2020-01-01T00:00:00Z", until: "2100-01-01T00:00:00Z" },
            max_credits: 100,
        },
    ],
    giveModerationFeedback: [
        { id: VERDICT, action: "warn", categories: { hate: true }, note: "ours", overwrite: true },
    ],
};
MORE.priceEvaluation = MORE.createEvaluation;

// What is refused for reasons that no schema can know: of the state of the server, not of the body.
const STATE = new Set([
    "NOT_FOUND",
    "CONFLICT",
    "INSUFFICIENT_CREDITS",
    "INVALID_IMAGE",
    "ENGINE_UNAVAILABLE",
    "not_found",
    "insufficient_quota",
]);
// Refusals that depend on what there is, or on several places of the body at once, by their messages: names of models,
// policies and categories; what an evaluation selects and costs; a call and its output; state and questions together;
// state or content, and instructions or a Judge; parts that are blank together; options that are the same; what a
// picture holds; what a JSON Schema asks for; and NUL anywhere in JSON of any shape.
const BEYOND = [
    /no such model|unknown model|no model/i,
    /no policy|moderation policy/i,
    /must have (only these keys|keys of)/,
    /filter must select/,
    /samples? costs/,
    /`call_id` of an earlier call/,
    /together/,
    /input must not be empty/,
    /or categories must be given/,
    /twice/,
    /base64|picture|downloaded|fetched|reached|public/i,
    /NUL character/,
    /#\//,
    /JSON Schema|schema of an object|more than one possible value|must be left out where/,
    /custom_id/,
    /state is required/,
    /content must not be empty/,
    /instructions (is required|must not be empty)/,
];

const LONG = [129, 257, 1001, 10_001];

function* replacements(value) {
    yield* [
        null,
        "",
        " ",
        "\u0000x",
        "x",
        true,
        -1,
        0,
        1.5,
        1e12,
        [],
        {},
        [1],
        [""],
        { a: 1 },
        { "": "x" },
        ["x", "y"],
    ];
    if (typeof value === "string") for (const length of LONG) yield "x".repeat(length);
    if (typeof value === "string") yield* [value.toUpperCase(), "auto"];
    if (typeof value === "number") yield* [2_147_483_648, -0.5, 25, 0.01];
    if (Array.isArray(value) && value.length > 0) {
        yield [...value, null];
        for (const length of [11, 51, 65, 256, 401].filter((most) => most < 100 || typeof value[0] === "string"))
            yield Array.from({ length }, (_, index) => vary(value[0], index));
    }
}

/** Another of a kind, so that many of them do not repeat a key. */
function vary(value, index) {
    if (typeof value === "string") return `${value} ${index}`;
    if (typeof value !== "object" || value === null) return value;
    const named = ["custom_id", "key", "value", "label"].find((name) => typeof value[name] === "string");
    return named ? { ...value, [named]: `${value[named]}${index}` } : value;
}

/** Every body that differs from `body` in one place. */
function* variants(body) {
    yield* replacements(body);
    if (typeof body !== "object" || body === null) return;
    const set = (key, value) => (Array.isArray(body) ? body.with(key, value) : { ...body, [key]: value });
    for (const key of Array.isArray(body) ? body.keys() : Object.keys(body)) {
        for (const variant of variants(body[key])) yield set(key, variant);
        if (!Array.isArray(body)) yield Object.fromEntries(Object.entries(body).filter(([name]) => name !== key));
    }
    if (!Array.isArray(body)) yield { ...body, surprise: 1 };
}

const found = { sent: 0, good: 0, bad: 0, disagreements: [] };

async function compare(operation, path, validate, body) {
    const text = JSON.stringify(body);
    const ask = () =>
        fetch(GAVEL_URL + path.replace("{id}", JUDGE), {
            method: "POST",
            headers: { "Content-Type": "application/json", Authorization: `Bearer ${GAVEL_API_KEY}` },
            body: text,
        });
    let response = await ask();
    // There is too much at once.
    while (response.status === 503) {
        await response.text();
        await new Promise((wait) => setTimeout(wait, 100));
        response = await ask();
    }
    const answer = await response.text();
    found.sent += 1;
    const says = validate(body);
    let takes = response.ok;
    if (!takes) {
        const error = JSON.parse(answer);
        const code = error.code ?? error.error?.code ?? error.detail?.code;
        if (!STATE.has(code) && ![400, 404, 422].includes(response.status))
            throw new Error(`${operation} ${response.status} ${text.slice(0, 300)} ${answer}`);
        const faults = (error.details ?? []).map(({ field, message }) => `${field} ${message}`);
        if (STATE.has(code) || BEYOND.some((one) => [answer, ...faults].some((text) => one.test(text)))) {
            takes = says;
        }
    }
    found[takes ? "good" : "bad"] += 1;
    if (says !== takes) {
        found.disagreements.push({
            operation,
            schema: says,
            server: response.status,
            body: text.slice(0, 220),
            why: says ? answer.slice(0, 260) : ajv.errorsText(validate.errors),
        });
    }
}

async function all() {
    const work = [];
    for (const [path, item] of Object.entries(document.paths)) {
        const operation = item.post;
        const content = operation?.requestBody?.content["application/json"];
        // Aliases have their original's schema; pictures that are downloaded are tested elsewhere.
        if (!content || /Alias/.test(operation.operationId)) continue;
        if (process.argv[2] && process.argv[2] !== operation.operationId) continue;
        const escaped = path.replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D");
        const pointer = `openapi#/paths/${escaped}/post/requestBody/content/application~1json/schema`;
        const validate = ajv.compile({ $ref: pointer });
        const example = operation.operationId === "giveModerationFeedback" ? [] : [content.example];
        const seen = new Set();
        for (const seed of [...example, ...(MORE[operation.operationId] ?? [])]) {
            for (const body of [seed, ...variants(seed)]) {
                const text = JSON.stringify(body);
                if (text === undefined || seen.has(text)) continue;
                seen.add(text);
                work.push(() => compare(operation.operationId, path, validate, body));
            }
        }
    }
    const next = async () => {
        for (let one = work.pop(); one; one = work.pop()) await one();
    };
    await Promise.all(Array.from({ length: 8 }, next));
}

await all();
console.log(JSON.stringify(found));
