// What people do in the dashboard, from signing up to the audit log.
import { resolve } from "node:path";
import { expect, file, invited, seedJudge, signIn, test } from "./fixtures";

const picture = resolve(import.meta.dirname, "../../tests/fixtures/images/astronaut.jpg");

test("a stranger signs up and follows the three steps, signs out and in", async ({ page }) => {
  await page.goto("/judges");
  await expect(page).toHaveURL(/sign-in/);
  await page.getByRole("link", { name: "Sign up" }).click();
  // Until it is loaded, the sign-in stays, which has the same fields.
  await expect(page.getByRole("heading", { name: "Sign up" })).toBeVisible();
  await page.getByLabel("Email address").fill("stranger@example.com");
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText("Use at least 10 characters.")).toBeVisible();
  await page.getByLabel("Password", { exact: true }).fill("a long password");
  await page.getByRole("button", { name: "Create account" }).click();

  await page.getByRole("link", { name: "Open the playground" }).first().click();
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByTestId("answer")).toContainText("Recommended action");
  await expect(page.getByTestId("balance")).toHaveText("199.5");

  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("link", { name: "Choose a template" }).click();
  await page.getByRole("link", { name: /Spam triage/ }).click();
  await page.getByRole("button", { name: "Create Judge" }).click();
  await expect(page.getByRole("heading", { name: /Spam triage/ })).toBeVisible();
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByText("Recorded as a sample")).toBeVisible();
  await page.getByRole("link", { name: "View samples" }).click();
  await expect(page.getByRole("link", { name: /EARN \$500/ })).toBeVisible();
  await page.getByRole("link", { name: "Overview" }).click();
  await expect(page.getByText("Three steps")).toHaveCount(0);

  await page.getByRole("button", { name: "Your account" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/sign-in/);
  await page.getByLabel("Email address").fill("stranger@example.com");
  await page.getByLabel("Password", { exact: true }).fill("a wrong password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await page.getByLabel("Password", { exact: true }).fill("a long password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
});

test("a key is created, shown once, and revoked", async ({ page, gavel }) => {
  await signIn(page, gavel, "/keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("from the browser");
  await page.getByRole("button", { name: "Create key" }).click();
  const secret = await page.getByTestId("secret").inputValue();
  expect(secret).toMatch(/^svc_live_/);
  // It is never shown again, so a slip of the hand does not close it.
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("secret")).toBeVisible();
  const moderate = () =>
    fetch(`${gavel.url}/api/v1/moderate/text`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: '{"content":"hello"}',
    });
  expect((await moderate()).status).toBe(200);
  await page.getByRole("button", { name: "I've stored it" }).click();
  const row = page.getByRole("row", { name: /from the browser/ });
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect(row).toHaveCount(0);
  // Servers remember a key for some seconds.
  await expect.poll(async () => (await moderate()).status, { timeout: 20_000 }).toBe(401);
});

test("the playground runs all four endpoints", async ({ page, gavel }) => {
  await signIn(page, gavel, "/playground");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByTestId("answer").getByText("Ban").first()).toBeVisible();
  // The verdict belongs to what was asked, not to what is typed since.
  const why = page.getByTestId("answer").locator("mark").first();
  const marked = await why.textContent();
  await page.getByLabel("Message", { exact: true }).fill("x".repeat(10_001));
  await expect(page.getByText("Up to 10,000 characters. You have 10,001.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Run" })).toBeDisabled();
  expect(await why.textContent()).toBe(marked);
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(page.getByLabel("Python").first()).toContainText("requests.post");
  await page.getByRole("tab", { name: "Text batch" }).click();
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByTestId("answer").getByRole("row")).toHaveCount(4);
  await page.getByRole("tab", { name: "Image" }).click();
  await page.locator("input[type=file]").setInputFiles(picture);
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByTestId("answer")).toContainText("Not flagged", { timeout: 30_000 });
  await page.getByRole("tab", { name: "Inference" }).click();
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByTestId("answer")).toContainText("billing");
  await expect(page).toHaveURL(/tab=inference/);
});

