/* Writes docs/ as HTML into dist/help, for the server to send at /help/ without any other site. It fails when a link
   leads nowhere. Usage: node help.mjs */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Marked } from "marked";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SUMMARY = "docs/SUMMARY.md";
const EXTERNAL = /^([a-z][a-z0-9+.-]*:|\/\/)/i;
/** Files that are copied, beside pictures. Links to other files become text. */
const COPIED = /\.(png|svg|toml|graphql)$/;
/** Larger files that are text are stored encoded, as Vite stores those of the dashboard. */
const ENCODED_FROM = 1024;

if (process.argv[1] === fileURLToPath(import.meta.url)) write();

function write() {
  const folder = fileURLToPath(new URL("./dist/help/", import.meta.url));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of files()) {
    const data = Buffer.from(source);
    if (data.length < ENCODED_FROM || name.endsWith(".png")) {
      writeFileSync(join(folder, name), data);
    } else {
      writeFileSync(join(folder, `${name}.gz`), gzipSync(data, { level: 9 }));
      writeFileSync(join(folder, `${name}.br`), brotliCompressSync(data));
    }
  }
}

/** All files of help by their names. Throws where a link leads nowhere. */
export function files() {
  const pages = collect();
  const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page.tokens)]));
  const found = new Map([["help.css", style()]]);
  const broken = [];
  for (const page of pages) {
    const target = (href) => {
      const { path, anchor } = split(page.path, href);
      if (anchors.has(path)) {
        if (anchor && !anchors.get(path)?.has(anchor)) broken.push(`${page.path}: there is no heading ${href}`);
        return nameOf(path) + (anchor && `#${anchor}`);
      }
      const file = join(ROOT, path);
      if (!existsSync(file)) broken.push(`${page.path}: there is no file ${href}`);
      else if (COPIED.test(path)) found.set(copyOf(path), readFileSync(file));
      return COPIED.test(path) ? copyOf(path) : undefined;
    };
    found.set(nameOf(page.path), document(page, pages, target));
  }
  if (broken.length > 0) throw new Error(broken.join("\n"));
  return found;
}

/** The pages that docs/SUMMARY.md names, and those that they link to. */
function collect() {
  const paths = ["docs/README.md"];
  for (const link of links(parse(SUMMARY))) add(paths, SUMMARY, link.href);
  const pages = [];
  // Grows while it is read.
  for (const path of paths) {
    const tokens = parse(path);
    const heading = tokens.find((token) => token.type === "heading");
    for (const link of links(tokens)) add(paths, path, link.href);
    pages.push({ path, title: heading?.text ?? path, description: firstSentence(tokens), tokens });
  }
  return pages;
}

/** What a page is for, without markup. */
function firstSentence(tokens) {
  const paragraph = tokens.find((token) => token.type === "paragraph");
  const text = (paragraph?.tokens ?? []).map((token) => token.text).join("");
  return text.replaceAll(/\s+/g, " ").split(". ")[0];
}

function add(paths, from, href) {
  if (EXTERNAL.test(href)) return;
  const { path } = split(from, href);
  const file = join(ROOT, path);
  if (path.endsWith(".md") && existsSync(file) && statSync(file).isFile() && !paths.includes(path)) paths.push(path);
}

function parse(path) {
  return new Marked().lexer(readFileSync(join(ROOT, path), "utf8"));
}

function links(tokens) {
  const found = [];
  new Marked().walkTokens(tokens, (token) => {
    if (token.type === "link") found.push(token);
  });
  return found;
}

/** Where a link of a page leads: a path in the repository and an anchor, which may be empty. */
function split(from, href) {
  const [path = "", anchor = ""] = decodeURIComponent(href).split("#");
  return { path: path ? relative(ROOT, resolve(ROOT, dirname(from), path)) : from, anchor };
}

/** The name of a page: pages of docs/ have their own, the first is index.html. */
function nameOf(path) {
  if (path === "docs/README.md") return "index.html";
  return `${path
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .replaceAll("/", "-")
    .toLowerCase()}.html`;
}

function copyOf(path) {
  return path.replaceAll("/", "-");
}

/** The anchors of a page's headings, as forges make them. */
function anchorsOf(tokens) {
  const found = new Set();
  for (const token of tokens) if (token.type === "heading") found.add(slug(token, found));
  return found;
}

function slug(heading, taken) {
  const text = heading.text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  const name = text.replace(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-");
  let unique = name;
  for (let repeated = 1; taken.has(unique); repeated++) unique = `${name}-${repeated}`;
  return unique;
}

function document(page, pages, target) {
  const titles = new Map(pages.map(({ path, title }) => [nameOf(path), title]));
  const menu = render(parse(SUMMARY), (href) => {
    const { path } = split(SUMMARY, href);
    return nameOf(path);
  });
  const here = nameOf(page.path);
  const current = menu
    .replace('<h1 id="summary">Summary</h1>', "")
    .replaceAll(/<(\/?)h1[^>]*>/g, "<$1h2>")
    .replace(`<a href="${here}"`, `<a href="${here}" aria-current="page"`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escape(page.description || "The documentation of Gavel")}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="help.css">
<title>${escape(titles.get(here) ?? "")} · Gavel</title>
</head>
<body>
<nav aria-label="Pages"><p><a href="/">Dashboard</a> · <a href="/docs/">API reference</a></p>
${current}</nav>
<main>
${render(page.tokens, target)}</main>
</body>
</html>
`;
}

function render(tokens, target) {
  const taken = new Set();
  const marked = new Marked({
    renderer: {
      heading(heading) {
        const id = slug(heading, taken);
        taken.add(id);
        const text = this.parser.parseInline(heading.tokens);
        return `<h${heading.depth} id="${escape(id)}">${text}</h${heading.depth}>\n`;
      },
      link({ href, tokens: inner }) {
        const text = this.parser.parseInline(inner);
        if (EXTERNAL.test(href)) return `<a href="${escape(href)}" rel="noreferrer">${text}</a>`;
        const place = target(href);
        return place === undefined ? text : `<a href="${escape(place)}">${text}</a>`;
      },
      image({ href, text }) {
        const place = EXTERNAL.test(href) ? undefined : target(href);
        return place === undefined ? escape(text) : `<img src="${escape(place)}" alt="${escape(text)}" loading="lazy">`;
      },
      table(table) {
        const row = (cells, tag) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>\n`;
        const body = table.rows.map((cells) => row(cells, "td")).join("");
        const head = row(table.header, "th");
        return `<div class="wide"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      html: ({ text }) => escape(text),
    },
  });
  return marked.parser(tokens);
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function style() {
  return readFileSync(new URL("./help.css", import.meta.url), "utf8");
}
