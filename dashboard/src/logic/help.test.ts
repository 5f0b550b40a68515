import { expect, it } from "vitest";
import { readdirSync } from "node:fs";
// @ts-expect-error -- a script without types
import { files } from "../../help.mjs";

// Broken links throw.
const pages: Map<string, string | Uint8Array> = files();

function page(name: string): string {
  return String(pages.get(name));
}

it("has every page of docs", () => {
  const docs = readdirSync(new URL("../../../docs", import.meta.url)).filter((name) => name.endsWith(".md"));
  for (const name of docs.filter((file) => file !== "SUMMARY.md" && file !== "README.md"))
    expect(pages.has(name.replace(/md$/, "html")), name).toBe(true);
  expect(page("index.html")).toContain('href="operate.html"');
});

it("loads nothing from elsewhere, and runs nothing", () => {
  for (const [name, source] of pages) {
    if (!name.endsWith(".html")) continue;
    expect(String(source), name).not.toMatch(
      /<script|<style| style=|<link[^>]+href="(https?:)?\/\/|<img[^>]+src="(https?:)?\/\//,
    );
  }
});

it("links to files that are there", () => {
  for (const [name, source] of pages) {
    if (!name.endsWith(".html")) continue;
    for (const [, href = ""] of String(source).matchAll(/(?:href|src)="([^"#]*)/g))
      if (href && !/^([a-z]+:|\/)/.test(href)) expect(pages.has(href), `${name}: ${href}`).toBe(true);
  }
});

it("marks the page in the menu and keeps the headings of forges", () => {
  expect(page("operate.html")).toContain('<a href="operate.html" aria-current="page">');
  expect(page("operate.html")).toContain('<h2 id="one-machine">');
  expect(page("errors.html")).toContain('href="operate.html#limits"');
});