test("people are invited with a role, and an analyst changes nothing", async ({ page, gavel, browser }) => {
  const judge = await seedJudge(gavel, "Looked at");
  const other = await invited(browser, gavel, "ann@example.com", "ANALYST");
  await expect(other.getByRole("link", { name: "New Judge" })).toHaveCount(0);
  await expect(other.getByText("Three steps to your first decision")).toHaveCount(0);
  for (const [path, heading, refused] of [
    ["/keys", "API keys", "New key"],
    ["/judges", "Judges", "New Judge"],
    ["/policies", "Moderation policies", "New policy"],
  ] as const) {
    await other.goto(path);
    await expect(other.getByRole("heading", { name: heading, exact: true })).toBeVisible();
    await expect(
      other.getByRole("button", { name: refused }).or(other.getByRole("link", { name: refused })),
    ).toHaveCount(0);
  }
  for (const path of ["/judges/new", "/policies/new"]) {
    await other.goto(path);
    await expect(other.getByText("Your role is read-only")).toBeVisible();
  }
  for (const path of ["/playground", `/judges/${judge}`]) {
    await other.goto(path);
    await expect(other.getByText("Analysts can't spend credits.")).toBeVisible();
    await expect(other.getByRole("button", { name: "Run" })).toBeDisabled();
  }
  await other.context().close();
  await signIn(page, gavel, "/people");
  await page.getByRole("combobox", { name: "Role: ann@example.com" }).click();
  await page.getByRole("option", { name: "Editor" }).click();
  await expect(page.getByText("ann@example.com is now editor.")).toBeVisible();
});

