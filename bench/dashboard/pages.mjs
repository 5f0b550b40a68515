// Lighthouse on the dashboard's pages: what they load, when they can be used, and the scores. The browser is Debian's
// chromium, on this machine, without slowing anything down; no page is measured from a cache. Prints a table for
// bench/README.md.
//
// Usage: node bench/dashboard/pages.mjs GAVEL [ROUNDS]

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";

const [binary, rounds = "3"] = process.argv.slice(2);
const PORT = 18098;
const URL = `http://127.0.0.1:${PORT}`;
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

const folder = mkdtempSync(join(tmpdir(), "gavel-bench-"));
const env = { ...process.env, GAVEL_DATA_DIR: folder, GAVEL_LISTEN: `127.0.0.1:${PORT}`, GAVEL_LOG: "warn" };
const server = spawn(binary, ["serve", "--demo", "--empty"], { env, stdio: "ignore" });
const chrome = await launch({
    chromePath: process.env.GAVEL_TEST_CHROMIUM ?? "/usr/bin/chromium",
    chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"],
});
try {
    for (
        let tries = 0;
        tries < 600 &&
        !(await fetch(`${URL}/livez`).then(
            (answer) => answer.ok,
            () => false,
        ));
        tries += 1
    ) {
        await new Promise((wait) => setTimeout(wait, 100));
    }
    const demo = JSON.parse(readFileSync(join(folder, "demo.json"), "utf8"));
    const signIn = "mutation($input: SignInInput!) { signIn(input: $input) { viewer { role } } }";
    const body = JSON.stringify({
        query: signIn,
        variables: { input: { email: demo.email, password: demo.password } },
    });
    const signed = await fetch(`${URL}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
    });
    const cookie = signed.headers
        .getSetCookie()
        .map((one) => one.split(";")[0])
        .join("; ");

    console.log(
        "| page | scripts, KB | first paint ms | interactive ms | performance | accessibility | best practices |",
    );
    console.log("|---|---|---|---|---|---|---|");
    for (const [name, path, headers] of [
        ["sign-in", "/sign-in", {}],
        ["overview", "/", { Cookie: cookie }],
        ["Judges", "/judges", { Cookie: cookie }],
        ["playground", "/playground", { Cookie: cookie }],
        ["API keys", "/keys", { Cookie: cookie }],
    ]) {
        const runs = [];
        for (let round = 0; round < Number(rounds); round += 1) {
            const flags = {
                port: chrome.port,
                logLevel: "error",
                extraHeaders: headers,
                throttlingMethod: "provided",
                onlyCategories: ["performance", "accessibility", "best-practices"],
            };
            runs.push((await lighthouse(URL + path, flags, desktopConfig)).lhr);
        }
        const of = (value) => median(runs.map(value));
        // What comes when the page is idle, for pages that may be opened next, is not the first load.
        const scripts = (run) => {
            const items = run.audits["network-requests"].details.items;
            const until = run.audits.interactive.numericValue;
            return (
                items
                    .filter(
                        (one) =>
                            one.resourceType === "Script" &&
                            one.networkRequestTime - items[0].networkRequestTime < until,
                    )
                    .reduce((sum, one) => sum + one.transferSize, 0) / 1000
            );
        };
        const score = (category) => of((run) => Math.round(run.categories[category].score * 100));
        const time = (audit) => of((run) => Math.round(run.audits[audit].numericValue));
        const cells = [
            name,
            of(scripts).toFixed(0),
            ...["first-contentful-paint", "interactive"].map(time),
            ...["performance", "accessibility", "best-practices"].map(score),
        ];
        console.log(`| ${cells.join(" | ")} |`);
        for (const category of Object.values(runs[0].categories)) {
            const short = category.auditRefs
                .map(({ id }) => runs[0].audits[id])
                .filter(({ score: value }) => value !== null && value < 0.9);
            const named = short.map(({ id, displayValue }) => (displayValue ? `${id} (${displayValue})` : id));
            if (named.length) console.error(`${name}, ${category.id}: ${named.join(", ")}`);
        }
    }
} finally {
    await chrome.kill();
    server.kill();
    await new Promise((end) => server.once("exit", end));
    rmSync(folder, { recursive: true, force: true });
}
