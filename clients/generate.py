#!/usr/bin/env python3
"""Generates the clients' types from openapi.json, with datamodel-code-generator for Python and openapi-typescript for
TypeScript, and the synchronous Python client from the asynchronous one.

With --check nothing is written, and files that are out of date are an error. Usage: clients/generate.py [--check]
"""

import json
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

CLIENTS = Path(__file__).resolve().parent
PYTHON = CLIENTS / "python/src/gavel_client"
TYPESCRIPT = CLIENTS / "typescript"
COLUMNS = 120
METHODS = {"get", "post", "put", "patch", "delete"}
# What the synchronous client says in place of the asynchronous one's words.
SYNCHRONOUS = {
    r"\basync def\b": "def",
    r"\basync with\b": "with",
    r"\basync for\b": "for",
    r"\bawait ": "",
    r"\bAsync(Gavel|Client|Iterator|BaseTransport)\b": r"\1",
    r"\b__a(enter|exit)__\b": r"__\1__",
    r"\baclose\b": "close",
    r"\baiter_lines\b": "iter_lines",
    r"\basyncio\.sleep\b": "time.sleep",
    r"\bimport asyncio\b": "import time",
    r"\b(a)(read)\b": r"\2",
}


def own_paths(description: dict) -> dict:
    """The description without the paths that exist for other APIs' clients, and without what only they need."""
    paths = {}
    for path, operations in description["paths"].items():
        named = {method: operation for method, operation in operations.items() if method in METHODS}
        own = [o for o in named.values() if "compatibility" not in o["tags"] and "Alias" not in o["operationId"]]
        if own:
            paths[path] = operations
    schemas = description["components"]["schemas"]
    kept: dict = {}
    waiting = references(paths)
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept[name] = schemas[name]
            waiting |= references(schemas[name])
    components = description["components"] | {"schemas": {name: kept[name] for name in sorted(kept)}}
    return without_examples(description | {"paths": paths, "components": components})


def without_examples(part: object) -> object:
    if isinstance(part, list):
        return [without_examples(entry) for entry in part]
    if not isinstance(part, dict):
        return part
    kept = {key: value for key, value in part.items() if key not in {"example", "examples"}}
    return {key: members(value) if key == "properties" else without_examples(value) for key, value in kept.items()}


def members(properties: dict) -> dict:
    """Members without examples; one may have that name itself."""
    return {name: without_examples(schema) for name, schema in properties.items()}


def references(part: object) -> set[str]:
    return set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(part)))


def for_python(part: object, schemas: dict) -> object:
    """The same without what a TypedDict of Python 3.11 cannot express: that there are no other members, members whose
    names are no identifiers, and narrower types of inherited members."""
    if isinstance(part, list):
        return [for_python(entry, schemas) for entry in part]
    if not isinstance(part, dict):
        return part
    if "allOf" in part:
        added = [added_members(entry, part["allOf"], schemas) for entry in part["allOf"]]
        part = part | {"allOf": [entry for entry in added if "$ref" in entry or entry["properties"]]}
    if len(part.get("allOf", [])) == 1:
        return part["allOf"][0]
    closed = part.get("additionalProperties") is False
    kept = {key: value for key, value in part.items() if not (closed and key == "additionalProperties")}
    return {key: for_python(value, schemas) for key, value in kept.items() if key != "$schema"}


def added_members(entry: dict, parts: list[dict], schemas: dict) -> dict:
    """An entry of `allOf` without the members that the others have, which it makes required or narrower."""
    inherited = {"$schema"}
    for part in parts:
        inherited |= set(schemas.get(part.get("$ref", "").rpartition("/")[2], {}).get("properties", {}))
    if "$ref" in entry:
        return entry
    properties = {name: schema for name, schema in entry.get("properties", {}).items() if name not in inherited}
    required = [name for name in entry.get("required", []) if name in properties]
    return entry | {"properties": properties, "required": required}


