// Files that come from elsewhere: their columns are mapped to the Judge's questions, and looked at first.
import { readFile } from "node:fs/promises";
import { expect, seedJudge, signIn, test } from "./fixtures";

const csv = (text: string) => ({ name: "tickets.csv", mimeType: "text/csv", buffer: Buffer.from(text) });

test("the columns of a file are mapped, its first rows shown, and its errors named by line", async ({
  page,
  gavel,
}) => {
  const judge = await seedJudge(gavel, "Mapped");
  await signIn(page, gavel, `/judges/${judge}/dataset`);
  await page.getByRole("button", { name: "Import" }).first().click();
  const dialog = page.getByRole("dialog");
  const add = dialog.getByRole("button", { name: /^Import/ });
  await expect(add).toBeDisabled();
  await add.hover();
  await expect(page.getByRole("tooltip")).toHaveText("Choose a file first.");

  // What the columns mean is guessed by their names.
  const text = "id;text;label;rush\n1;I was charged twice;Billing;yes\n2;The app crashes;technical;no\n";
  await page.locator("input[type=file]").setInputFiles(csv(text));
  const rows = dialog.getByRole("table", { name: "First rows" });
  await expect(rows.getByRole("cell", { name: "I was charged twice" })).toBeVisible();
  await expect(dialog.getByRole("combobox", { name: "Column text" })).toHaveValue("Content");
  await expect(dialog.getByRole("combobox", { name: "Column label" })).toHaveValue("Ground truth: team");
  await expect(dialog.getByText("Not imported: id, rush")).toBeVisible();
  await expect(dialog.getByText(/^2 lines: 2 new samples/)).toBeVisible();
  await dialog.getByRole("combobox", { name: "Column rush" }).click();
  await page.getByRole("option", { name: "Ground truth: urgent" }).click();
  await expect(dialog.getByText(/^2 lines: 2 new samples/)).toBeVisible();
  await add.click();
  await expect(page.getByText("2 samples", { exact: true })).toBeVisible();
  const labels = await gavel.graphql<{
    judge: { samples: { nodes: { state: string; answers: { key: string; groundTruth: string | null }[] }[] } };
  }>(`query ($id: ID!) { judge(id: $id) { samples(first: 5) { nodes { state answers { key groundTruth } } } } }`, {
    id: judge,
  });
  const charged = labels.judge.samples.nodes.find(({ state }) => state === "I was charged twice");
  expect(Object.fromEntries(charged?.answers.map(({ key, groundTruth }) => [key, groundTruth]) ?? [])).toEqual({
    team: "billing",
    urgent: "true",
  });

  // A wrong value is named by the line that it has in the file.
  await page.getByRole("button", { name: "Import" }).first().click();
  await page.locator("input[type=file]").setInputFiles(csv('text,label\n"two\nlines",billing\nother,nobody\n'));
  await expect(dialog.getByText("line 4: ground_truth.team")).toBeVisible();
  await expect(add).toBeDisabled();
});

test("an example file is made for the Judge's questions, and can be imported", async ({ page, gavel }) => {
  const judge = await seedJudge(gavel, "Exemplary");
  await signIn(page, gavel, `/judges/${judge}/dataset`);
  for (const [name, lines] of [
    ["CSV", 3],
    ["JSON Lines", 3],
  ] as const) {
    await page.getByRole("button", { name: "Import" }).first().click();
    const dialog = page.getByRole("dialog");
    const [example] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name, exact: true }).click(),
    ]);
    const buffer = await readFile(await example.path());
    expect(buffer.toString()).toContain("billing");
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: example.suggestedFilename(), mimeType: "text/plain", buffer });
    await expect(dialog.getByText(`${lines} lines:`)).toBeVisible();
    await dialog.getByRole("button", { name: "Cancel" }).click();
  }
});
