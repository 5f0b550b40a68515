// Every page, with data and without: axe, and screenshots in light, dark and on a phone.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { mkdirSync } from "node:fs";
import { expect, seedJudge, signIn, test, tickets } from "./fixtures";
import type { Gavel } from "./gavel";

const FOLDER = "screenshots";

interface Known {
  account: { judges: { nodes: { id: string; checkpoints: { nodes: { id: string }[] } }[] } };
}

/** Something of everything. A Checkpoint that another test has trained is taken. */
async function seed(gavel: Gavel) {
  const known = await gavel.graphql<Known>(
    `{
      account {
        judges(name: "Support routing", first: 1) {
          nodes { id checkpoints(state: SUCCEEDED, first: 1) { nodes { id } } }
        }
      }
    }`,
  );
  const trained = known.account.judges.nodes[0];
  const judge = trained?.id ?? (await seedJudge(gavel, "Support routing", tickets(90)));
  const asked = [
    "I was charged twice this month and nobody answers my mails!",
    "The page shows error 500 since the update",
    "Where is my parcel? It should have been here on Monday.",
    "How do I export all my data?",
    "Please cancel the second invoice",
    "The courier left the box at the wrong house",
  ];
  for (const state of asked) await gavel.post(`/api/v1/judges/${judge}/inference`, { state });
  const log = await gavel.graphql<{ setModerationLog: { moderationLog: { id: string } } }>(
    `mutation { setModerationLog(input: { enabled: true }) { moderationLog { id } userErrors { message } } }`,
  );
  for (const content of ["free nitro, claim at dlscord-gift.com", "hello there", "you are an idiot"])
    await gavel.post("/api/v1/moderate/text", { content });
  const run = async (mutation: string, input: Record<string, unknown>, name: string) => {
    const data = await gavel.graphql<Record<string, Record<string, { id: string } | null>>>(mutation, { input });
    const id =
      data[name]?.[name === "startEvaluation" ? "evaluation" : name === "submitCheckpoint" ? "checkpoint" : "batch"]
        ?.id;
    if (!id) throw new Error(`${name}: ${JSON.stringify(data)}`);
    return id;
  };
  const start = `mutation ($input: StartEvaluationInput!) {
    startEvaluation(input: $input) { evaluation { id } userErrors { message } }
  }`;
  const evaluation = await run(start, { judgeId: judge, maxCredits: 100 }, "startEvaluation");
  const checkpoint =
    trained?.checkpoints.nodes[0]?.id ??
    (await run(
      `mutation ($input: SubmitCheckpointInput!) {
        submitCheckpoint(input: $input) { checkpoint { id } userErrors { message } }
      }`,
      { judgeId: judge, autoActivate: true },
      "submitCheckpoint",
    ));
  const lines = Array.from({ length: 40 }, (_, index) =>
    JSON.stringify({ custom_id: `m-${index}`, url: "/api/v1/moderate/text", body: { content: `message ${index}` } }),
  );
  const batch = await run(
    `mutation ($input: SubmitBatchInput!) { submitBatch(input: $input) { batch { id } userErrors { message } } }`,
    { data: lines.join("\n") },
    "submitBatch",
  );
  await expect
    .poll(
      async () =>
        (
          await gavel.graphql<{ checkpoint: { state: string } }>(`query ($id: ID!) { checkpoint(id: $id) { state } }`, {
            id: checkpoint,
          })
        ).checkpoint.state,
      { timeout: 240_000, intervals: [1000] },
    )
    .toBe("SUCCEEDED");
  const second = await run(start, { judgeId: judge, maxCredits: 100 }, "startEvaluation");
  await expect
    .poll(
      async () =>
        (
          await gavel.graphql<{ evaluation: { state: string } }>(`query ($id: ID!) { evaluation(id: $id) { state } }`, {
            id: second,
          })
        ).evaluation.state,
      { timeout: 240_000 },
    )
    .toBe("SUCCEEDED");
  const hook = await gavel.graphql<{ createWebhookEndpoint: { webhookEndpoint: { id: string } } }>(
    `mutation {
      createWebhookEndpoint(
        input: {
          url: "https://hooks.example.com/gavel"
          description: "Production"
          eventTypes: ["batch.completed"]
        }
      ) { webhookEndpoint { id } userErrors { message } }
    }`,
  );
  await gavel.graphql(`mutation { createApiKey(input: { name: "chat-bot", scopes: [MODERATE] }) { apiKey { id } } }`);
  const policy = await gavel.graphql<{ createModerationPolicy: { moderationPolicy: { id: string } } }>(
    `mutation ($rules: JSON!) {
      createModerationPolicy(
        input: { name: "clan server", description: "What our moderators agreed on.", rules: $rules }
      ) { moderationPolicy { id } userErrors { message } }
    }`,
    {
      rules: {
        categories: { hate: { thresholds: { review: 0.2, warn: 0.4, ban: 0.9 } }, spam: { enabled: false } },
        block: [{ action: "ban", phrases: ["rival guild", "nitro*"], domains: ["evil.example.com"] }],
        languages: { known: ["en", "de"] },
        new_accounts: { days: 7, weight: 2 },
      },
    },
  );
  return {
    log: log.setModerationLog.moderationLog.id,
    policy: policy.createModerationPolicy.moderationPolicy.id,
    judge,
    checkpoint,
    evaluation,
    second,
    batch,
    webhook: hook.createWebhookEndpoint.webhookEndpoint.id,
  };
}

