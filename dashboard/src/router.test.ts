import { expect, it } from "vitest";
import { localPath } from "./logic/search";
import { isPage, router } from "./router";

const next = (address: string) => localPath(address, isPage);

it("leads to a page of the dashboard after signing in, and nowhere else", () => {
  for (const page of ["/", "/judges", "/judges/judge_1/dataset?labelled=no#top", "/ledger?kind=GRANT"])
    expect(next(page)).toBe(page);
  expect(next("/judges/../keys")).toBe("/keys");
  expect(next("/judges?to=https://evil.example")).toBe("/judges?to=https://evil.example");
  for (const address of [
    "https://evil.example",
    "HTTPS://evil.example/judges",
    "https:evil.example",
    "https:/evil.example",
    "//evil.example",
    "//evil.example/judges",
    "///evil.example/judges",
    "////evil.example",
    "/\\evil.example/judges",
    "\\\\evil.example",
    "\\/evil.example",
    "/\t/evil.example",
    "/\n/evil.example/judges",
    "\t//evil.example",
    " //evil.example",
    " https://evil.example",
    "/.//evil.example/judges",
    "/judges/..//evil.example",
    "/%2e/%2e//evil.example",
    "/%2F/evil.example",
    "//user@evil.example/judges",
    "//[::1]/judges",
    "//",
    "/\\",
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "?next=/judges",
    "judges",
    "",
    "/sign-in?next=/judges",
    "/sign-up",
    "/graphql",
    "/api/v1/judges/judge_1/dataset",
    "/docs/",
    "/help/",
    "/wp-admin",
    "/judges/judge_1/unknown",
  ])
    expect([address, next(address)]).toEqual([address, undefined]);
});

// The server answers other paths with 404. `npx vitest run -u` writes the file.
it("has the pages that the server knows", async () => {
  const known = Object.values(router.routesById).filter((route) => !route.id.endsWith("/$"));
  const paths = known.map((route) => route.fullPath.replace(/(.)\/$/, "$1"));
  const pages = [...new Set<string>(paths)].sort();
  await expect(`${JSON.stringify(pages, null, 2)}\n`).toMatchFileSnapshot("../pages.json");
});
