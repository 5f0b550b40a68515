"""Tables of what bench/decision.rs prints: medians of all rounds, and each count of questions against one."""

import json
import statistics
import sys

rows = [json.loads(line) for line in sys.stdin]
encoder = [row for row in rows if "batch" in row]
questions = [row for row in rows if "questions" in row]

print("| runtime | sequences x tokens | backbone, CPU ms | head, CPU ms | CPU ms a sequence |\n|---|---|---|---|---|")
for row in encoder:
    backbone, head = statistics.median(row["backbone_ms"]), statistics.median(row["head_ms"])
    print(
        f"| {row['runtime']} | {row['batch']} x {row['tokens']} | {backbone:.2f} | {head:.2f} | "
        f"{(backbone + head) / row['batch']:.2f} |"
    )

print(
    "\n| runtime | questions, 4 options, 64 tokens each | CPU ms | wall ms | CPU times one question | encoder's share |"
)
print("|---|---|---|---|---|---|")
for row in questions:
    cpu, wall = statistics.median(row["cpu_ms"]), statistics.median(row["wall_ms"])
    same = [other for other in questions if other["runtime"] == row["runtime"] and other["questions"] == 1]
    alone = [
        other
        for other in encoder
        if other["runtime"] == row["runtime"] and (other["batch"], other["tokens"]) == (1, 64)
    ]
    share = ""
    if row["questions"] == 1 and alone:
        share = f"{(statistics.median(alone[0]['backbone_ms']) + statistics.median(alone[0]['head_ms'])) / cpu:.0%}"
    ratio = cpu / statistics.median(same[0]["cpu_ms"])
    print(f"| {row['runtime']} | {row['questions']} | {cpu:.2f} | {wall:.2f} | {ratio:.1f} | {share} |")
