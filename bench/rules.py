"""Rules in plain language: how well they tell messages that break a rule from messages that do not, and what they cost.

Usage: bench/rules.py [choose|report]     (release build, or GAVEL=path; models from `make models`)

Reads training/text/yardstick/rules.jsonl: 30 rules, each with ten examples a side and two halves of ten messages. The
constants were chosen on `choose`; `report` is for figures. Each rule is asked by dry runs: without its examples, and
with some of them on each side. AUC: the probability that a message that breaks the rule scores higher than one that
does not; the mean over the rules. Also prints the CPU of a message without and with ten rules.
"""

import json
import os
import statistics
import sys
import tempfile
import time
import urllib.request

from stats import PORT, ask, gavel, served

RULES = os.path.join(os.path.dirname(__file__), "../training/text/yardstick/rules.jsonl")
SIZES = (0, 3, 5, 10)
MESSAGES = 50
DRY_RUN = """mutation($i: DryRunModerationPolicyInput!) { dryRunModerationPolicy(input: $i) {
    results { verdict { plainRules { probability broken } } } userErrors { field message } } }"""
CREATE = """mutation($i: CreateModerationPolicyInput!) { createModerationPolicy(input: $i) {
    moderationPolicy { id } userErrors { field message } } }"""


def plain_rule(row, size):
    examples = {side: texts[:size] for side, texts in row["examples"].items()}
    return {"text": row["rule"], "action": "warn", "examples": examples}


def asked(key, row, size, half):
    """Of each message: whether it breaks the rule, the probability, and whether the rule says so."""
    rules = {"plain_rules": [plain_rule(row, size)]}
    messages = [{"content": message["text"]} for message in row[half]]
    answer = ask(key, DRY_RUN, {"i": {"rules": rules, "messages": messages}})[0]["dryRunModerationPolicy"]
    assert not answer["userErrors"], answer
    found = [result["verdict"]["plainRules"][0] for result in answer["results"]]
    return [(message["broken"], one["probability"], one["broken"]) for message, one in zip(row[half], found)]


def auc(answers):
    breaking = [probability for broken, probability, _ in answers if broken]
    keeping = [probability for broken, probability, _ in answers if not broken]
    wins = sum((one > other) + (one == other) / 2 for one in breaking for other in keeping)
    return wins / len(breaking) / len(keeping)


def accuracy(rows, half, key):
    print("| examples a side | mean AUC | rules under .7 | accuracy at .5 |\n|---|---|---|---|")
    for size in SIZES:
        answers = [asked(key, row, size, half) for row in rows]
        areas = [auc(answer) for answer in answers]
        right = [broken == said for answer in answers for broken, _, said in answer]
        weak = sum(area < 0.7 for area in areas)
        print(f"| {size} | {statistics.mean(areas):.3f} | {weak} | {statistics.mean(right):.3f} |", flush=True)


def cpu_seconds(process):
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def moderate(key, content, mode, policy):
    body = json.dumps({"content": content, "mode": mode, "policy": policy}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}/api/v1/moderate/text", data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        json.load(answer)


def cost(rows, half, key, server):
    """Milliseconds of CPU for a message: without rules, with ten, and with ten that have ten examples a side."""
    policies = {"none": 0, "ten": 0, "ten with examples": 10}
    for name, size in policies.items():
        rules = [] if name == "none" else [plain_rule(row, size) for row in rows[:10]]
        made = ask(key, CREATE, {"i": {"name": name, "rules": {"plain_rules": rules}}})[0]["createModerationPolicy"]
        assert not made["userErrors"], made
    texts = [message["text"] for row in rows for message in row[half]][:MESSAGES]
    print("\n| mode | rules | CPU of a message, ms | ratio |\n|---|---|---|---|")
    for mode in ("hybrid", "native"):
        plain = None
        for name in policies:
            for text in texts[:5]:
                moderate(key, text, mode, name)
            before = cpu_seconds(server)
            for text in texts:
                moderate(key, text, mode, name)
            taken = (cpu_seconds(server) - before) / len(texts) * 1e3
            plain = plain or taken
            print(f"| {mode} | {name} | {taken:.1f} | {taken / plain:.1f} |", flush=True)


def main():
    half = sys.argv[1] if len(sys.argv) > 1 else "report"
    with open(RULES, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GAVEL_DATA_DIR": folder, "GAVEL_LISTEN": f"127.0.0.1:{PORT}", "GAVEL_LOG": "warn"}
        env.setdefault("GAVEL_MODELS_DIR", ".cache/models")
        account = gavel(
            env, "account", "create", "--email", f"bench-{time.time_ns()}@example.org", "--credits", "1000000"
        )
        key = gavel(env, "key", "create", "--account", account["account_id"], "--scopes", "moderate,manage")["api_key"]
        with served(env) as server:
            accuracy(rows, half, key)
            cost(rows, half, key, server)


if __name__ == "__main__":
    main()
