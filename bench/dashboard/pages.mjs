// Lighthouse on the dashboard's pages: what they load, when they can be used, and the scores. The browser is Debian's
// chromium, on this machine; no page is measured from a cache. First without slowing anything down, then the sign-in
// page with Lighthouse's defaults, which simulate a phone on slow 4G. Prints tables for bench/README.md.
//
// Usage: node bench/dashboard/pages.mjs GAVEL [ROUNDS]

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";

const [binary, rounds = "5"] = process.argv.slice(2);
const PORT = 18098;
const URL = `http://127.0.0.1:${PORT}`;
const CATEGORIES = ["performance", "accessibility", "best-practices"];

const folder = mkdtempSync(join(tmpdir(), "gavel-bench-"));
const env = { ...process.env, GAVEL_DATA_DIR: folder, GAVEL_LISTEN: `127.0.0.1:${PORT}`, GAVEL_LOG: "warn" };
const server = spawn(binary, ["serve", "--demo", "--empty"], { env, stdio: "ignore" });
const chrome = await launch({
    chromePath: process.env.GAVEL_TEST_CHROMIUM ?? "/usr/bin/chromium",
    chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"],
});

async function measure(path, flags, config) {
    const all = { ...flags, port: chrome.port, logLevel: "error", onlyCategories: CATEGORIES };
    const runs = [];
    for (let round = 0; round < Number(rounds); round += 1) runs.push((await lighthouse(URL + path, all, config)).lhr);
    return runs;
}

/** The median of `value` over the runs. */
function median(runs, value) {
    return runs.map(value).toSorted((a, b) => a - b)[runs.length >> 1];
}

function time(runs, audit) {
    return median(runs, (run) => Math.round(run.audits[audit].numericValue));
}

function scores(runs) {
    return CATEGORIES.map((category) => median(runs, (run) => Math.round(run.categories[category].score * 100)));
}

/** Kilobytes of scripts. What comes when the page is idle, for pages that may be opened next, is not the first load. */
function scripts(run) {
    const items = run.audits["network-requests"].details.items;
    const until = items[0].networkRequestTime + run.audits.interactive.numericValue;
    const first = items.filter((one) => one.resourceType === "Script" && one.networkRequestTime < until);
    return first.reduce((sum, one) => sum + one.transferSize, 0) / 1000;
}

function row(...cells) {
    console.log(`| ${cells.join(" | ")} |`);
}

/** Says which audits cost points. */
function explain(name, run) {
    for (const category of Object.values(run.categories)) {
        const short = category.auditRefs
            .map(({ id }) => run.audits[id])
            .filter(({ score }) => score !== null && score < 0.9);
        const named = short.map(({ id, displayValue }) => (displayValue ? `${id} (${displayValue})` : id));
        if (named.length) console.error(`${name}, ${category.id}: ${named.join(", ")}`);
    }
}

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
        const runs = await measure(path, { extraHeaders: headers, throttlingMethod: "provided" }, desktopConfig);
        const times = ["first-contentful-paint", "interactive"].map((audit) => time(runs, audit));
        row(name, median(runs, scripts).toFixed(0), ...times, ...scores(runs));
        explain(name, runs[0]);
    }

    console.log(
        "\n| page | first paint ms | largest paint ms | blocked ms | speed index ms | layout shift | performance " +
            "| accessibility | best practices |",
    );
    console.log("|---|---|---|---|---|---|---|---|---|");
    const runs = await measure("/sign-in", {});
    const times = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "speed-index"].map(
        (audit) => time(runs, audit),
    );
    const shift = median(runs, (run) => run.audits["cumulative-layout-shift"].numericValue).toFixed(3);
    row("sign-in", ...times, shift, ...scores(runs));
    explain("sign-in on slow 4G", runs[0]);
} finally {
    await chrome.kill();
    server.kill();
    await new Promise((end) => server.once("exit", end));
    rmSync(folder, { recursive: true, force: true });
}
