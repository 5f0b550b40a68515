#!/usr/bin/env python3
"""Measures the dashboard's templates on written examples, and writes the figures into them.

    presets/measure.py URL KEY [ID ...]            both halves; writes `measured`
    presets/measure.py URL KEY --choose [ID ...]   only `choose`, to try wordings; prints the mistakes, writes nothing

URL is a running Gavel, and KEY an API key with the scopes `infer` and `manage`. Wordings are chosen on the half
`choose`; `report` is for the figure that is shown. A question that fails there is left out or trained, not reworded
until it passes. A template with labelled examples is also measured with a Checkpoint trained on them, which costs
5,000 credits.
"""

import argparse
import json
import time
import urllib.request
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "dashboard/src/templates"
EXAMPLES = ROOT / "presets/examples"


class Gavel:
    """A server, and the key it is asked with."""

    def __init__(self, url, key):
        self.url = url.rstrip("/")
        self.key = key

    def call(self, path, body=None, content_type="application/json"):
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": content_type}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers)) as response:
            return json.load(response)

    def graphql(self, field, input_type, wanted, values):
        query = f"mutation ($input: {input_type}!) {{ {field}(input: $input) {{ {wanted} userErrors {{ message }} }} }}"
        answer = self.call("/graphql", {"query": query, "variables": {"input": values}})
        if answer.get("errors") or answer["data"][field]["userErrors"]:
            raise SystemExit(f"{field}: {answer}")
        return answer["data"][field]

    def trained(self, template):
        """The path that asks a new Judge whose Checkpoint was trained on the template's examples, and the Judge."""
        judge = {"name": f"measure {template['id']}", "instructions": template["instructions"]}
        judge_id = self.graphql("createJudge", "CreateJudgeInput", "judge { id }", judge)["judge"]["id"]
        path = f"/api/v1/judges/{judge_id}"
        lines = "\n".join(json.dumps(example) for example in template["examples"])
        self.call(f"{path}/dataset", lines.encode(), "application/x-ndjson")
        checkpoint = self.call(f"{path}/checkpoints", {})
        while checkpoint["status"] in ("queued", "running"):
            time.sleep(0.5)
            checkpoint = self.call(f"/api/v1/checkpoints/{checkpoint['id']}")
        if checkpoint["status"] != "succeeded":
            raise SystemExit(f"{template['id']}: the Checkpoint {checkpoint['status']}")
        self.call(f"/api/v1/checkpoints/{checkpoint['id']}/activate", {})
        return f"{path}/inference", judge_id


def read(template_id):
    return [json.loads(line) for line in (EXAMPLES / f"{template_id}.jsonl").read_text().splitlines()]


def value(answer):
    """The most probable value."""
    if answer["type"] == "noul":
        return answer["noul"] >= 0.5
    if answer["type"] == "choice":
        return answer["choice"]
    return int(max(answer["probabilities"], key=answer["probabilities"].get))


def ask(gavel, path, instructions, rows):
    """For each row, the value of each question."""
    values = []
    for row in rows:
        answers = gavel.call(path, {"state": row["state"], **instructions})["answers"]
        values.append({key: value(answer) for key, answer in answers.items()})
    return values


def share(hits):
    hits = list(hits)
    return round(sum(hits) / len(hits), 4)


def accuracy(key, values, rows):
    return share(got[key] == row["truths"][key] for got, row in zip(values, rows, strict=True))


def figures(key, values, rows):
    truths = [row["truths"][key] for row in rows]
    found = {
        "accuracy": accuracy(key, values, rows),
        "of": "report",
        "n": len(rows),
        "baseline": round(Counter(truths).most_common(1)[0][1] / len(rows), 4),
    }
    if type(truths[0]) is int:
        found["withinOne"] = share(abs(got[key] - truth) <= 1 for got, truth in zip(values, truths, strict=True))
    return found


def measure(gavel, template):
    """`measured` of the template, from both halves."""
    rows = read(template["id"])
    instructions = {"instructions": template["instructions"]}
    halves = {part: [row for row in rows if row["part"] == part] for part in ("choose", "report")}
    values = {part: ask(gavel, "/api/v1/inference", instructions, half) for part, half in halves.items()}
    measured = {}
    for key in template["instructions"]:
        measured[key] = figures(key, values["report"], halves["report"])
        measured[key]["choose"] = accuracy(key, values["choose"], halves["choose"])
    if "examples" in template:
        path, judge_id = gavel.trained(template)
        trained = ask(gavel, path, {}, halves["report"])
        for key, figure in measured.items():
            figure["trained"] = accuracy(key, trained, halves["report"])
        gavel.graphql("archiveJudge", "ArchiveJudgeInput", "judge { id }", {"id": judge_id})
    return measured


def show_choose(gavel, template):
    rows = [row for row in read(template["id"]) if row["part"] == "choose"]
    values = ask(gavel, "/api/v1/inference", {"instructions": template["instructions"]}, rows)
    for key in template["instructions"]:
        print(template["id"], key, accuracy(key, values, rows))
        for got, row in zip(values, rows, strict=True):
            if got[key] != row["truths"][key]:
                print(f"    {row['truths'][key]}, not {got[key]}: {row['state']}")


def main():
    parser = argparse.ArgumentParser(description="Measures templates on written examples.")
    parser.add_argument("url")
    parser.add_argument("key")
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--choose", action="store_true", help="only the half `choose`; writes nothing")
    options = parser.parse_args()
    gavel = Gavel(options.url, options.key)
    for path in sorted(TEMPLATES.glob("*.json")):
        template = json.loads(path.read_text())
        if options.ids and template["id"] not in options.ids:
            continue
        if options.choose:
            show_choose(gavel, template)
            continue
        measured = measure(gavel, template)
        examples = {"examples": template.pop("examples")} if "examples" in template else {}
        template = {**template, "measured": measured, **examples}
        path.write_text(json.dumps(template, ensure_ascii=False, indent=2) + "\n")
        for key, figure in template["measured"].items():
            print(template["id"], key, figure)


if __name__ == "__main__":
    main()
