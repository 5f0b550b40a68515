// The moderation queue: decisions by keyboard, filters, bulk, blind mode, insights, and the role of moderators.
import type { Page } from "@playwright/test";
import { audit, test as base, expect, invited, signIn } from "./fixtures";
import { Gavel } from "./gavel";

// A server of its own, whose log has nothing else.
const test = base.extend<object, { gavel: Gavel }>({
  gavel: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const gavel = await Gavel.start();
      await gavel.graphql(
        `mutation { setModerationLog(input: { enabled: true }) { moderationLog { id } userErrors { message } } }`,
      );
      await use(gavel);
      await gavel.stop();
    },
    { scope: "worker" },
  ],
});

const CONTENTS = [
  "free nitro for everyone, claim at dlscord-gift.com/nitro",
  "you are a complete idiot and nobody wants you here",
  "does anybody know when the patch notes come out?",
  "shut up, you stupid loser",
  "good game everyone, see you tomorrow",
];

interface Counts {
  account: { moderationLog: { all: { totalCount: number }; decided: { totalCount: number } } | null };
}

/** How many messages of an author are recorded, and decided on. */
async function counts(gavel: Gavel, author: string) {
  const data = await gavel.graphql<Counts>(
    `query ($author: String!) {
      account {
        moderationLog {
          all: samples(first: 1, moderation: { author: $author }) { totalCount }
          decided: samples(first: 1, filter: { labelled: true }, moderation: { author: $author }) { totalCount }
        }
      }
    }`,
    { author },
  );
  const log = data.account.moderationLog;
  return { all: log?.all.totalCount ?? 0, decided: log?.decided.totalCount ?? 0 };
}

