// GraphiQL at /graphql.
import { expect, signIn, test } from "./fixtures";

test("GraphiQL sends requests as the signed-in user or with a key, and loads nothing from other hosts", async ({
  page,
  gavel,
}) => {
  const workers: string[] = [];
  page.on("worker", (worker) => workers.push(worker.url()));
  await signIn(page, gavel);
  await page.getByRole("link", { name: "GraphQL" }).click();
  await expect(page).toHaveTitle(/GraphiQL/);
  expect(new URL(page.url()).pathname).toBe("/graphql");
  // The editor comes last.
  await expect(page.locator(".graphiql-query-editor")).toContainText("query Account", { timeout: 30_000 });
  await page.getByRole("button", { name: /Execute query/ }).click();
  const answer = page.locator(".result-window");
  await expect(answer).toContainText(gavel.demo.email);
  // The schema was fetched too, and its documentation is at hand.
  await page.getByRole("button", { name: /Show Documentation Explorer/ }).click();
  await page.getByRole("link", { name: "Mutation", exact: true }).click();
  await expect(page.getByRole("link", { name: "archiveJudge", exact: true })).toBeVisible();
  expect(workers.length).toBeGreaterThan(0);
  for (const worker of workers) expect(new URL(worker).origin).toBe(gavel.url);

  // A key in the headers wins over the session, over HTTP and over a WebSocket, and is never stored.
  const { createApiKey } = await gavel.graphql<{ createApiKey: { secret: string } }>(
    `mutation { createApiKey(input: { name: "from GraphiQL", scopes: [READ] }) { secret } }`,
  );
  await page.getByRole("button", { name: "Headers" }).click();
  await page.locator(".graphiql-editor:visible").last().click();
  await page.keyboard.insertText(`{ "authorization": "Bearer ${createApiKey.secret}" }`);
  await page.getByRole("button", { name: /Execute query/ }).click();
  await expect(answer).toContainText(/"user":\s*null/);
  expect(await page.evaluate(() => JSON.stringify({ ...window.localStorage, ...window.sessionStorage }))).not.toContain(
    createApiKey.secret,
  );

  // Programs get what they always got at the same address.
  const program = await fetch(`${gavel.url}/graphql?query=%7B__typename%7D`, {
    headers: { Accept: "application/json" },
  });
  expect(await program.json()).toEqual({ data: { __typename: "Query" } });
});
