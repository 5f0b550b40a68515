// The pages for operators: health, accounts, prices, jobs and models of the deployment.
import { auditAll, test as base, expect, invited, signIn } from "./fixtures";
import { Gavel } from "./gavel";

// A server of its own, whose first person is an operator.
const test = base.extend<object, { gavel: Gavel }>({
  gavel: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const settings = { KIND: "openai_chat", URL: "http://127.0.0.1:9", EXTERNAL: "true" };
      const named = Object.entries(settings).map(([name, value]) => [`GAVEL_BACKENDS__FAR__${name}`, value]);
      const gavel = await Gavel.start(Object.fromEntries(named));
      gavel.cli("user", "operator", "--email", gavel.demo.email);
      await use(gavel);
      await gavel.stop();
    },
    { scope: "worker" },
  ],
});

const LINKS = ["Deployment", "Accounts", "Prices", "Jobs", "Models"];

test("only operators see pages of operators", async ({ page, gavel, browser }) => {
  const other = await invited(browser, gavel, "editor@example.com", "EDITOR");
  for (const path of ["/operator", "/operator/accounts", "/operator/prices", "/operator/jobs", "/operator/models"]) {
    await other.goto(path);
    await expect(other.getByRole("heading", { name: "Page not found" })).toBeVisible();
  }
  const links = other.getByRole("navigation", { name: "Main" }).getByRole("link");
  for (const name of LINKS) await expect(links.filter({ hasText: name })).toHaveCount(0);
  await other.context().close();

  await signIn(page, gavel);
  const navigation = page.getByRole("navigation", { name: "Main" });
  for (const name of LINKS) {
    await navigation.getByRole("link", { name, exact: true }).click();
    await expect(page.getByRole("heading", { name, exact: true })).toBeVisible();
    await expect(navigation.locator("[aria-current=page]")).toHaveText(name);
  }
});

test("the overview shows the health of each part, the queues and server errors", async ({ page, gavel }) => {
  await signIn(page, gavel, "/operator");
  await expect(page.getByText(/^Gavel \d+\.\d+\.\d+/)).toBeVisible();
  const health = page.getByTestId("health");
  for (const part of ["Database", "Storage", "Charging", "Text model", "Decision model"]) {
    await expect(health.locator(".health-part").filter({ hasText: part })).toContainText("Healthy");
  }
  const queues = page.getByRole("table", { name: "Queues" });
  for (const lane of ["Batches", "Training and evaluation", "Webhooks"]) await expect(queues).toContainText(lane);
  const worker = page.getByRole("table", { name: "Workers" }).getByRole("row").nth(1);
  await expect(worker).toContainText(/:\d+/);
  await expect(worker).toContainText("Up");
  await expect(page.getByText("No server errors")).toBeVisible();
  await page.getByRole("link", { name: "View jobs" }).click();
  await expect(page).toHaveURL(/operator\/jobs/);
});

test("the overview shows who answers inferences, and how", async ({ page, gavel }) => {
  const asked = await fetch(`${gavel.url}/api/v1/inference`, {
    method: "POST",
    headers: { "x-api-key": gavel.demo.api_key, "content-type": "application/json" },
    body: JSON.stringify({ state: "Where is my parcel?", instructions: { team: ["billing", "shipping"] } }),
  });
  expect(asked.status).toBe(200);
  await signIn(page, gavel, "/operator");
  const rows = page.getByRole("table", { name: "Backends" }).locator("tbody tr");
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toContainText("In this process");
  await expect(rows.nth(0).getByRole("cell").nth(1)).toHaveText("Up");
  await expect(rows.nth(0).getByRole("cell").nth(2)).toHaveText("1");
  await expect(rows.nth(0).getByRole("cell").nth(4)).toHaveText(/^[\d.,]+ ms \/ [\d.,]+ ms$/);
  await expect(rows.nth(0).getByRole("cell").nth(5)).toHaveText("0.5");
  await expect(rows.nth(1)).toContainText("OpenAI chat · http://127.0.0.1:9/");
  await expect(rows.nth(1)).toContainText("External");
  // The sections below still load, and may move the table under the pointer.
  await expect(async () => {
    await page.mouse.move(0, 0);
    await rows.nth(1).getByText("Down", { exact: true }).hover();
    await expect(page.getByRole("tooltip")).toContainText("the connection to far failed", { timeout: 1_000 });
  }).toPass();
});

