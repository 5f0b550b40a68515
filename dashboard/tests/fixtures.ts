// What tests share: a server for each file, and a page that is signed in.
import AxeBuilder from "@axe-core/playwright";
import { type Browser, type Page, test as base, expect } from "@playwright/test";
import { Gavel } from "./gavel";

export { expect };

export const test = base.extend<{ guest: Page }, { gavel: Gavel }>({
  gavel: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const gavel = await Gavel.start();
      await use(gavel);
      await gavel.stop();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ gavel }, use) => use(gavel.url),
  guest: async ({ page }, use) => use(page),
  page: async ({ page }, use) => {
    // No page may ask anybody else for anything, or break in the console.
    const strangers: string[] = [];
    const errors: string[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.hostname !== "127.0.0.1" && !["data:", "blob:"].includes(url.protocol)) strangers.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error" && /Content.Security.Policy|Uncaught/i.test(message.text()))
        errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    await use(page);
    expect(strangers, "requests to other hosts").toEqual([]);
    expect(errors, "errors in the console").toEqual([]);
  },
});

/** Signs the demo's owner in. */
export async function signIn(page: Page, gavel: Gavel, path = "/") {
  await page.goto(path);
  await page.getByLabel("Email address").fill(gavel.demo.email);
  await page.getByLabel("Password", { exact: true }).fill(gavel.demo.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("navigation", { name: "Main" }).first()).toBeVisible();
}

/** The page of another person whom the owner has invited. */
export async function invited(
  browser: Browser,
  gavel: Gavel,
  email: string,
  role: "EDITOR" | "MODERATOR" | "ANALYST",
): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: gavel.url })).newPage();
  await signIn(page, gavel, "/people");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("combobox", { name: "Role" }).last().click();
  await page.getByRole("option", { name: `${role.charAt(0)}${role.slice(1).toLowerCase()}` }).click();
  await page.getByRole("button", { name: "Create invitation" }).click();
  const link = await page.getByTestId("secret").inputValue();
  await page.context().clearCookies();
  await page.goto(link);
  await page.getByLabel("Password", { exact: true }).fill("a password of theirs");
  await page.getByRole("button", { name: "Create account" }).click();
  const first = role === "MODERATOR" ? "Moderation" : "Overview";
  await expect(page.getByRole("heading", { name: first, exact: true })).toBeVisible();
  return page;
}

/** A Judge with `texts.length` labelled samples. */
export async function seedJudge(gavel: Gavel, name: string, lines: string[] = []): Promise<string> {
  const created = await gavel.graphql<{ createJudge: { judge: { id: string } } }>(
    `mutation ($input: CreateJudgeInput!) { createJudge(input: $input) { judge { id } userErrors { message } } }`,
    {
      input: {
        name,
        description: "Routes support tickets to the team that can answer them.",
        storeContent: true,
        instructions: {
          team: {
            type: "choice",
            instructions: "Which team should answer this ticket?",
            criteria: {
              billing: "invoices, charges, refunds",
              technical: "errors, outages",
              shipping: "delivery, returns",
            },
          },
          urgent: { type: "noul", instructions: "Does this need an answer today?" },
        },
      },
    },
  );
  const id = created.createJudge.judge.id;
  if (lines.length) {
    const imported = await gavel.graphql<{ importSamples: { userErrors: unknown[] } }>(
      `mutation ($input: ImportSamplesInput!) {
        importSamples(input: $input) { imported userErrors { field message } }
      }`,
      { input: { judgeId: id, format: "JSONL", data: lines.join("\n") } },
    );
    if (imported.importSamples.userErrors.length) throw new Error(JSON.stringify(imported.importSamples.userErrors));
  }
  return id;
}

const TICKETS: [string, string, boolean][] = [
  ["I was charged twice for order", "billing", false],
  ["The app crashes whenever I open the report of project", "technical", true],
  ["My parcel has not arrived; tracking number", "shipping", false],
  ["Please send me the invoice of account", "billing", false],
  ["Nobody in our office can log in since this morning, tenant", "technical", true],
  ["The lamp arrived broken and I want to return it, order", "shipping", false],
];

/** Tickets with their teams, as lines of an import. */
export function tickets(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const [text, team, urgent] = TICKETS[index % TICKETS.length] ?? TICKETS[0]!;
    // Every ninth is labelled against its words, so that not everything is right.
    const label = index % 9 === 4 ? "shipping" : team;
    return JSON.stringify({ state: `${text} ${1000 + index * 7}`, ground_truth: { team: label, urgent } });
  });
}

/** A file of JSON Lines to choose. */
export const file = (text: string) => ({
  name: "tickets.jsonl",
  mimeType: "application/x-ndjson",
  buffer: Buffer.from(text),
});

/** Notes what axe finds wrong with the page. */
export async function audit(page: Page, name: string) {
  const builder = new AxeBuilder({ page });
  const { violations } = await builder.withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
  const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(" | ")}`);
  expect.soft(found, `axe on ${name}`).toEqual([]);
}

/** Audits a page in light and dark, and on a phone, where it must not be wider than the screen. */
export async function auditAll(page: Page, name: string, path: string, ready: () => Promise<void>) {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.goto(path);
    await ready();
    await audit(page, `${name}, ${colorScheme}`);
    await page.screenshot({ path: `screenshots/${name}-${colorScheme}.png`, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: `screenshots/${name}-phone.png`, fullPage: true });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect.soft(wider, `${name} is wider than 390 px`).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 860 });
}
