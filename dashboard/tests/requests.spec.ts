// The requests page: what was refused or failed, what was charged, and the ways there from an error.
import { auditAll, expect, invited, signIn, test } from "./fixtures";
import type { Gavel } from "./gavel";

interface Failed {
  account: { failedRequests: { nodes: { requestId: string }[] } };
}

/** Has a request refused, and returns its id once the server has written it down. */
async function refused(gavel: Gavel, body: unknown = { content: "" }): Promise<string> {
  const { request_id: id } = (await gavel.post("/api/v1/moderate/text", body)) as { request_id: string };
  await expect
    .poll(
      async () => {
        const found = await gavel.graphql<Failed>(
          `query ($id: ID!) { account { failedRequests(first: 1, requestId: $id) { nodes { requestId } } } }`,
          { id },
        );
        return found.account.failedRequests.nodes.length;
      },
      { timeout: 20_000 },
    )
    .toBe(1);
  return id;
}

/** Has a message moderated, and returns the id of the request that was charged. */
async function charged(gavel: Gavel): Promise<string> {
  await gavel.post("/api/v1/moderate/text", { content: "hello there" });
  const found = await gavel.graphql<{ account: { ledger: { nodes: { requestId: string }[] } } }>(
    `{ account { ledger(first: 1, kind: CHARGE) { nodes { requestId } } } }`,
  );
  return found.account.ledger.nodes[0]?.requestId ?? "";
}

test("a refused request is listed, explained and found by its filters, which the URL keeps", async ({
  page,
  gavel,
}) => {
  const id = await refused(gavel);
  await signIn(page, gavel, "/requests");
  const rows = page.getByRole("table", { name: "Failed requests" }).locator("tbody tr");
  await expect(rows.first()).toContainText("POST /api/v1/moderate/text");
  await expect(rows.first()).toContainText("422");
  await expect(rows.first()).toContainText("VALIDATION_FAILED");
  await page.getByLabel("Request ID").fill(id);
  await expect(page).toHaveURL(new RegExp(`id=${id}`));
  await expect(rows).toHaveCount(1);
  await rows.getByRole("link").click();
  const drawer = page.getByRole("dialog", { name: "Failed request" });
  await expect(drawer).toContainText(id);
  await expect(drawer).toContainText("The JSON has the wrong shape");
  await expect(drawer).toContainText("Fix the fields that details of the response names.");
  // The drawer has an address too.
  await page.reload();
  await expect(drawer).toContainText(id);
  await page.keyboard.press("Escape");
  await expect(drawer).toHaveCount(0);
  await expect(page).not.toHaveURL(/shown=/);
  await page.goto("/requests?status=429");
  await expect(page.getByText("No matching requests")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows.first()).toBeVisible();
  await page.getByRole("combobox", { name: "Status" }).click();
  await page.getByRole("option", { name: "422" }).click();
  await expect(page).toHaveURL(/status=422/);
  await expect(page.getByRole("option")).toHaveCount(0);
  await page.getByRole("combobox", { name: "API key" }).click();
  await page.getByRole("option").first().click();
  await expect(page).toHaveURL(/key=key_/);
  await expect(page).toHaveURL(/status=422/);
});

test("an error leads to its request", async ({ page, gavel }) => {
  const id = await refused(gavel);
  await signIn(page, gavel, "/playground");
  await page.route(/moderate\/text/, (route) =>
    route.fulfill({
      status: 500,
      json: { error: "something broke", code: "INTERNAL_ERROR", request_id: id },
    }),
  );
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("alert").getByRole("link", { name: "Find this request" }).click();
  await expect(page).toHaveURL(new RegExp(`/requests\\?id=${id}`));
  await expect(page.getByRole("table", { name: "Failed requests" }).locator("tbody tr")).toHaveCount(1);
  // A page that could not be loaded says which request it was, too.
  await page.route("**/graphql", (route) =>
    route.request().postData()?.includes("query Audit")
      ? route.fulfill({
          json: { errors: [{ message: "something broke", extensions: { code: "INTERNAL_ERROR", request_id: id } }] },
        })
      : route.fallback(),
  );
  await page.goto("/audit");
  await expect(page.getByText("Couldn't load this page")).toBeVisible();
  await page.getByRole("link", { name: "Find this request" }).click();
  await expect(page).toHaveURL(new RegExp(`/requests\\?id=${id}`));
});

test("a charged request leads to its entry in the ledger", async ({ page, gavel }) => {
  const id = await charged(gavel);
  await signIn(page, gavel, `/requests?id=${id}`);
  await expect(page.getByText("No failed request with this ID")).toBeVisible();
  await page.getByRole("link", { name: "Look in charges" }).click();
  const rows = page.getByRole("table", { name: "Charged requests" }).locator("tbody tr");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("Text moderation");
  await rows.getByRole("link", { name: "Open in ledger" }).click();
  await expect(page).toHaveURL(new RegExp(`/ledger\\?request=${id}`));
  const entries = page.getByRole("table", { name: "Ledger" }).locator("tbody tr");
  await expect(entries).toHaveCount(1);
  await expect(page.getByLabel("Request ID")).toHaveValue(id);
  await page.getByLabel("Request ID").fill("req_unknown");
  await expect(page.getByText("No entries")).toBeVisible();
  await page.goto("/requests?tab=charged&id=req_unknown");
  await page.getByRole("link", { name: "Look in failed requests" }).click();
  await expect(page.getByRole("tab", { name: "Failed" })).toHaveAttribute("aria-selected", "true");
});

test("an analyst sees requests, and a moderator does not", async ({ gavel, browser }) => {
  await refused(gavel);
  const analyst = await invited(browser, gavel, "requests-analyst@example.com", "ANALYST");
  await analyst.goto("/requests");
  await expect(analyst.getByRole("table", { name: "Failed requests" })).toBeVisible();
  await analyst.context().close();
  const moderator = await invited(browser, gavel, "requests-moderator@example.com", "MODERATOR");
  await moderator.goto("/requests");
  await expect(moderator).toHaveURL(/\/moderation$/);
  await moderator.context().close();
});

test("requests are accessible, and fit on a phone", async ({ page, gavel }) => {
  test.setTimeout(120_000);
  const id = await refused(gavel);
  await charged(gavel);
  await signIn(page, gavel, "/requests");
  await auditAll(page, "requests-failed", "/requests", () =>
    expect(page.getByRole("table", { name: "Failed requests" })).toBeVisible(),
  );
  await auditAll(page, "requests-drawer", `/requests?shown=${id}`, () =>
    expect(page.getByRole("dialog", { name: "Failed request" })).toContainText(id),
  );
  await auditAll(page, "requests-charges", "/requests?tab=charged", () =>
    expect(page.getByRole("table", { name: "Charged requests" })).toBeVisible(),
  );
});
