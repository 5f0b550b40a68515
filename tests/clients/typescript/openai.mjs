// OpenAI's Node client (npm `openai`), its moderations of pictures, files and batches, against Gavel, used as its
// documentation shows.
//
// OPENAI_BASE_URL (ending in /v1) and OPENAI_API_KEY say where and who; POOR_API_KEY is a key of an account without
// credits. Prints one JSON object of findings, `paid` being what was charged; any mismatch ends it with an exception.

import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI, { toFile } from "openai";
import { VERSION } from "openai/version";

const client = new OpenAI({ maxRetries: 0 });
const TEXTS = ["good morning, everyone", "I will find you and kill you"];

const lines = (requests) => requests.map((request) => `${JSON.stringify(request)}\n`).join("");
const moderation = (custom_id, input) => ({ custom_id, method: "POST", url: "/v1/moderations", body: { input } });
const parsed = (text) =>
    text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));

const finished = async (batch) => {
    const deadline = Date.now() + 90_000;
    let now = batch;
    while (["validating", "in_progress", "finalizing"].includes(now.status)) {
        assert.ok(Date.now() < deadline, JSON.stringify(now));
        await sleep(200);
        now = await client.batches.retrieve(batch.id);
    }
    return now;
};

// A picture beside a text: one result, whose input types say what it is about.
const pictures = async () => {
    const file = await readFile(new URL("../../fixtures/images/rgb8.png", import.meta.url));
    const url = `data:image/png;base64,${file.toString("base64")}`;
    const input = [
        { type: "text", text: TEXTS[0] },
        { type: "image_url", image_url: { url } },
    ];
    const { results } = await client.moderations.create({ model: "omni-moderation-latest", input });
    assert.equal(results.length, 1);
    assert.deepEqual(results[0].category_applied_input_types.sexual, ["text", "image"]);
    assert.equal(results[0].flagged, false);
};

const batches = async () => {
    const content = lines(TEXTS.map((text, number) => moderation(`text-${number}`, text)));
    const folder = await mkdtemp(join(tmpdir(), "gavel-"));
    const path = join(folder, "night.jsonl");
    await writeFile(path, content);
    const file = await client.files.create({ file: createReadStream(path), purpose: "batch" });
    await rm(folder, { recursive: true });
    assert.deepEqual([file.filename, file.bytes, file.status], ["night.jsonl", content.length, "processed"]);
    assert.equal(await (await client.files.content(file.id)).text(), content);
    const asked = { input_file_id: file.id, endpoint: "/v1/moderations", completion_window: "24h" };
    const batch = await finished(await client.batches.create(asked));
    assert.equal(batch.status, "completed");
    assert.deepEqual({ ...batch.request_counts }, { total: 2, completed: 2, failed: 0 });
    const answers = parsed(await (await client.files.content(batch.output_file_id)).text());
    assert.deepEqual(
        answers.map(({ custom_id, response }) => [custom_id, response.body.results[0].flagged]),
        [
            ["text-0", false],
            ["text-1", true],
        ],
    );
    const listed = [];
    for await (const one of client.batches.list({ limit: 1 })) listed.push(one.id);
    assert.deepEqual(listed, [batch.id]);
    const files = [];
    for await (const one of client.files.list({ limit: 1, order: "asc" })) files.push(one.id);
    assert.deepEqual(files, [file.id, batch.output_file_id]);
    assert.equal((await client.files.delete(file.id)).deleted, true);
};

const refusals = async () => {
    const poor = new OpenAI({ apiKey: process.env.POOR_API_KEY, maxRetries: 0 });
    const good = await toFile(Buffer.from(lines([moderation("a", "hello")])), "a.jsonl");
    const theirs = await poor.files.create({ file: good, purpose: "batch" });
    const asked = { input_file_id: theirs.id, endpoint: "/v1/moderations", completion_window: "24h" };
    await assert.rejects(client.batches.create(asked), OpenAI.NotFoundError);
    await assert.rejects(client.files.retrieve(theirs.id), OpenAI.NotFoundError);
    await assert.rejects(poor.batches.create(asked), (error) => error.status === 402);
    await assert.rejects(client.files.create({ file: good, purpose: "vision" }), OpenAI.UnprocessableEntityError);
};

await pictures();
await batches();
await refusals();
console.log(JSON.stringify({ client: `"openai": "${VERSION}"`, paid: { "/api/v1/batches": 1, "/v1/moderations": 1 } }));
