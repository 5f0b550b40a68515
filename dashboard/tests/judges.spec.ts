// What people do with a Judge: edit it, label its samples, train it.
import { readFileSync } from "node:fs";
import { expect, file, seedJudge, signIn, test, tickets } from "./fixtures";

test("a Judge checks its states by a schema, whose members become a form", async ({ page, gavel }) => {
  const judge = await seedJudge(gavel, "Checked");
  await signIn(page, gavel, `/judges/${judge}/questions`);
  const schema = page.getByLabel("Content schema");
  const save = page.getByRole("button", { name: "Save changes" });
  await schema.fill("{");
  await expect(page.getByText("Enter a JSON object.")).toBeVisible();
  await expect(save).toBeDisabled();
  await schema.fill('{ "type": "objekt" }');
  await save.click();
  await expect(page.getByText("/type: ")).toBeVisible();
  const order = {
    type: "object",
    properties: {
      message: { type: "string", maxLength: 40 },
      total: { type: "number", description: "in euros" },
      plan: { enum: ["free", "team"] },
      paid: { type: "boolean" },
    },
    required: ["message"],
  };
  await schema.fill(JSON.stringify(order));
  await save.click();
  await expect(page.getByText("Saved. Version 2 is now live.")).toBeVisible();

  await page.getByRole("tab", { name: "Try out" }).click();
  await page.getByLabel("total").fill("-12.5");
  await page.getByRole("combobox", { name: "plan" }).click();
  await page.getByRole("option", { name: "team" }).click();
  await page.getByRole("combobox", { name: "paid" }).click();
  await page.getByRole("option", { name: "No" }).click();
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("alert", { name: "Request refused" })).toContainText("message");
  await page.getByLabel("message").fill("Where is my parcel?");
  await page.getByText("JSON", { exact: true }).first().click();
  const state = page.getByRole("textbox", { name: "Content" });
  const typed = { total: -12.5, plan: "team", paid: false, message: "Where is my parcel?" };
  expect(JSON.parse(await state.inputValue())).toEqual(typed);
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByText("Recorded as a sample")).toBeVisible();

  // Another version brings its schema with it.
  await page.getByRole("tab", { name: "Questions" }).click();
  await page.getByRole("button", { name: "Edit this version" }).click();
  await expect(schema).toHaveValue("");
});

test("a Judge is edited, and a second editor is not overwritten", async ({ page, gavel }) => {
  const judge = await seedJudge(gavel, "Edited");
  await signIn(page, gavel, `/judges/${judge}/questions`);
  const name = page.getByLabel("Name", { exact: true });
  await expect(name).toHaveValue("Edited");
  await page.getByRole("button", { name: "Add question" }).click();
  const added = page.getByRole("group", { name: "Question 3" });
  await added.getByLabel("Key").fill("refund");
  await added.getByRole("combobox", { name: "Type" }).click();
  await page.getByRole("option", { name: "Yes or no" }).click();
  await added.getByRole("textbox", { name: "Question" }).fill("Does the writer want money back?");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Saved. Version 2 is now live.")).toBeVisible();
  // Another version does not take the place of what was typed without a question.
  const description = page.getByLabel("Description", { exact: true });
  await description.fill("not saved yet");
  await page.getByRole("button", { name: "Edit this version" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await expect(description).toHaveValue("not saved yet");
  await gavel.graphql(`mutation ($input: UpdateJudgeInput!) { updateJudge(input: $input) { judge { version } } }`, {
    input: { id: judge, instructions: { other: ["a", "b"] } },
  });
  await page.getByLabel("Abstain below").fill("0.4");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Someone else changed this Judge")).toBeVisible();
  await page.getByRole("button", { name: "Load latest" }).click();
  await expect(page.getByRole("group", { name: "Question 2" })).toHaveCount(0);
  await expect(page.getByLabel("Key")).toHaveValue("other");
});

test("samples are imported, corrected by keyboard with undo, and exported", async ({ page, gavel }) => {
  const judge = await seedJudge(gavel, "Reviewed");
  for (const state of ["I was charged twice", "The app crashes", "Where is my parcel?"])
    await gavel.post(`/api/v1/judges/${judge}/inference`, { state });
  await signIn(page, gavel, `/judges/${judge}/dataset`);
  await page.getByRole("button", { name: "Import" }).click();
  await page.locator("input[type=file]").setInputFiles(file('{"state": "a", "ground_truth": {"team": "nobody"}}'));
  await expect(page.getByText(/must be one of/)).toBeVisible();
  await page.locator("input[type=file]").setInputFiles(file(tickets(8).join("\n")));
  await expect(page.getByText(/8 new samples/)).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
  await expect(page.getByText("11 samples", { exact: true })).toBeVisible();

  await page.getByRole("tab", { name: "Review" }).click();
  const sample = page.getByTestId("review-sample");
  await expect(sample).toBeVisible();
  const count = page.getByTestId("review-count");
  // Both questions come, one after another.
  await expect(sample.getByRole("heading", { name: "Which team should answer this ticket?" })).toBeVisible();
  await page.keyboard.press("1");
  await expect(sample.getByRole("heading", { name: "Does this need an answer today?" })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(count).toHaveText("2 done in this session");
  await page.keyboard.press("u");
  await expect(count).toHaveText("1 done in this session");
  await page.keyboard.press("2");
  // A key that is held down counts once, and Enter on a button is the button's.
  for (let held = 0; held < 6; held += 1) await page.keyboard.down("3");
  await page.keyboard.up("3");
  await expect(count).toHaveText("3 done in this session");
  await sample.getByRole("button", { name: "Skip" }).focus();
  await page.keyboard.press("Enter");
  await expect(count).toHaveText("3 done in this session");
  // One question alone begins with what is left.
  await page.goto(`/judges/${judge}/review?key=team`);
  await expect(sample).toBeVisible();
  await page.keyboard.press("2");
  await expect(page.getByText("Nothing left to review")).toBeVisible();
  const labelled = async () =>
    (
      await gavel.graphql<{ judge: { stats: { labelled: number } } }>(
        `query ($id: ID!) { judge(id: $id) { stats { labelled } } }`,
        { id: judge },
      )
    ).judge.stats.labelled;
  await expect.poll(labelled).toBe(11);

  await page.getByRole("tab", { name: "Analytics" }).click();
  await expect(page.getByText("Confusion matrix")).toBeVisible();
  await expect(page.getByText("Accuracy", { exact: true })).toBeVisible();
  await page.getByRole("tab", { name: "Dataset" }).click();
  await page.getByLabel("Search").fill("parcel");
  await expect(page).toHaveURL(/text=parcel/);
  await expect(page.getByRole("link", { name: /charged twice/ })).toHaveCount(0);
  await page.reload();
  await expect(page.getByLabel("Search")).toHaveValue("parcel");
  await page.getByLabel("Search").fill("zeppelin");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.getByLabel("Search")).toHaveValue("");
  await page.getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "As CSV" }).click();
  expect((await download).suggestedFilename()).toBe(`${judge}.csv`);
});

