// What people see when their session ends.
import type { Page } from "@playwright/test";
import { expect, invited, seedJudge, signIn, test, tickets } from "./fixtures";
import { Gavel } from "./gavel";

/** Signs in again in the dialog over the page. */
async function signInAgain(page: Page, password: string) {
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await expect(dialog).toContainText("Your session has ended.");
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog).toHaveCount(0);
}

test("a session that has ended is signed in again over the page", async ({ page, gavel }) => {
  await signIn(page, gavel, "/ledger?kind=GRANT");
  await expect(page.getByRole("heading", { name: "Ledger" })).toBeVisible();
  await page.context().clearCookies();
  await page.getByRole("link", { name: "Audit log" }).click();
  await signInAgain(page, gavel.demo.password);
  await expect(page.getByRole("table", { name: "Audit log" })).toBeVisible();
});

test("what was edited is still there after the session has ended, and is saved", async ({ page, gavel }) => {
  const judge = await seedJudge(gavel, "Unsaved");
  await signIn(page, gavel, `/judges/${judge}/questions`);
  const description = page.getByLabel("Description", { exact: true });
  await description.fill("typed for an hour");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save changes" }).click();
  await signInAgain(page, gavel.demo.password);
  await expect(description).toHaveValue("typed for an hour");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Saved.", { exact: true })).toBeVisible();
});

test("another person who signs in there does not get the page", async ({ page, gavel, browser }) => {
  const other = await invited(browser, gavel, "other@example.com", "EDITOR");
  await other.context().close();
  await signIn(page, gavel, "/settings");
  await page.context().clearCookies();
  await page.getByRole("link", { name: "Ledger", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Email address").fill("other@example.com");
  await signInAgain(page, "a password of theirs");
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await expect(page.getByText("other@example.com").first()).toBeVisible();
});

test("a session that ends meanwhile asks to sign in, also from a download; a wrong password does not", async ({
  page,
  gavel,
}) => {
  const judge = await seedJudge(gavel, "Left alone", tickets(2));
  await signIn(page, gavel, "/settings");
  await page.getByLabel("Current password").fill("a wrong password");
  await page.getByLabel("New password").fill("another long password");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("This is not your current password.")).toBeVisible();
  await expect(page).toHaveURL(/settings/);
  await page.goto(`/judges/${judge}/dataset`);
  await expect(page.getByText("2 samples", { exact: true })).toBeVisible();
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: "As CSV" }).click();
  await signInAgain(page, gavel.demo.password);
  await expect(page.getByText("2 samples", { exact: true })).toBeVisible();
});

test("signing in leads to a page of the dashboard, whatever the address says", async ({ page, gavel }) => {
  for (const next of ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:document.title='x'"]) {
    await signIn(page, gavel, `/sign-in?next=${encodeURIComponent(next)}`);
    await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
    expect(page.url()).toBe(`${gavel.url}/`);
    await page.context().clearCookies();
  }
  await signIn(page, gavel, `/sign-in?next=${encodeURIComponent("/ledger?kind=GRANT")}`);
  await expect(page.getByRole("heading", { name: "Ledger" })).toBeVisible();
  expect(page.url()).toBe(`${gavel.url}/ledger?kind=GRANT`);
});

test("what the address says that a page does not understand counts as left out", async ({ page, gavel }) => {
  await signIn(page, gavel, "/ledger?kind=NONSENSE");
  await expect(page.getByRole("combobox", { name: "Kind" })).toHaveValue("All");
  await expect(page.getByRole("row").nth(1)).toBeVisible();
});

test("on a new device the browser does the work that is asked for, in a thread of its own", async ({ page }) => {
  const gavel = await Gavel.start({ GAVEL_PROOF_OF_WORK_BITS: "14" });
  let challenges = 0;
  const checking = page.getByRole("status").filter({ hasText: "Checking…" });
  await page.route("**/graphql", async (route) => {
    if (route.request().postData()?.includes("proofOfWorkChallenge")) {
      challenges += 1;
      await expect(checking).toBeVisible();
    }
    await route.continue();
  });
  try {
    const worker = page.waitForEvent("worker");
    await signIn(page, gavel, `${gavel.url}/`);
    await worker;
    expect(challenges).toBe(1);
    // The device is known now, and needs no work; a sign-up does.
    await page.context().clearCookies({ name: "gavel_session" });
    await signIn(page, gavel, `${gavel.url}/`);
    expect(challenges).toBe(1);
    await page.context().clearCookies();
    await page.goto(`${gavel.url}/sign-up`);
    await page.getByLabel("Email address").fill("new@example.test");
    await page.getByLabel("Password", { exact: true }).fill("a password of theirs");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
    expect(challenges).toBe(2);
  } finally {
    await gavel.stop();
  }
});
