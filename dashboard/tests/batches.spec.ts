// Evaluations and bulk batches: what is paid for once and runs by itself.
import { expect, seedJudge, signIn, test, tickets } from "./fixtures";

test("an evaluation and a batch run after their price was agreed to, and the ledger names them", async ({
  page,
  gavel,
}) => {
  const judge = await seedJudge(gavel, "Evaluated", tickets(12));
  await signIn(page, gavel, `/judges/${judge}/evaluations`);
  await page.getByRole("button", { name: "Evaluate" }).first().click();
  await expect(page.getByText(/12 labelled samples: up to 6 credits/)).toBeVisible();
  await page.getByRole("button", { name: "Evaluate for up to 6 credits" }).click();
  await expect(page.getByText("Done", { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("Confusion matrix").first()).toBeVisible();
  await page.goto("/batches");
  await page.getByRole("button", { name: "New batch" }).first().click();
  await page.getByRole("button", { name: "Hold 1 credit and run" }).click();
  await expect(page.getByText("Completed")).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("table", { name: "Results" })).toContainText("message-2");
  await page.getByRole("link", { name: "Ledger" }).click();
  await expect(page.getByRole("cell", { name: "Bulk batch" }).first()).toBeVisible();
});

test("results that were asked for while a batch ran are asked for again once it has ended", async ({ page, gavel }) => {
  await signIn(page, gavel, "/batches");
  // The first answer: of a moment before any item was done, and given after the batch has ended.
  let asked = 0;
  await page.route(/\/graphql/, async (route) => {
    if (!route.request().postData()?.includes("BatchResults") || asked++ > 0) return route.continue();
    const answer = await (await route.fetch()).json();
    Object.assign(answer.data.batch, { finishedAt: null, results: { lines: "", nextPart: null } });
    await expect(page.getByText("Completed")).toBeVisible({ timeout: 30_000 });
    await route.fulfill({ json: answer });
  });
  await page.getByRole("button", { name: "New batch" }).first().click();
  await page.getByRole("button", { name: "Hold 1 credit and run" }).click();
  await expect(page.getByText("Completed")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("table", { name: "Results" })).toContainText("message-2");
});