test("a moderation policy is tried, saved, changed, made a key's default and archived", async ({ page, gavel }) => {
  const key = await gavel.graphql<{ createApiKey: { secret: string } }>(
    `mutation { createApiKey(input: { name: "guild-bot", scopes: [MODERATE] }) { secret } }`,
  );
  const moderate = async () => {
    const response = await fetch(`${gavel.url}/api/v1/moderate/text`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key.createApiKey.secret}`, "Content-Type": "application/json" },
      body: '{"content":"join the rival guild"}',
    });
    return (await response.json()) as { action: string; policy?: { name: string; version: number } };
  };
  await signIn(page, gavel, "/policies");
  await page.getByRole("link", { name: "New policy" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("strict");
  await page.getByRole("button", { name: "Strict" }).click();
  await page.getByRole("button", { name: /^Hate/ }).click();
  await expect(page.getByRole("textbox", { name: "Ban: Hate" })).toHaveValue("0.85");
  await page.getByRole("slider", { name: "Warn: Hate" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("textbox", { name: "Warn: Hate" })).toHaveValue("0.41");
  await page.getByRole("textbox", { name: "Ban: Hate" }).fill("1.5");
  await page.getByRole("button", { name: "Add block list" }).click();
  const list = page.getByRole("group", { name: "Block list 1" });
  await list.getByLabel("Words and phrases").fill("rival guild");
  await page.getByRole("button", { name: "Create policy" }).click();
  await expect(page.getByText("Must be above 0 and at most 1.")).toBeVisible();
  await page.getByRole("textbox", { name: "Ban: Hate" }).fill("0.9");
  await list.getByLabel("Domains").fill("not a domain");
  await page.getByText("Your own", { exact: true }).click();
  await page.getByRole("button", { name: "Try for" }).click();
  await expect(list.getByText(/“not a domain” must be a domain/)).toBeVisible();
  await list.getByLabel("Domains").fill("");
  await page.getByRole("button", { name: "Try for 1.5 credits" }).click();
  const changed = page.getByTestId("dry-run").getByRole("row", { name: /join the rival guild/ });
  await expect(changed).toContainText("Changed");
  await expect(changed).toContainText("policy:blocked_phrase");
  // While one edits, too.
  await page.getByRole("switch", { name: "Update as I edit" }).click();
  await list.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "Timeout" }).click();
  await expect(changed).toContainText("Timeout");
  await page.getByRole("switch", { name: "Update as I edit" }).click();
  await list.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "Ban" }).click();
  await page.getByRole("button", { name: "Create policy" }).click();
  await expect(page.getByRole("heading", { name: /strict/ })).toContainText("Version 1");

  await page.getByRole("combobox", { name: "API key" }).click();
  await page.getByRole("option", { name: "guild-bot" }).click();
  await page.getByRole("button", { name: "Use as default" }).click();
  await expect(page.getByText("“guild-bot” now uses this policy.")).toBeVisible();
  await expect.poll(async () => (await moderate()).action, { timeout: 20_000 }).toBe("ban");

  await list.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "Warn" }).click();
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Saved. Version 2 is now in use.")).toBeVisible();
  await expect.poll(async () => (await moderate()).policy?.version, { timeout: 20_000 }).toBe(2);
  await expect(page.getByTestId("version-diff")).toContainText("Action: Ban → Warn: “rival guild”");
  await page.getByRole("button", { name: "Edit this version" }).click();
  await expect(list.getByRole("combobox", { name: "Action" })).toHaveValue("Ban");
  await page.getByRole("button", { name: "Discard changes" }).click();
  await expect(list.getByRole("combobox", { name: "Action" })).toHaveValue("Warn");

  // A key's default cannot be archived.
  const archive = async () => {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
  };
  await archive();
  await expect(page.getByRole("dialog").getByRole("alert")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "No default for guild-bot" }).click();
  await expect(page.getByText("No key uses it by default.")).toBeVisible();
  await archive();
  await expect(page.getByText("This policy is archived")).toBeVisible();
});

test("a server that goes down and comes back costs nothing but time", async ({ page, gavel }) => {
  test.setTimeout(120_000);
  const judge = await seedJudge(gavel, "Back again");
  await signIn(page, gavel);
  // The code of the other pages has come by then: that of the last one is here.
  await page.waitForFunction(() =>
    performance.getEntriesByType("resource").some((one) => one.name.includes("/assets/Settings-")),
  );
  await gavel.kill();
  await page.getByRole("link", { name: "Judges", exact: true }).click();
  await expect(page.getByText(/Can't reach Gavel/).first()).toBeVisible({ timeout: 20_000 });
  await gavel.run();
  await expect(page.getByText(/Can't reach Gavel/)).toHaveCount(0, { timeout: 20_000 });
  await expect(page.getByRole("table", { name: "Judges" })).toBeVisible({ timeout: 20_000 });
  // A page that failed as a whole comes by itself as well.
  await gavel.kill();
  await page.evaluate((path) => history.pushState({}, "", path), `/judges/${judge}`);
  await page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
  await expect(page.getByText("Couldn't load this page")).toBeVisible({ timeout: 20_000 });
  await gavel.run();
  await expect(page.getByRole("heading", { name: /Back again/ })).toBeVisible({ timeout: 20_000 });
});

test("pages are their own files alone, under a strict policy", async ({ page, gavel }) => {
  // What the overview needs, before the code of other pages is fetched ahead.
  await signIn(page, gavel);
  await page.goto("/");
  await expect(page.getByText("Latest charges")).toBeVisible();
  const scripts = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    const before = (navigation?.loadEventEnd ?? 0) + 1_900;
    const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    return entries
      .filter((one) => one.name.endsWith(".js") && one.startTime < before)
      .reduce((sum, one) => sum + one.encodedBodySize, 0);
  });
  expect(scripts).toBeGreaterThan(50_000);
  expect(scripts, "bytes of compressed scripts that the first page loads").toBeLessThan(250_000);
  await page.context().clearCookies();

  const response = await page.goto("/judges");
  const policy = response?.headers()["content-security-policy"] ?? "";
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec((await response?.text()) ?? "")?.[1];
  const asset = await fetch(gavel.url + script, { headers: { "Accept-Encoding": "br" } });
  expect(asset.headers.get("cache-control")).toContain("immutable");
  expect(asset.headers.get("content-encoding")).toBe("br");
  expect((await fetch(`${gavel.url}/assets/none.js`)).status).toBe(404);
  expect((await fetch(`${gavel.url}/api/none`, { headers: { Accept: "text/html" } })).status).toBe(404);
});

test("the moderation log is turned on, a verdict corrected by keyboard, and agreement measured", async ({
  page,
  gavel,
}) => {
  await signIn(page, gavel, "/moderation-log");
  await expect(page.getByText("Nothing is recorded")).toBeVisible();
  await page.getByRole("link", { name: "Open settings" }).click();
  await page.getByLabel("Record moderated messages").check();
  await page.getByLabel("Delete after (days)").fill("7");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Messages are recorded from now on.")).toBeVisible();
  await expect
    .poll(
      async () => {
        await gavel.post("/api/v1/moderate/text", { content: "you are an idiot" });
        const found = await gavel.graphql<{ account: { moderationLog: { stats: { count: number } } } }>(
          "{ account { moderationLog { stats { count } } } }",
        );
        return found.account.moderationLog.stats.count;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  await page.getByRole("tab", { name: "Queue" }).click();
  await expect(page.getByText("you are an idiot").first()).toBeVisible();
  await page.keyboard.press("n");
  await expect(page.getByTestId("last-decision")).toContainText("1 decision");
  await page.getByRole("tab", { name: "Settings" }).click();
  await expect(page.getByText("of 1 decided")).toBeVisible();
  // It is a Judge by its address, and part of moderation for people.
  await page.getByRole("link", { name: "Review the least certain" }).click();
  const marked = page.getByRole("navigation", { name: "Main" }).locator("[aria-current=page]");
  await expect(marked).toHaveText("Moderation");
  await expect(page.getByRole("tab", { name: "Checkpoints" })).toHaveCount(0);
});

test("a file of megabytes is imported with its progress, and once, though its answer was lost", async ({
  page,
  gavel,
}) => {
  const judge = await seedJudge(gavel, "Large");
  const lines = Array.from({ length: 6_000 }, (_, index) =>
    JSON.stringify({
      state: `${"A ticket that goes on and on. ".repeat(10)}${index}`,
      ground_truth: { team: "billing" },
    }),
  );
  const large = file(lines.join("\n"));
  expect(large.buffer.length).toBeGreaterThan(1_900_000);
  await signIn(page, gavel, `/judges/${judge}/dataset`);
  await page.getByRole("button", { name: "Import" }).first().click();
  const dialog = page.getByRole("dialog");
  await page.locator("input[type=file]").setInputFiles(large);
  await expect(dialog.getByText(/6,000 lines: 6,000 new samples/)).toBeVisible({ timeout: 60_000 });
  const keys: (string | undefined)[] = [];
  await page.route(/dry_run=false/, async (route) => {
    keys.push(route.request().headers()["idempotency-key"]);
    // The first answer never arrives.
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(dialog.getByText("Can't reach Gavel.")).toBeVisible({ timeout: 60_000 });
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(page.getByText("6,000 samples", { exact: true })).toBeVisible({ timeout: 60_000 });
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);

  // What is over the account's quota is refused with the figures.
  await page.unroute(/dry_run=false/);
  const refusal = "the account's samples take 10 bytes and may take 20 (`account_bytes`)";
  await page.route(/dry_run=true/, (route) =>
    route.fulfill({ status: 409, json: { error: refusal, code: "CONFLICT", request_id: "req_1" } }),
  );
  await page.getByRole("button", { name: "Import" }).click();
  await page.locator("input[type=file]").setInputFiles(file('{"state": "one more"}'));
  await expect(page.getByRole("alert").getByText(refusal)).toBeVisible();
});

test("the audit log is filtered by action, which the URL keeps", async ({ page, gavel }) => {
  await seedJudge(gavel, "Audited");
  await signIn(page, gavel, "/audit");
  await page.getByRole("combobox", { name: "All actions" }).click();
  await page.getByRole("option", { name: "Judge created" }).click();
  await expect(page).toHaveURL(/action=JUDGE_CREATE/);
  await page.reload();
  const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
  await expect(rows.first()).toContainText("Judge created");
  await expect(rows.filter({ hasNotText: "Judge created" })).toHaveCount(0);
  await page.goto("/audit?action=SAMPLE_PURGE");
  await expect(page.getByText("No matching changes")).toBeVisible();
});
