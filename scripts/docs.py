#!/usr/bin/env python3
"""Builds the documentation as a web site in target/docs with mdBook, and checks the links of the pages it made.

The site has the pages of docs/SUMMARY.md and whatever they link to in the repository, in the same folders, so that the
links of a clone lead somewhere here too. Uses the mdbook in the PATH, or else the one that docs/requirements.txt pins.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "target/docs"
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
EXTERNAL = re.compile(r"^([a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
# mdBook's own: the page for unknown addresses, and the table of contents in a frame.
OWN_PAGES = {"404.html", "toc.html"}


def find_mdbook() -> str:
    found = shutil.which("mdbook")
    if found:
        return found
    install = [ROOT / "scripts/pip.sh", "docs/requirements.txt", ".cache/docs"]
    if subprocess.run(install, check=False, cwd=ROOT).returncode:
        sys.exit("mdBook is missing: `cargo install mdbook --locked` brings it")
    return str(ROOT / ".cache/docs/bin/mdbook")


def linked(file: Path) -> list[Path]:
    """The files of the repository that a page links to, images included."""
    targets = re.findall(r"\]\(([^()\s]+)\)", file.read_text())
    paths = (unquote(target.split("#")[0]) for target in targets if not EXTERNAL.match(target))
    files = ((file.parent / path).resolve() for path in paths if path)
    return [found for found in files if found.is_relative_to(ROOT) and found.is_file()]


def collect() -> list[Path]:
    """The files of the site, in the order in which they are found."""
    found = [ROOT / "docs/SUMMARY.md", *sorted((ROOT / "docs").glob("*.md"))]
    for file in found:  # Grows while it is read.
        if file.suffix == ".md":
            found += [target for target in dict.fromkeys(linked(file)) if target not in found]
    return found


def without_folders(text: str, folder: Path) -> str:
    """A page in which links to folders, which the site has not, are plain text."""

    def plain(link: re.Match[str]) -> str:
        target = link[2].split("#")[0]
        is_folder = target and not EXTERNAL.match(target) and (folder / unquote(target)).is_dir()
        return link[1] if is_folder else link[0]

    return LINK.sub(plain, text)


def summary(files: list[Path]) -> str:
    """docs/SUMMARY.md with paths from the root, and with the pages that it lacks at the end."""
    docs = ROOT / "docs"

    def from_root(link: re.Match[str]) -> str:
        return f"[{link[1]}]({(docs / link[2]).resolve().relative_to(ROOT)})"

    written = LINK.sub(from_root, (docs / "SUMMARY.md").read_text())
    others = [file for file in files if file.suffix == ".md" and file != docs / "SUMMARY.md"]
    others = [file.relative_to(ROOT) for file in others if f"({file.relative_to(ROOT)})" not in written]
    lines = [f"- [{title(ROOT / file)}]({file})" for file in others]
    return "\n".join([written, "# More", "", *lines, ""])


def title(file: Path) -> str:
    heading = re.search(r"^# (.+)$", file.read_text(), re.MULTILINE)
    return heading[1] if heading else file.stem


def lay_out(folder: Path) -> None:
    """Copies what mdBook reads into a folder of its own."""
    files = collect()
    for file in files:
        target = folder / "src" / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            target.write_text(without_folders(file.read_text(), file.parent))
        else:
            shutil.copyfile(file, target)
    (folder / "src/docs/SUMMARY.md").unlink()
    (folder / "src/SUMMARY.md").write_text(summary(files))
    shutil.copyfile(ROOT / "docs/book.toml", folder / "book.toml")


class Page(HTMLParser):
    """The ids of a page, and where its links lead."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: list[str] = []
        self.feed(file.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif value and (tag, name) in {("a", "href"), ("img", "src"), ("link", "href"), ("script", "src")}:
                self.targets.append(value)


def faults() -> list[str]:
    pages = {file: Page(file) for file in SITE.rglob("*.html") if file.name not in OWN_PAGES}
    found = []
    for file, page in pages.items():
        for target in page.targets:
            path, _, anchor = unquote(target).partition("#")
            if EXTERNAL.match(target):
                continue
            named = Path(os.path.normpath(file.parent / path)) if path else file
            named = named / "index.html" if named.is_dir() else named
            if not named.is_file():
                found.append(f"{file.relative_to(SITE)}: there is no {target}")
            elif anchor and named in pages and anchor not in pages[named].ids:
                found.append(f"{file.relative_to(SITE)}: there is no heading {target}")
    return sorted(set(found))


def main() -> None:
    subprocess.run([ROOT / "scripts/links.py"], check=True)
    mdbook = find_mdbook()
    shutil.rmtree(SITE, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        subprocess.run([mdbook, "build", folder, "--dest-dir", SITE], check=True)
    broken = faults()
    if broken:
        sys.exit("\n".join(broken))
    print(SITE / "index.html")


if __name__ == "__main__":
    main()