test("credits are granted and taken back with a note, after a confirmation", async ({ page, gavel }) => {
  await signIn(page, gavel, "/operator/accounts");
  await page.getByPlaceholder("ID, name or a member's email address").fill(gavel.demo.email);
  await expect(page).toHaveURL(/query=/);
  const row = page.getByRole("table", { name: "Accounts" }).locator("tbody tr");
  await expect(row).toHaveCount(1);
  await expect(row).toContainText(gavel.demo.email);
  const change = async (direction: "Grant" | "Take back", amount: string) => {
    await row.getByRole("button", { name: /^Credits of/ }).click();
    const form = page.getByRole("dialog", { name: /^Credits of/ });
    await form.getByText(direction, { exact: true }).click();
    await expect(form.getByRole("button", { name: "Continue" })).toHaveAttribute("aria-disabled", "true");
    await form.getByRole("textbox", { name: "Credits" }).fill(amount);
    await form.getByRole("textbox", { name: "Note" }).fill(`${direction} for a test`);
    await form.getByRole("button", { name: "Continue" }).click();
    const asked = page.getByRole("dialog", { name: new RegExp(`^${direction.split(" ")[0]} ${amount} credits`) });
    await expect(asked).toContainText("Balance:");
    await expect(asked).toContainText(`${direction} for a test`);
    await asked.getByRole("button", { name: `${direction} ${amount} credits` }).click();
  };
  await change("Grant", "25.5");
  await expect(page.getByText(/^Granted 25.5 credits to/)).toBeVisible();
  await change("Take back", "5");
  await expect(page.getByText(/^Took 5 credits back from/)).toBeVisible();
  await page.goto("/ledger");
  const entries = page.getByRole("table", { name: "Ledger" }).locator("tbody tr");
  await expect(entries.nth(0)).toContainText("Take back for a test");
  await expect(entries.nth(0)).toContainText("−5");
  await expect(entries.nth(1)).toContainText("Grant for a test");
  await expect(entries.nth(1)).toContainText("+25.5");
});

test("more than an account has is not taken back", async ({ page, gavel }) => {
  await signIn(page, gavel, `/operator/accounts?query=${gavel.demo.account_id}`);
  await page.getByRole("button", { name: /^Credits of/ }).click();
  const form = page.getByRole("dialog", { name: /^Credits of/ });
  await form.getByText("Take back", { exact: true }).click();
  await form.getByRole("textbox", { name: "Credits" }).fill("1000000000");
  await form.getByRole("textbox", { name: "Note" }).fill("too much");
  await form.getByRole("button", { name: "Continue" }).hover();
  await expect(page.getByRole("tooltip")).toContainText("can be taken back");
});

test("the rate limit of an account is set, and is the deployment's again", async ({ page, gavel }) => {
  await signIn(page, gavel, `/operator/accounts?query=${gavel.demo.account_id}`);
  const row = page.getByRole("table", { name: "Accounts" }).locator("tbody tr");
  const open = async () => {
    await row.getByRole("button", { name: /^Rate limit of/ }).click();
    return page.getByRole("dialog", { name: /^Rate limit of/ });
  };
  let dialog = await open();
  await dialog.getByRole("radio", { name: "Requests per minute" }).check();
  await dialog.getByRole("textbox", { name: "Requests per minute" }).fill("6000");
  await dialog.getByRole("button", { name: "Set rate limit" }).click();
  await expect(row).toContainText("6,000 / min");
  await expect(dialog).toHaveCount(0);
  dialog = await open();
  await dialog.getByRole("radio", { name: "Default of this server" }).check();
  await dialog.getByRole("button", { name: "Set rate limit" }).click();
  await expect(row).toContainText("Default");
});

test("a price is set after a confirmation", async ({ page, gavel }) => {
  await signIn(page, gavel, "/operator/prices");
  await page.getByRole("button", { name: "Change the price of Inference" }).click();
  const dialog = page.getByRole("dialog", { name: "Price: Inference" });
  await expect(dialog).toContainText("All accounts pay the new price");
  await dialog.getByRole("textbox", { name: "Credits" }).fill("0.75");
  await dialog.getByRole("button", { name: "Set to 0.75 credits" }).click();
  await expect(page.getByText("Inference now costs 0.75 credits.")).toBeVisible();
  await expect(page.getByRole("row", { name: /Inference/ })).toContainText("0.75 credits");
});

