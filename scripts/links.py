#!/usr/bin/env python3
"""Checks the relative links of all Markdown files: that the file is there, and the heading that an anchor names.

Links to other sites are not followed. Usage: scripts/links.py [FILE...]
"""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^\s*(```|~~~)")
CODE = re.compile(r"(`+)(?:.|\n)*?\1")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
LINK = re.compile(r"\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\))?)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
EXTERNAL = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def prose(text: str) -> str:
    """The text with the lines of code blocks emptied, so that line numbers stay."""
    lines, inside = [], False
    for line in text.split("\n"):
        fence = FENCE.match(line) is not None
        lines.append("" if inside or fence else line)
        inside ^= fence
    return "\n".join(lines)


def anchors(file: Path) -> set[str]:
    """The anchors that forges and mdBook make of a file's headings."""
    found: dict[str, int] = {}
    for line in prose(file.read_text()).split("\n"):
        heading = HEADING.match(line)
        if heading is None:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        repeated = found.get(slug, 0)
        found[slug] = repeated + 1
        if repeated:
            found[f"{slug}-{repeated}"] = 1
    return set(found)


def faults(file: Path) -> list[str]:
    text = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), prose(file.read_text()))
    found = []
    for link in LINK.finditer(text):
        target = unquote(link[1] or link[2])
        if EXTERNAL.match(target):
            continue
        path, _, anchor = target.partition("#")
        named = (file.parent / path).resolve() if path else file
        place = f"{file.relative_to(ROOT)}:{text.count(chr(10), 0, link.start()) + 1}"
        if not named.is_relative_to(ROOT) or not named.exists():
            found.append(f"{place}: there is no file {path}")
        elif anchor and named.suffix == ".md" and anchor not in anchors(named):
            found.append(f"{place}: there is no heading #{anchor} in {named.relative_to(ROOT)}")
    return found


def main() -> None:
    named = sys.argv[1:]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout.splitlines()
    files = [Path(file).resolve() for file in named] or [ROOT / file for file in listed]
    found = [fault for file in files if file.exists() for fault in faults(file)]
    if found:
        sys.exit("\n".join(found))
    print(f"the links of {len(files)} files lead somewhere")


if __name__ == "__main__":
    main()