test("a ground truth that was set in the dataset can be taken back", async ({ page, gavel }) => {
  const judge = await seedJudge(gavel, "Undone");
  await gavel.post(`/api/v1/judges/${judge}/inference`, { state: "Where is my parcel?" });
  await signIn(page, gavel, `/judges/${judge}/dataset`);
  await page.getByRole("link", { name: "Where is my parcel?" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "billing" }).click();
  await expect(drawer.getByText("team: none → billing")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(drawer.getByText("team: billing → none")).toBeVisible();
});

test("a Checkpoint is trained for its price, watched live, activated and rolled back", async ({ page, gavel }) => {
  test.setTimeout(300_000);
  const judge = await seedJudge(gavel, "Support routing", tickets(90));
  await signIn(page, gavel, `/judges/${judge}/checkpoints`);
  await page.getByRole("button", { name: "Train a Checkpoint" }).first().click();
  await expect(page.getByText(/Costs 5,000 credits/)).toBeVisible();
  await page.getByLabel("Activate automatically if better").uncheck();
  await page.getByRole("button", { name: "Hold 5,000 credits and train" }).click();
  await expect(page.getByText("Training", { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect
    .poll(
      async () =>
        Number.parseInt(
          (await page
            .getByTestId("progress")
            .textContent()
            .catch(() => "100")) ?? "0",
          10,
        ),
      { timeout: 120_000 },
    )
    .toBeGreaterThan(5);
  await expect(page.getByText("Ready", { exact: true })).toBeVisible({ timeout: 240_000 });
  await expect(page.getByText("Compared with the live model")).toBeVisible();
  await page.getByRole("button", { name: "Activate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Activate" }).click();
  await expect(page.getByText("This Checkpoint answers the Judge's requests.")).toBeVisible();

  // Samples that it was trained on do not count for it.
  const checkpoint = page.url();
  await page.goto(`/judges/${judge}/evaluations`);
  await page.getByRole("button", { name: "Evaluate" }).first().click();
  const start = page.getByRole("dialog").getByRole("button", { name: /Evaluate for up to/ });
  await expect(page.getByRole("dialog").getByText(/^1\d labelled samples|^2\d labelled samples/)).toBeVisible();
  await page.getByRole("combobox", { name: "Samples" }).click();
  await page.getByRole("option", { name: "All, with training samples apart" }).click();
  await expect(page.getByRole("dialog").getByText(/^90 labelled samples/)).toBeVisible();
  await start.click();
  await expect(page.getByText("All, with training samples apart")).toBeVisible();
  await expect(page.getByText("Done", { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText(/On training samples, which flatter the Checkpoint: \d/).first()).toBeVisible();
  const answers = page.getByRole("table", { name: "Answers" }).getByRole("row");
  await expect(answers).toHaveCount(21);
  await page.getByRole("button", { name: "Export" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export as CSV" }).click();
  const exported = readFileSync(await (await saving).path(), "utf8");
  expect(exported.split("\n")[0]?.trim()).toBe(
    "sample_id,state,key,ground_truth,answer,probability,ground_truth_probability,trained",
  );
  expect(exported.trim().split("\n").length).toBeGreaterThan(90);
  const cell = page.getByRole("link", { name: /^\d+ of .+ answered / }).first();
  const number = Number(await cell.textContent());
  await cell.click();
  await expect(answers).toHaveCount(1 + Math.min(number, 20));
  await page.getByRole("button", { name: /show all$/ }).click();
  await expect(answers).toHaveCount(21);
  await page.goto(checkpoint);
  await page.getByRole("button", { name: "Roll back" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Roll back" }).click();
  await expect(page.getByText("This Checkpoint answers the Judge's requests.")).toHaveCount(0);
});
