// What works on every page: the palette, what was typed and not sent, a path that has no page, copies of Judges.
import { expect, seedJudge, signIn, test, tickets } from "./fixtures";

test("the palette finds pages, Judges, policies and actions", async ({ page, gavel }) => {
  await seedJudge(gavel, "Ticket router");
  await gavel.graphql(
    `mutation { createModerationPolicy(input: { name: "ticket rules", rules: {} }) { moderationPolicy { id } } }`,
  );
  await signIn(page, gavel);
  await page.keyboard.press("Control+k");
  const search = page.getByPlaceholder("Search or jump to…");
  await search.fill("ticket");
  await expect(page.getByRole("button", { name: /ticket rules/ })).toBeVisible();
  await page.getByRole("button", { name: /Ticket router/ }).click();
  await expect(page.getByRole("heading", { name: /Ticket router/ })).toBeVisible();
  await expect(search).toHaveCount(0);
  // It opens again, and Enter takes the first.
  await page.keyboard.press("Control+k");
  await search.fill("audit");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Audit log" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await search.fill("new judge");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/judges\/new/);
});

test("the palette has a button, and does not open by itself after signing in again", async ({ page, gavel }) => {
  await signIn(page, gavel);
  const search = page.getByPlaceholder("Search or jump to…");
  await page.getByRole("button", { name: /^Search/ }).click();
  await search.fill("requests");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Requests", exact: true })).toBeVisible();
  await page.getByRole("button", { name: /^Search/ }).click();
  await expect(search).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Your account" }).click();
  await page.getByRole("menuitem", { name: "Glossary" }).click();
  await expect(page.getByRole("heading", { name: "Glossary" })).toBeVisible();
  await page.getByRole("button", { name: "Your account" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/sign-in/);
  await signIn(page, gavel);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await expect(search).toHaveCount(0);
});

test("an unknown path keeps the navigation", async ({ page, gavel }) => {
  await signIn(page, gavel);
  for (const path of ["/nowhere", "/judges/judge_1/unknown/path"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Main" }).first()).toBeVisible();
  }
  await page.getByRole("link", { name: "Go to overview" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
});

test("the playground keeps what was typed, until the person signs out", async ({ page, gavel }) => {
  await signIn(page, gavel, "/playground");
  const message = page.getByLabel("Message", { exact: true });
  await message.fill("kept for later");
  await page.getByRole("tab", { name: "Inference" }).click();
  await page.getByLabel("Content").fill("a ticket of mine");
  await page.getByRole("button", { name: "Add question" }).click();
  await page.getByRole("tab", { name: "Text", exact: true }).click();
  await expect(message).toHaveValue("kept for later");
  await page.getByRole("link", { name: "Ledger", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Ledger" })).toBeVisible();
  await page.goto("/playground?tab=inference");
  await expect(page.getByLabel("Content")).toHaveValue("a ticket of mine");
  await expect(page.getByRole("group", { name: "Question 3" })).toBeVisible();
  await page.getByRole("button", { name: "Your account" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/sign-in/);
  await signIn(page, gavel, "/playground");
  await expect(message).toHaveValue(/free nitro/);
});

test("a lost connection does not claim that nothing was charged", async ({ page, gavel }) => {
  await signIn(page, gavel, "/playground");
  await page.route(/moderate\/text/, (route) => route.abort());
  await page.getByRole("button", { name: "Run" }).click();
  const alert = page.getByRole("alert", { name: "Connection lost" });
  await expect(alert).toContainText("may have been processed and charged");
  await expect(alert).not.toContainText("not charged");
});

test("questions of the playground become a Judge, and a Judge is duplicated", async ({ page, gavel }) => {
  await signIn(page, gavel, "/playground?tab=inference");
  await page.getByRole("button", { name: "Save as Judge" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Create Judge" })).toBeDisabled();
  await dialog.getByLabel("Name").fill("From the playground");
  await dialog.getByRole("button", { name: "Create Judge" }).click();
  await expect(page.getByRole("heading", { name: /From the playground/ })).toBeVisible();
  await page.getByRole("tab", { name: "Questions" }).click();
  await expect(page.getByRole("group", { name: "Question 2" }).getByLabel("Key")).toHaveValue("refund");
  await page.getByLabel("Abstain below").fill("0.4");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Saved. Version 2 is now live.")).toBeVisible();

  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await expect(dialog.getByLabel("Name")).toHaveValue("From the playground (copy)");
  await dialog.getByRole("button", { name: "Duplicate" }).click();
  await expect(page.getByRole("heading", { name: /\(copy\)/ })).toContainText("Version 1");
  await page.getByRole("tab", { name: "Questions" }).click();
  await expect(page.getByLabel("Abstain below")).toHaveValue("0.4");
});

test("lists say which rows they show, and are cards on a phone", async ({ page, gavel }) => {
  const judge = await seedJudge(gavel, "Long", tickets(46));
  await signIn(page, gavel, `/judges/${judge}/dataset`);
  await expect(page.getByText("1–25 of 46")).toBeVisible();
  await page.getByRole("button", { name: "Next page" }).click();
  await expect(page.getByText("26–46 of 46")).toBeVisible();
  await page.reload();
  await expect(page.getByText("26–46 of 46")).toBeVisible();
  await page.getByRole("button", { name: "Previous page" }).click();
  await expect(page.getByText("1–25 of 46")).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  const row = page.getByRole("table", { name: "Content" }).locator("tbody tr").first();
  const box = await row.boundingBox();
  expect(box?.width).toBeLessThan(390);
  // Each cell of a card is below the one before.
  const tops = await row
    .locator("td:visible")
    .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().top));
  expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  expect(new Set(tops).size).toBe(tops.length);
});

test("a term leads to the glossary", async ({ page, gavel }) => {
  await signIn(page, gavel, "/judges");
  await page.getByRole("link", { name: "What is “Judge”?" }).click();
  await expect(page).toHaveURL(/glossary#judge/);
  await expect(page.getByRole("heading", { name: "Glossary" })).toBeVisible();
  await page.getByLabel("Find a term").fill("brier");
  await expect(page.getByText("Brier score", { exact: true })).toBeVisible();
  await expect(page.getByText("Checkpoint", { exact: true })).toHaveCount(0);
});
