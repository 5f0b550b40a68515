#!/usr/bin/env python3
"""Checks the dashboard of Grafana and the alert rules against the metrics that the code records.

Every metric that they name must be recorded somewhere, and every one that is recorded must be on the dashboard and in
docs/operate.md. With a promtool in the PATH, all expressions are parsed too. Usage: scripts/alerts.py
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CRATES = ["api", "domain", "engine", "outbound", "setup", "src", "worker"]
RECORDED = re.compile(r'(?:counter|gauge|histogram)!\(\s*"([a-z_]+)"')
OF_THE_PROCESS = re.compile(r'\("(process_[a-z_]+)",')
NAMED = re.compile(r"\b(?:gavel|process)_[a-z_]+\b")


def recorded() -> set[str]:
    sources = (file.read_text() for crate in CRATES for file in (ROOT / crate).rglob("*.rs"))
    of_the_process = OF_THE_PROCESS.findall((ROOT / "src/metrics.rs").read_text())
    return {name for source in sources for name in RECORDED.findall(source)} | set(of_the_process)


def without_suffix(name: str, known: set[str]) -> str:
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    return name if name in known else base


def parse(expressions: list[str]) -> None:
    """Lets promtool parse expressions, as rules of a file."""
    promtool = shutil.which("promtool")
    if promtool is None:
        print("no promtool (Debian package prometheus): expressions are not parsed", file=sys.stderr)
        return
    filled = [re.sub(r"\$__rate_interval", "5m", expression) for expression in expressions]
    rules = [{"record": f"panel:{number}", "expr": expression} for number, expression in enumerate(filled)]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        json.dump({"groups": [{"name": "panels", "rules": rules}]}, file)  # JSON is YAML.
        file.flush()
        subprocess.run([promtool, "check", "rules", file.name], check=True, stdout=subprocess.DEVNULL)
    prometheus = ROOT / "deploy/prometheus"
    subprocess.run([promtool, "check", "rules", prometheus / "rules.yml"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([promtool, "test", "rules", prometheus / "rules.test.yml"], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    known = recorded()
    dashboard = json.loads((ROOT / "deploy/grafana/gavel.json").read_text())
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    shown = {without_suffix(name, known) for expression in expressions for name in NAMED.findall(expression)}
    rules = re.findall(r"(?:expr: |^ {10})(.*)$", (ROOT / "deploy/prometheus/rules.yml").read_text(), re.MULTILINE)
    alerted = {without_suffix(name, known) for line in rules for name in NAMED.findall(line)}
    operate = (ROOT / "docs/operate.md").read_text()

    faults = [f"no code records {name}" for name in sorted((shown | alerted) - known)]
    # Address space says little of a process with an allocator of its own.
    hidden = known - shown - {"process_virtual_memory_bytes"}
    faults += [f"{name} is not on the dashboard" for name in sorted(hidden)]
    faults += [
        f"{name} is not in docs/operate.md"
        for name in sorted(known)
        if name.startswith("gavel_") and name not in operate
    ]
    ids = [panel["id"] for panel in dashboard["panels"]]
    if len(ids) != len(set(ids)):
        faults.append("two panels have the same id")
    if faults:
        sys.exit("\n".join(faults))
    parse(expressions)
    print(f"{len(panels)} panels and the alerts name metrics that exist, and all {len(known)} of them")


if __name__ == "__main__":
    main()