test("jobs are filtered, read, run now and cancelled", async ({ page, gavel }) => {
  test.setTimeout(120_000);
  const line = JSON.stringify({ custom_id: "1", url: "/api/v1/moderate/text", body: { content: "hello" } });
  await gavel.graphql(
    `mutation ($input: SubmitBatchInput!) { submitBatch(input: $input) { batch { id } userErrors { message } } }`,
    { input: { data: line } },
  );
  const hook = await gavel.graphql<{ createWebhookEndpoint: { webhookEndpoint: { id: string } } }>(
    `mutation {
      createWebhookEndpoint(input: { url: "https://hooks.example.com/gavel", eventTypes: [] }) {
        webhookEndpoint { id }
        userErrors { message }
      }
    }`,
  );
  await gavel.graphql(`mutation ($id: ID!) { testWebhookEndpoint(input: { id: $id }) { userErrors { message } } }`, {
    id: hook.createWebhookEndpoint.webhookEndpoint.id,
  });
  await signIn(page, gavel, "/operator/jobs");
  const rows = page.getByRole("table", { name: "Jobs" }).locator("tbody tr");
  await expect(rows.filter({ hasText: "Batch items" }).filter({ hasText: "Done" })).toHaveCount(1, { timeout: 30_000 });
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "Done" }).click();
  await expect(page).toHaveURL(/state=SUCCEEDED/);
  await expect(rows.filter({ hasText: "Webhook delivery" })).toHaveCount(0);
  await rows.filter({ hasText: "Batch items" }).getByRole("link").first().click();
  const batch = page.getByRole("dialog", { name: "Batch items" });
  await expect(batch).toContainText("No attempt has failed.");
  await expect(batch.getByRole("button", { name: "Run now" })).toHaveAttribute("aria-disabled", "true");
  await expect(batch.getByRole("button", { name: "Cancel job" })).toHaveAttribute("aria-disabled", "true");

  await page.goto("/operator/jobs");
  await rows.filter({ hasText: "Webhook delivery" }).getByRole("link").first().click();
  const delivery = page.getByRole("dialog", { name: "Webhook delivery" });
  await expect(delivery.getByLabel("Last error")).toBeVisible({ timeout: 45_000 });
  await delivery.getByRole("button", { name: "Run now" }).click();
  await expect(page.getByText("The job is queued to run now.")).toBeVisible();
  await delivery.getByRole("button", { name: "Cancel job" }).click();
  await page.getByRole("dialog", { name: "Cancel this job?" }).getByRole("button", { name: "Cancel job" }).click();
  await expect(page.getByText("The job is being cancelled.")).toBeVisible();
  await expect(delivery.getByText("Cancelled", { exact: true })).toBeVisible({ timeout: 30_000 });
});

test("models are listed with hashes that can be copied", async ({ page, gavel }) => {
  await signIn(page, gavel, "/operator/models");
  const rows = page.getByRole("table", { name: "Models" }).locator("tbody tr");
  await expect(rows.first()).toBeVisible();
  await expect(page.getByRole("button", { name: /^Copy the SHA-256 of/ }).first()).toBeVisible();
  await expect(rows.filter({ hasText: "Built in" }).first()).toBeVisible();
});

test("pages of operators are accessible, and fit on a phone", async ({ page, gavel }) => {
  test.setTimeout(180_000);
  await signIn(page, gavel);
  for (const [name, path] of [
    ["Deployment", "/operator"],
    ["Accounts", "/operator/accounts"],
    ["Prices", "/operator/prices"],
    ["Jobs", "/operator/jobs"],
    ["Models", "/operator/models"],
  ] as const) {
    await auditAll(page, `operator-${name.toLowerCase()}`, path, async () => {
      await expect(page.getByRole("heading", { name, exact: true })).toBeVisible();
      await expect(page.locator(".mantine-Skeleton-root")).toHaveCount(0);
    });
  }
});
