/** The real Gavel as a child process, on SQLite in a folder of its own. */
import { execFileSync, spawn } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { TestProject } from "vitest/node";

const root = resolve(import.meta.dirname, "../../..");
const binary =
    process.env.GAVEL_TEST_BINARY ?? join(resolve(root, process.env.CARGO_TARGET_DIR ?? "target"), "debug/gavel");

declare module "vitest" {
    interface ProvidedContext {
        url: string;
        key: string;
        poor: string;
    }
}

export async function setup(project: TestProject): Promise<() => void> {
    const folder = mkdtempSync(join(tmpdir(), "gavel-client-"));
    const port = await freePort();
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith("GAVEL_"));
    const env = {
        ...Object.fromEntries(own),
        GAVEL_LISTEN: `127.0.0.1:${port}`,
        GAVEL_DATA_DIR: folder,
        GAVEL_WEBHOOK_ALLOW: "127.0.0.1",
        GAVEL_MODELS_DIR: process.env.GAVEL_MODELS_DIR ?? join(root, ".cache/models"),
    };
    const log = createWriteStream(join(folder, "log"));
    const server = spawn(binary, ["serve"], { env });
    server.stdout.pipe(log);
    server.stderr.pipe(log);
    const url = `http://127.0.0.1:${port}`;
    for (let tries = 0; !(await isReady(url)); tries++) {
        if (tries > 1200 || server.exitCode !== null) throw new Error(`Gavel does not become ready; see ${folder}/log`);
        await setTimeout(50);
    }
    const command = (...parts: string[]): Record<string, string> =>
        JSON.parse(execFileSync(binary, [...parts, "--json"], { env, encoding: "utf8" })) as Record<string, string>;
    command("account", "create", "--email", "owner@example.com", "--credits", "1000");
    const scopes = "moderate,infer,read,manage";
    const made = command("key", "create", "--account", "owner@example.com", "--name", "test", "--scopes", scopes);
    const poor = command("account", "create", "--email", "poor@example.com", "--credits", "0.1");
    project.provide("url", url);
    project.provide("key", made.api_key ?? "");
    project.provide("poor", poor.api_key ?? "");
    return () => {
        server.kill();
        rmSync(folder, { recursive: true });
    };
}

async function isReady(url: string): Promise<boolean> {
    return fetch(`${url}/readyz`).then(
        (response) => response.ok,
        () => false,
    );
}

function freePort(): Promise<number> {
    return new Promise((found) => {
        const listener = createServer().listen(0, "127.0.0.1", () => {
            const address = listener.address();
            listener.close(() => found(typeof address === "object" && address ? address.port : 0));
        });
    });
}