async function settle(page: Page) {
  await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
  await expect(page.locator(".mantine-Skeleton-root")).toHaveCount(0);
  await page.waitForTimeout(250);
}

async function shoot(page: Page, name: string, viewport: string) {
  await page.evaluate(() => window.scrollTo(0, 0));
  await settle(page);
  await page.screenshot({ path: `${FOLDER}/${name}-${viewport}.png`, fullPage: true });
}

async function audit(page: Page, name: string) {
  const builder = new AxeBuilder({ page });
  // GraphiQL's tabs hold a button each, and its editor has colours of its own: neither is ours to change.
  if (name.startsWith("graphiql")) builder.disableRules(["nested-interactive"]).exclude(".monaco-editor");
  const { violations } = await builder.withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
  const found = violations.map(
    (one) =>
      `${one.id}: ${one.nodes
        .slice(0, 3)
        .map((node) => `${node.target.join(" ")} ${node.failureSummary?.split("\n")[1] ?? ""}`)
        .join(" | ")}`,
  );
  expect.soft(found, `axe on ${name}`).toEqual([]);
}

test("every page is accessible and fits, with data", async ({ page, gavel }) => {
  test.setTimeout(900_000);
  mkdirSync(FOLDER, { recursive: true });
  const ids = await seed(gavel);
  const j = `/judges/${ids.judge}`;
  const pages: [string, string][] = [
    ["overview", "/"],
    ["playground-text", "/playground"],
    ["playground-batch", "/playground?tab=batch"],
    ["playground-image", "/playground?tab=image"],
    ["playground-inference", "/playground?tab=inference"],
    ["keys", "/keys"],
    ["judges", "/judges"],
    ["judge-new", "/judges/new?template=toxicity"],
    ["judge-try", j],
    ["judge-questions", `${j}/questions`],
    ["dataset", `${j}/dataset`],
    ["review", `${j}/review`],
    ["analytics", `${j}/analytics`],
    ["checkpoints", `${j}/checkpoints`],
    ["checkpoint", `/checkpoints/${ids.checkpoint}`],
    ["evaluations", `${j}/evaluations`],
    ["evaluation", `/evaluations/${ids.evaluation}`],
    ["comparison", `${j}/evaluations?old=${ids.evaluation}&new=${ids.second}`],
    ["moderation", "/moderation"],
    ["moderation-decided", "/moderation?status=all"],
    ["moderation-insights", "/moderation/insights"],
    ["moderation-settings", "/moderation/settings"],
    ["moderation-log-dataset", `/judges/${ids.log}/dataset`],
    ["policies", "/policies"],
    ["policy-new", "/policies/new"],
    ["policy", `/policies/${ids.policy}`],
    ["batches", "/batches"],
    ["batch", `/batches/${ids.batch}`],
    ["webhooks", "/webhooks"],
    ["webhook", `/webhooks/${ids.webhook}`],
    ["requests", "/requests"],
    ["requests-charged", "/requests?tab=charged"],
    ["ledger", "/ledger"],
    ["people", "/people"],
    ["audit", "/audit"],
    ["settings", "/settings"],
    ["glossary", "/glossary"],
    ["not-found", "/nowhere"],
    ["graphiql", "/graphql"],
  ];
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto("/sign-in");
  await shoot(page, "sign-in", "light");
  await audit(page, "sign-in");
  await signIn(page, gavel);
  for (const [name, path] of pages) {
    await look(page, { scheme: "light", width: 1280, height: 860 });
    await page.goto(path);
    if (name.startsWith("playground") && name !== "playground-image") {
      await page.getByRole("button", { name: "Run" }).click();
      await expect(page.getByTestId("answer")).toBeVisible();
    }
    if (name === "policy") {
      await page.getByRole("button", { name: /^Hate/ }).click();
      await page.getByRole("button", { name: "Try for" }).click();
      await expect(page.getByTestId("dry-run")).toBeVisible();
    }
    await shoot(page, name, "light");
    await audit(page, `${name}, light`);
    await look(page, { scheme: "dark", width: 1280, height: 860 });
    if (name === "graphiql") await page.reload(); // Its editor looks at the colour scheme once.
    await shoot(page, name, "dark");
    await audit(page, `${name}, dark`);
    await look(page, { scheme: "light", width: 390, height: 844 });
    await shoot(page, name, "phone");
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect.soft(wider, `${name} is wider than 390 px`).toBeLessThanOrEqual(0);
  }
});

async function look(
  page: Page,
  { scheme, width, height }: { scheme: "light" | "dark"; width: number; height: number },
) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
}

test("every list says what to do when it is empty", async ({ page }) => {
  test.setTimeout(180_000);
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto("/sign-up");
  await audit(page, "sign-up");
  await shoot(page, "sign-up", "light");
  await page.getByLabel("Email address").fill("new@example.com");
  await page.getByLabel("Password", { exact: true }).fill("a long password");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText("Three steps to your first decision")).toBeVisible();
  for (const [name, path] of [
    ["overview", "/"],
    ["judges", "/judges"],
    ["policies", "/policies"],
    ["moderation", "/moderation"],
    ["moderation-insights", "/moderation/insights"],
    ["batches", "/batches"],
    ["webhooks", "/webhooks"],
    ["keys", "/keys"],
    ["requests", "/requests"],
    ["requests-unknown", "/requests?id=req_unknown"],
    ["ledger", "/ledger?kind=REFUND"],
  ]) {
    await page.goto(path ?? "/");
    await shoot(page, `empty-${name}`, "light");
    await audit(page, `empty ${name}`);
  }
});
