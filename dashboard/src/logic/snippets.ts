// Programs that send the same request.

export interface Request<B = unknown> {
  path: string;
  /** The JSON body; or the fields of a form, of which `@` files. */
  body?: B;
  form?: Record<string, string>;
}

export type Language = "curl" | "python" | "typescript";

/** The program in `language`, for the server at `origin`. */
export function snippet(language: Language, origin: string, request: Request): string {
  const url = origin + request.path;
  if (request.form) return formSnippet(language, url, request.form);
  const body = JSON.stringify(request.body, null, 2);
  if (language === "curl") {
    return [
      `curl ${url} \\`,
      `  -H "Authorization: Bearer $GAVEL_API_KEY" \\`,
      `  -H "Content-Type: application/json" \\`,
      `  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
    ].join("\n");
  }
  if (language === "python") {
    return [
      "import os",
      "import requests",
      "",
      "response = requests.post(",
      `    ${JSON.stringify(url)},`,
      `    headers={"Authorization": f"Bearer {os.environ['GAVEL_API_KEY']}"},`,
      `    json=${indent(python(request.body), 4)},`,
      "    timeout=30,",
      ")",
      "response.raise_for_status()",
      "print(response.json())",
    ].join("\n");
  }
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: "POST",`,
    "  headers: {",
    "    Authorization: `Bearer ${process.env.GAVEL_API_KEY}`,",
    `    "Content-Type": "application/json",`,
    "  },",
    `  body: JSON.stringify(${indent(body, 2)}),`,
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    "console.log(await response.json());",
  ].join("\n");
}

function formSnippet(language: Language, url: string, form: Record<string, string>): string {
  const [[name, file] = ["image", "picture.jpg"]] = Object.entries(form);
  if (language === "curl")
    return [
      `curl ${url} \\`,
      '  -H "Authorization: Bearer $GAVEL_API_KEY" \\',
      `  -F ${name}=@'${file.replaceAll("'", String.raw`'\''`)}'`,
    ].join("\n");
  if (language === "python") {
    return [
      "import os",
      "import requests",
      "",
      `with open(${JSON.stringify(file)}, "rb") as picture:`,
      "    response = requests.post(",
      `        ${JSON.stringify(url)},`,
      `        headers={"Authorization": f"Bearer {os.environ['GAVEL_API_KEY']}"},`,
      `        files={${JSON.stringify(name)}: picture},`,
      "        timeout=60,",
      "    )",
      "response.raise_for_status()",
      "print(response.json())",
    ].join("\n");
  }
  return [
    `import { openAsBlob } from "node:fs";`,
    "",
    "const form = new FormData();",
    `form.set(${JSON.stringify(name)}, await openAsBlob(${JSON.stringify(file)}));`,
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: "POST",`,
    "  headers: { Authorization: `Bearer ${process.env.GAVEL_API_KEY}` },",
    "  body: form,",
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    "console.log(await response.json());",
  ].join("\n");
}

/** JSON as a Python literal. */
export function python(value: unknown, depth = 0): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null || value === undefined) return "None";
  const inner = "    ".repeat(depth + 1);
  const outer = "    ".repeat(depth);
  if (Array.isArray(value)) {
    if (value.every((one) => typeof one !== "object" || one === null))
      return `[${value.map((one) => python(one)).join(", ")}]`;
    return `[\n${value.map((one) => `${inner}${python(one, depth + 1)},\n`).join("")}${outer}]`;
  }
  if (typeof value === "object") {
    const members = Object.entries(value).filter(([, one]) => one !== undefined);
    if (members.length === 0) return "{}";
    const lines = members.map(([key, one]) => `${inner}${JSON.stringify(key)}: ${python(one, depth + 1)},\n`);
    return `{\n${lines.join("")}${outer}}`;
  }
  return JSON.stringify(value);
}

function indent(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}
