// The real binary, on SQLite in a folder of its own.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const target = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
const binary = process.env.GAVEL_TEST_BINARY ?? join(target, "debug/gavel");

function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => found(typeof address === "object" && address ? address.port : 0));
    });
  });
}

export interface Demo {
  account_id: string;
  api_key: string;
  email: string;
  password: string;
}

export class Gavel {
  private process: ChildProcess | undefined;

  private constructor(
    readonly url: string,
    private readonly folder: string,
    private readonly port: number,
    private readonly settings: Record<string, string>,
  ) {}

  /** Starts a server of its own, with the demo's account. `settings` are environment variables. */
  static async start(settings: Record<string, string> = {}): Promise<Gavel> {
    if (!existsSync(binary)) throw new Error(`${binary} is missing: build Gavel first`);
    const folder = mkdtempSync(join(tmpdir(), "gavel-dashboard-"));
    mkdirSync(folder, { recursive: true });
    const port = await freePort();
    const gavel = new Gavel(`http://127.0.0.1:${port}`, folder, port, settings);
    await gavel.run();
    return gavel;
  }

  private get environment() {
    return {
      ...process.env,
      GAVEL_LISTEN: `127.0.0.1:${this.port}`,
      GAVEL_DATA_DIR: this.folder,
      GAVEL_MODELS_DIR: process.env.GAVEL_MODELS_DIR ?? join(root, ".cache/models"),
      GAVEL_SIGN_UP_CREDITS: "200",
      GAVEL_LOG: "error",
      ...this.settings,
    };
  }

  /** Starts the process, and waits until it is ready. */
  async run(): Promise<void> {
    this.process = spawn(binary, ["serve", "--demo", "--empty"], {
      env: this.environment,
      stdio: ["ignore", "ignore", "inherit"],
    });
    for (let tries = 0; tries < 300; tries += 1) {
      const ready = await fetch(`${this.url}/livez`).then(
        (response) => response.ok,
        () => false,
      );
      if (ready) return;
      await new Promise((wait) => setTimeout(wait, 100));
    }
    throw new Error("Gavel did not start within 30 seconds");
  }

  /** Ends the process as a crash would. */
  async kill(): Promise<void> {
    const process = this.process;
    if (!process || process.exitCode !== null) return;
    const ended = new Promise((end) => process.once("exit", end));
    process.kill("SIGKILL");
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get demo(): Demo {
    return JSON.parse(readFileSync(join(this.folder, "demo.json"), "utf8")) as Demo;
  }

  /** A command of the binary's own command line, on the same database. */
  cli(...args: string[]): string {
    return execFileSync(binary, args, { env: this.environment, encoding: "utf8" });
  }

  /** A GraphQL operation with the demo's API key. */
  async graphql<T>(query: string, variables: Record<string, unknown> = {}): Promise<T> {
    const answer = (await this.post("/graphql", { query, variables })) as { data: T; errors?: unknown };
    if (answer.errors) throw new Error(JSON.stringify(answer.errors));
    return answer.data;
  }

  /** A request with the demo's API key. */
  async post(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(this.url + path, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.demo.api_key}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.json();
  }
}
