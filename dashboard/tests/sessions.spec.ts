// What people see when their session ends.
import { expect, seedJudge, signIn, test, tickets } from "./fixtures";
import { Gavel } from "./gavel";

test("a session that has ended leads to the sign-in and back", async ({ page, gavel }) => {
  await signIn(page, gavel, "/ledger?kind=GRANT");
  await expect(page.getByRole("heading", { name: "Ledger" })).toBeVisible();
  await page.context().clearCookies();
  await page.getByRole("link", { name: "Audit log" }).click();
  await expect(page.getByText("Your session has ended.")).toBeVisible();
  await page.getByLabel("Email address").fill(gavel.demo.email);
  await page.getByLabel("Password", { exact: true }).fill(gavel.demo.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "Audit log" })).toBeVisible();
});

test("a session that ends meanwhile leads to the sign-in, also from a download; a wrong password does not", async ({
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
  await expect(page.getByText("Your session has ended.")).toBeVisible();
  await page.getByLabel("Email address").fill(gavel.demo.email);
  await page.getByLabel("Password", { exact: true }).fill(gavel.demo.password);
  await page.getByRole("button", { name: "Sign in" }).click();
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