def python_types(description: dict, folder: Path) -> str:
    source = folder / "python.json"
    source.write_text(json.dumps(for_python(description, description["components"]["schemas"])))
    target = folder / "models.py"
    options = ["--output-model-type", "typing.TypedDict", "--target-python-version", "3.11"]
    options += ["--use-union-operator", "--use-standard-collections", "--enum-field-as-literal", "all"]
    options += ["--use-schema-description", "--use-field-description", "--use-double-quotes"]
    options += ["--formatters", "builtin", "--disable-timestamp"]
    command = [sys.executable, "-W", "ignore", "-m", "datamodel_code_generator"]
    command += ["--input", str(source), "--input-file-type", "openapi", "--output", str(target), *options]
    subprocess.run(command, check=True, stderr=subprocess.PIPE)
    lines = target.read_text().split("\n")
    text = "\n".join(line for line in lines if not line.startswith("#"))
    return formatted_python('"""The bodies of requests and responses. Generated by clients/generate.py."""\n' + text)


def formatted_python(text: str) -> str:
    settings = ["--line-length", str(COLUMNS), "--target-version", "py311"]
    ruff = [sys.executable, "-m", "ruff"]
    fix = [*ruff, "check", "--isolated", "--fix-only", "--unsafe-fixes", "--select", "I,UP028", *settings, "-"]
    text = subprocess.run(fix, input=text, capture_output=True, text=True, check=True).stdout
    command = [*ruff, "format", "--isolated", *settings, "-"]
    formatted = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return "\n".join(wrapped(line) for line in formatted.split("\n"))


def wrapped(line: str) -> str:
    """A line of a comment, broken where it is too long."""
    if len(line) <= COLUMNS:
        return line
    start = re.match(r"(\s*)(/\*\* |\* )?", line)
    indent = {None: start[1], "* ": f"{start[1]}* ", "/** ": f"{start[1]} * "}[start[2]]
    return textwrap.fill(line, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def typescript_types(description: dict, folder: Path) -> str:
    source = folder / "typescript.json"
    source.write_text(json.dumps(description))
    target = folder / "schema.ts"
    tools = TYPESCRIPT / "node_modules/.bin"
    generator = [tools / "openapi-typescript", source, "--output", target, "--alphabetize", "--export-type"]
    generator += ["--default-non-nullable", "false"]
    subprocess.run(generator, check=True, capture_output=True)
    text = re.sub(r"\A/\*\*.*?\*/\n", "", target.read_text(), flags=re.DOTALL)
    text = "/** The paths and bodies of the API. Generated by clients/generate.py. */\n" + text
    command = [tools / "prettier", "--stdin-filepath", TYPESCRIPT / "src/schema.ts"]
    formatted = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return "\n".join(wrapped(line) for line in formatted.split("\n"))


def synchronous_client() -> str:
    text = (PYTHON / "asynchronous.py").read_text()
    for pattern, replacement in SYNCHRONOUS.items():
        text = re.sub(pattern, replacement, text)
    docs = '"""A client that waits for each response. Generated from asynchronous.py by clients/generate.py."""'
    return formatted_python(re.sub(r'\A""".*?"""', docs, text, flags=re.DOTALL))


def main() -> None:
    description = own_paths(json.loads((CLIENTS.parent / "openapi.json").read_text()))
    with tempfile.TemporaryDirectory() as folder:
        files = {
            PYTHON / "models.py": python_types(description, Path(folder)),
            PYTHON / "synchronous.py": synchronous_client(),
            TYPESCRIPT / "src/schema.ts": typescript_types(description, Path(folder)),
        }
    if sys.argv[1:] == ["--check"]:
        stale = [str(file) for file, text in files.items() if not file.exists() or file.read_text() != text]
        if stale:
            sys.exit(f"run clients/generate.py: out of date: {', '.join(stale)}")
        return
    for file, text in files.items():
        file.write_text(text)


if __name__ == "__main__":
    main()
