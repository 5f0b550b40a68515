"""Tables of hybrid text moderation: what bench/hybrid.rs prints on stdin, then fifty messages against a running server,
in one request and in fifty, one after another. Usage: hybrid.py URL KEY ROUNDS"""

import http.client
import json
import statistics
import sys
import time

url, key, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
print("| runtime | language | mode | messages of 32 tokens | CPU ms | wall ms |\n|---|---|---|---|---|---|")
for row in map(json.loads, sys.stdin):
    cpu, wall = statistics.median(row["cpu_ms"]), statistics.median(row["wall_ms"])
    runtime = "rten" if row["runtime"] == "off" else "ONNX Runtime"
    print(f"| {runtime} | {row['language']} | {row['mode']} | {row['messages']} | {cpu:.2f} | {wall:.2f} |")

connection = http.client.HTTPConnection(url)
headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
# With a number behind it, 32 tokens.
message = "hey staff here please log in on the page i sent you" + " now" * 17


def post(path, body):
    connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status == 200, text


def timed(work):
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1e3


def singles():
    for n in range(50):
        post("/api/v1/moderate/text", {"content": f"{message} {n}"})


def batch():
    post("/api/v1/moderate/text/batch", {"messages": [{"content": f"{message} {n}"} for n in range(50)]})


batch(), singles()
alone, together = [], []
for _ in range(rounds):
    alone.append(timed(singles))
    together.append(timed(batch))
one, many = statistics.median(alone), statistics.median(together)
print(
    f"\nOver HTTP, 50 messages: one after another {one:.0f} ms, in one batch {many:.0f} ms, {one / many:.1f} times as "
    "fast"
)