/** Moderates `number` messages of an author, once the log records. */
async function record(gavel: Gavel, author: string, number: number, channel = "#general") {
  const send = (content: string) => gavel.post("/api/v1/moderate/text", { content, author, channel });
  // Replicas follow a change of the log within seconds: the first messages may be missed.
  await expect
    .poll(
      async () => {
        await send(`${CONTENTS[0]} 0`);
        return (await counts(gavel, author)).all;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  const { all } = await counts(gavel, author);
  for (let index = all; index < number; index += 1) await send(`${CONTENTS[index % CONTENTS.length]} ${index}`);
  await expect.poll(async () => (await counts(gavel, author)).all, { timeout: 20_000 }).toBe(number);
}

const rows = (page: Page) => page.getByTestId("queue-row");
const focused = (page: Page) => page.locator("[data-testid=queue-row][data-focused]");

test("30 messages are decided by keyboard within a minute", async ({ page, gavel }) => {
  test.setTimeout(120_000);
  await record(gavel, "thirty", 40);
  await signIn(page, gavel, "/moderation?author=thirty");
  await expect(rows(page)).toHaveCount(25);
  await expect(page.getByTestId("queue-range")).toHaveText("1–25 of 40");
  const keys = ["a", "Enter", "n", "w", "t", "b", "0"];
  const started = Date.now();
  for (let decided = 0; decided < 30; decided += 1) {
    const id = await focused(page).getAttribute("id");
    await page.keyboard.press(keys[decided % keys.length] ?? "a");
    // It is gone at once, and the next one has the focus.
    await expect(page.locator(`[id="${id}"]`)).toHaveCount(0);
    await expect(focused(page)).toBeFocused();
  }
  const seconds = (Date.now() - started) / 1000;
  console.log(`30 messages were decided by keyboard in ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(60);
  await expect(page.getByTestId("last-decision")).toContainText("30 decisions");
  await expect.poll(async () => (await counts(gavel, "thirty")).decided, { timeout: 20_000 }).toBe(30);
  await expect(page.getByTestId("queue-range")).toHaveText("1–10 of 10");
});

test("a decision is undone, and its message is back in its place", async ({ page, gavel }) => {
  await record(gavel, "undone", 4);
  await signIn(page, gavel, "/moderation?author=undone&order=NEWEST_FIRST");
  await expect(rows(page)).toHaveCount(4);
  await page.keyboard.press("j");
  const second = await focused(page).getAttribute("id");
  await page.keyboard.press("b");
  await expect(rows(page)).toHaveCount(3);
  await expect.poll(async () => (await counts(gavel, "undone")).decided).toBe(1);
  await page.keyboard.press("u");
  await expect(rows(page).nth(1)).toHaveAttribute("id", second ?? "");
  await expect(rows(page).nth(1)).toBeFocused();
  await expect.poll(async () => (await counts(gavel, "undone")).decided).toBe(0);
  // Also when the list has been fetched again meanwhile.
  await page.keyboard.press("w");
  await page.waitForTimeout(2_500);
  await page.getByRole("button", { name: /Undo/ }).last().click();
  await expect(rows(page)).toHaveCount(4);
  await expect.poll(async () => (await counts(gavel, "undone")).decided).toBe(0);
});

test("all messages that match are decided together, and that is undone", async ({ page, gavel }) => {
  await record(gavel, "many", 28);
  await signIn(page, gavel, "/moderation?author=many");
  await page.getByLabel("Select all on this page").check();
  const bar = page.getByRole("toolbar");
  await expect(bar).toContainText("25 selected");
  await bar.getByRole("button", { name: "Select all 28 that match" }).click();
  await expect(bar).toContainText("28 selected");
  await bar.getByRole("button", { name: "Decide" }).click();
  await page.getByRole("menuitem", { name: "Timeout" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Timeout for 28 messages?");
  await dialog.getByLabel("Note for other moderators").fill("a raid");
  await dialog.getByRole("button", { name: "Timeout" }).click();
  await expect(page.getByText("28 messages decided.")).toBeVisible();
  await expect(page.getByText("No matching messages")).toBeVisible();
  expect((await counts(gavel, "many")).decided).toBe(28);
  await page.getByRole("alert").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByTestId("queue-range")).toHaveText("1–25 of 28");
  // Some alone, by keyboard and by mouse, to a person.
  await page.keyboard.press("x");
  await rows(page).nth(2).getByRole("checkbox").check();
  await page.getByRole("toolbar").getByRole("button", { name: "Assign" }).click();
  await page.getByRole("menuitem", { name: /\(you\)/ }).click();
  await expect(page.getByText(/2 messages assigned to/)).toBeVisible();
  await page.goto("/moderation?author=many&mine=true");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText("Assigned to you");
});

test("all messages that a search finds are decided together, and no others", async ({ page, gavel }) => {
  await record(gavel, "searched", 2);
  for (let index = 0; index < 27; index += 1)
    await gavel.post("/api/v1/moderate/text", {
      content: `when do the patch notes come? ${index}`,
      author: "searched",
    });
  await expect.poll(async () => (await counts(gavel, "searched")).all, { timeout: 20_000 }).toBe(29);
  await signIn(page, gavel, "/moderation?author=searched&text=patch%20notes");
  await page.getByLabel("Select all on this page").check();
  const bar = page.getByRole("toolbar");
  await bar.getByRole("button", { name: "Select all 27 that match" }).click();
  await bar.getByRole("button", { name: "Decide" }).click();
  await page.getByRole("menuitem", { name: "No action" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "No action" }).click();
  await expect(page.getByText("27 messages decided.")).toBeVisible();
  expect(await counts(gavel, "searched")).toEqual({ all: 29, decided: 27 });
});

test("the URL keeps the filters, and views are saved", async ({ page, gavel, browser }) => {
  await record(gavel, "filtered", 10, "#trade");
  await signIn(page, gavel, "/moderation");
  await page.getByRole("button", { name: /^Filters/ }).click();
  await page.getByRole("textbox", { name: "Author" }).fill("filtered");
  await expect(page).toHaveURL(/author=filtered/);
  await page.getByLabel("Threat score from").fill("0.5");
  await expect(page).toHaveURL(/score=0.5/);
  await page.keyboard.press("Escape");
  await page.reload();
  await expect(rows(page).first()).toBeVisible();
  const matching = await rows(page).count();
  expect(matching).toBeLessThan(10);
  await expect(page.getByRole("button", { name: "Filters (2)" })).toBeVisible();
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: "Save these filters" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Trouble");
  await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
  await page.getByRole("button", { name: "Remove filter Score ≥ 0.5" }).click();
  await expect(rows(page)).toHaveCount(10);
  await page.getByPlaceholder("Words in the message").fill("patch notes");
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect(page).not.toHaveURL(/author/);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: "Trouble", exact: true }).click();
  await expect(page).toHaveURL(/score=0.5/);
  await expect(rows(page)).toHaveCount(matching);
  // Another browser has the view too.
  const elsewhere = await (await browser.newContext({ baseURL: gavel.url })).newPage();
  await signIn(elsewhere, gavel, "/moderation");
  await elsewhere.getByRole("button", { name: "Views" }).click();
  await expect(elsewhere.getByRole("button", { name: "Trouble", exact: true })).toBeVisible();
  await elsewhere.getByRole("button", { name: "Delete view Trouble" }).click();
  await expect(elsewhere.getByRole("button", { name: "Trouble", exact: true })).toHaveCount(0);
  await elsewhere.context().close();
  // What is written beside a message filters as well.
  await page.goto("/moderation?author=filtered");
  await rows(page).first().getByRole("link", { name: "#trade" }).click();
  await expect(page).toHaveURL(/channel=%23trade/);
  await page.goto("/moderation?author=nobody");
  await expect(page.getByText("No matching messages")).toBeVisible();
});

test("evidence is highlighted, and a note and categories go with the decision", async ({ page, gavel }) => {
  await record(gavel, "noted", 2);
  await signIn(page, gavel, "/moderation?author=noted&order=OLDEST_FIRST");
  await expect(focused(page).locator("mark").first()).toBeVisible();
  const panel = page.getByRole("complementary", { name: "Message" });
  await expect(panel.getByRole("region", { name: "Message" })).toContainText("free nitro");
  await expect(panel.getByRole("meter", { name: "Scam" })).toBeVisible();
  await expect(panel.getByRole("region", { name: "Just before in this channel" })).toBeVisible();
  await page.keyboard.press("m");
  await page.keyboard.type("known from the other server");
  await page.keyboard.press("Escape");
  await expect(focused(page)).toContainText("Unsent note");
  await page.keyboard.press("7");
  await expect(panel.getByText("1 corrected")).toBeVisible();
  await page.keyboard.press("b");
  await expect(rows(page)).toHaveCount(1);
  await page.goto("/moderation?author=noted&status=decided");
  await expect(rows(page).first()).toContainText("Decided: Ban");
  await expect(rows(page).first()).toContainText("1 note");
  const history = panel.getByRole("region", { name: "Notes and decisions" });
  await expect(history).toContainText("known from the other server");
  await expect(history).toContainText(gavel.demo.email);
  await expect(history).toContainText(/Spam: (true|false)/);
  await panel.getByRole("button", { name: "Raw JSON" }).click();
  await expect(page.getByRole("dialog")).toContainText("moderationId");
});

test("blind mode tells nothing of the verdict before the decision", async ({ page, gavel }) => {
  await record(gavel, "blind", 3);
  await signIn(page, gavel, "/moderation?author=blind");
  await page.getByLabel("Blind mode").check();
  await expect(rows(page).first()).toContainText("Verdict hidden");
  await page.reload();
  await expect(rows(page).first()).toContainText("Verdict hidden");
  await expect(page.locator("mark")).toHaveCount(0);
  await expect(page.getByRole("meter")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Agree/ })).toBeDisabled();
  await page.keyboard.press("a");
  await expect(rows(page)).toHaveCount(3);
  await page.keyboard.press("w");
  await expect(rows(page)).toHaveCount(2);
  await expect(page.getByTestId("last-decision")).toContainText("1 decision");
  await page.getByText("All", { exact: true }).click();
  await expect(rows(page).filter({ hasText: "Decided: Warn" }).getByRole("meter")).toHaveCount(1);
  await page.getByLabel("Blind mode").uncheck();
});

test("a claim shows who is on it, and keys are listed", async ({ page, gavel }) => {
  await record(gavel, "claimed", 2);
  await signIn(page, gavel, "/moderation?author=claimed");
  await expect(rows(page)).toHaveCount(2);
  await page.keyboard.press("c");
  await expect(focused(page)).toContainText("Claimed by you");
  await page.keyboard.press("c");
  await expect(focused(page)).not.toContainText("Claimed by you");
  await page.keyboard.press("Shift+?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toContainText("Undo your last decision");
});

test("insights lead to the messages behind them", async ({ page, gavel }) => {
  await record(gavel, "insightful", 10, "#insights");
  await signIn(page, gavel, "/moderation?author=insightful");
  await expect(rows(page).first()).toBeVisible();
  await page.keyboard.press("n");
  await expect.poll(async () => (await counts(gavel, "insightful")).decided).toBe(1);
  await page.getByRole("tab", { name: "Insights" }).click();
  await expect(page.getByRole("heading", { name: "Messages by day" })).toBeVisible();
  await expect(page.getByText(/of \d+ decided/).first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Weekday and hour" })).toContainText("acted upon");
  await page.getByRole("region", { name: "Channels" }).getByRole("link", { name: "#insights" }).click();
  await expect(page).toHaveURL(/channel=%23insights/);
  await expect(rows(page)).toHaveCount(10);
});

test("a moderator decides, and sees nothing else", async ({ gavel, browser }) => {
  await record(gavel, "entrusted", 3);
  const page = await invited(browser, gavel, "mod@example.com", "MODERATOR");
  await expect(page).toHaveURL(/\/moderation$/);
  const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  await expect(links.filter({ hasText: /Moderation|Settings/ })).toHaveCount(2);
  for (const hidden of [
    "Overview",
    "Judges",
    "API keys",
    "Requests",
    "Ledger",
    "People",
    "Audit log",
    "API reference",
  ]) {
    await expect(links.filter({ hasText: hidden })).toHaveCount(0);
  }
  await expect(page.getByTestId("balance")).toHaveCount(0);
  await expect(page.getByRole("tab", { name: "Settings" })).toHaveCount(0);
  for (const path of ["/", "/keys", "/judges", "/policies", "/moderation/settings"]) {
    await page.goto(path);
    await expect(page).toHaveURL(/\/moderation$/);
  }
  await page.goto("/moderation?author=entrusted");
  await expect(rows(page)).toHaveCount(3);
  await page.keyboard.press("t");
  await expect(rows(page)).toHaveCount(2);
  await expect.poll(async () => (await counts(gavel, "entrusted")).decided).toBe(1);
  await page.getByRole("tab", { name: "Insights" }).click();
  await expect(page.getByRole("heading", { name: "Messages by day" })).toBeVisible();
  await page.getByRole("link", { name: "Settings" }).click();
  await expect(page.getByRole("button", { name: "Change password" })).toBeVisible();
  await page.context().close();
});

test("an analyst sees the queue, and decides on nothing", async ({ gavel, browser }) => {
  await record(gavel, "looked-at", 2);
  const page = await invited(browser, gavel, "ana@example.com", "ANALYST");
  await page.goto("/moderation?author=looked-at");
  await expect(rows(page)).toHaveCount(2);
  await expect(page.getByText("Your role can view messages, but not decide on them.")).toBeVisible();
  await page.keyboard.press("b");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first().getByRole("checkbox")).toHaveCount(0);
  await page.context().close();
});

test("the queue is accessible: wide and on a phone, light and dark, and by touch", async ({ page, gavel }) => {
  test.setTimeout(120_000);
  await record(gavel, "looks", 6);
  await signIn(page, gavel, "/moderation?author=looks");
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto("/moderation?author=looks");
    await expect(page.getByRole("region", { name: "Evidence" })).toBeVisible();
    await audit(page, `queue, ${scheme}`);
    await page.getByLabel("Select all on this page").check();
    await page.getByRole("button", { name: /^Filters/ }).click();
    await expect(page.getByRole("textbox", { name: "Author" })).toBeVisible();
    await audit(page, `filters, ${scheme}`);
    await page.keyboard.press("Escape");
    await page.goto("/moderation/insights");
    await expect(page.getByRole("heading", { name: "Harms" })).toBeVisible();
    await audit(page, `insights, ${scheme}`);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/moderation?author=looks");
    await rows(page).first().getByRole("button", { name: "Show details" }).click();
    const drawer = page.getByRole("dialog", { name: "Message" });
    await expect(drawer.getByRole("region", { name: "Evidence" })).toBeVisible();
    await audit(page, `panel on a phone, ${scheme}`);
    await page.keyboard.press("Escape");
    await audit(page, `queue on a phone, ${scheme}`);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wider).toBeLessThanOrEqual(0);
  }
  await rows(page).first().getByRole("button", { name: "Show details" }).click();
  const drawer = page.getByRole("dialog", { name: "Message" });
  await drawer.getByRole("button", { name: /^Warn/ }).click();
  await expect(rows(page)).toHaveCount(5);
  // The next message is there to be decided on.
  await expect(drawer).toBeVisible();
});

test("the old address leads to the queue, and a log that is off says how to turn it on", async ({ page, gavel }) => {
  await signIn(page, gavel, "/moderation-log");
  await expect(page).toHaveURL(/\/moderation$/);
  await page.goto("/sign-up");
  await page.context().clearCookies();
  await page.goto("/sign-up");
  await page.getByLabel("Email address").fill("quiet@example.com");
  await page.getByLabel("Password", { exact: true }).fill("a long password");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await page.goto("/moderation");
  await expect(page.getByText("Nothing is recorded")).toBeVisible();
  await page.getByRole("link", { name: "Open settings" }).click();
  await page.getByLabel("Record moderated messages").check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Messages are recorded from now on.")).toBeVisible();
  await page.getByRole("tab", { name: "Queue" }).click();
  await expect(page.getByText("All caught up")).toBeVisible();
});

test("a policy is tried in shadow on real traffic, then used", async ({ page, gavel }) => {
  const made = await gavel.graphql<{ createModerationPolicy: { moderationPolicy: { id: string } } }>(
    `mutation { createModerationPolicy(input: { name: "shadowed", rules: {} }) { moderationPolicy { id } } }`,
  );
  const { id } = made.createModerationPolicy.moderationPolicy;
  await signIn(page, gavel, `/policies/${id}`);
  await expect(page.getByRole("button", { name: "Try in shadow" })).toBeDisabled();
  await page.getByRole("button", { name: "Add block list" }).click();
  const list = page.getByRole("group", { name: "Block list 1" });
  await list.getByLabel("Words and phrases").fill("rival guild");
  await page.getByRole("button", { name: "Try in shadow" }).click();
  const shadow = page.getByTestId("policy-shadow");
  await expect(shadow).toContainText("Version 2 in shadow");
  await expect(shadow).toContainText("Nothing recorded yet");
  for (const content of ["hello everybody", "join the rival guild"]) {
    await gavel.post("/api/v1/moderate/text", { content, policy: "shadowed" });
  }
  await page.reload();
  await expect(shadow).toContainText("Would have decided otherwise on 1 of 2 messages");
  await shadow.getByRole("link", { name: "Show these messages" }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText("join the rival guild");
  await expect(page.getByRole("button", { name: /Remove filter Version 2/ })).toBeVisible();
  await page.goBack();
  await shadow.getByRole("button", { name: "Use this version" }).click();
  await expect(page.getByText("Version 2 is now in use.")).toBeVisible();
  await expect(shadow).toHaveCount(0);
});

test("a link that unsubscribes asks first, and says when it is not one", async ({ page, gavel }) => {
  await page.goto(`${gavel.url}/unsubscribe?token=made-up`);
  await expect(page.getByText("Stop getting these emails?")).toBeVisible();
  await page.getByRole("button", { name: "Unsubscribe" }).click();
  await expect(page.getByRole("alert")).toContainText("This link doesn't work.");
});
