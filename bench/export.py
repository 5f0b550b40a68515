"""A dataset of 100,000 samples in and out: how long it takes, what memory the server needs, and whether pyarrow and
DuckDB read what the JSON Lines say. While files come in, another client moderates one message after the other, and its
longest wait is told: on SQLite an import has the only writer.

Run by bench/export.sh. GAVEL_BINARY names another binary than the release build.
"""

import contextlib
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import duckdb
import pyarrow.parquet

BINARY = os.environ.get("GAVEL_BINARY") or os.path.join(
    os.environ.get("CARGO_TARGET_DIR", "target"), "release", "gavel"
)
PORT = 18094
FILES, LINES = 5, 20_000
WORDS = [
    "order",
    "parcel",
    "refund",
    "late",
    "broken",
    "thanks",
    "please",
    "where",
    "money",
    "twice",
    "week",
    "card",
    "email",
    "again",
    "support",
    "box",
    "door",
]
TEAMS = ["billing", "shipping", "technical", "other"]
INSTRUCTIONS = {"team": TEAMS, "angry": "Is the writer angry?"}


def gavel(env, *arguments):
    return json.loads(subprocess.run([BINARY, "--json", *arguments], env=env, check=True, capture_output=True).stdout)


def call(key, method, path, body=None, kind="application/json"):
    connection = http.client.HTTPConnection("127.0.0.1", PORT)
    connection.request(method, path, body, {"Authorization": f"Bearer {key}", "Content-Type": kind})
    answer = connection.getresponse()
    data = answer.read()
    assert answer.status == 200, data[:500]
    return data


def judge(key):
    query = "mutation($i: CreateJudgeInput!) { createJudge(input: $i) { judge { id } userErrors { message } } }"
    body = {"query": query, "variables": {"i": {"name": "bench", "instructions": INSTRUCTIONS}}}
    return json.loads(call(key, "POST", "/graphql", json.dumps(body)))["data"]["createJudge"]["judge"]["id"]


def sample(chance, number):
    text = " ".join(chance.choice(WORDS) for _ in range(chance.randint(10, 40)))
    weights = [chance.random() for _ in TEAMS]
    probabilities = {team: weight / sum(weights) for team, weight in zip(TEAMS, weights)}
    top = max(probabilities, key=probabilities.get)
    line = {
        "state": f"{text} #{number}",
        "answers": {
            "team": {"type": "choice", "choice": top, "confidence": 0.5, "probabilities": probabilities},
            "angry": {"type": "noul", "noul": chance.random()},
        },
        "model": "bench@1",
    }
    if number % 3 == 0:
        line["ground_truth"] = {"team": chance.choice(TEAMS), "angry": number % 2 == 0}
    return json.dumps(line)


def memory(pid, field):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024


def fill(key, paying, judges):
    """Imports the files; seconds of each, and the longest wait of somebody who is charged meanwhile."""
    chance, ended, waits, taken = random.Random(7), threading.Event(), [], []
    files = ["\n".join(sample(chance, LINES * file + n) for n in range(LINES)) for file in range(FILES)]

    def pay():
        while not ended.is_set():
            start = time.perf_counter()
            try:
                call(paying, "POST", "/api/v1/moderate/text", json.dumps({"content": "hello there"}))
            except AssertionError:
                start = float("-inf")
            waits.append(time.perf_counter() - start)

    payer = threading.Thread(target=pay)
    payer.start()
    for file in files:
        start = time.perf_counter()
        answer = json.loads(call(key, "POST", f"/api/v1/judges/{judges}/dataset", file, "application/x-ndjson"))
        taken.append(time.perf_counter() - start)
        assert answer["imported"] == LINES, answer
    ended.set()
    payer.join()
    return max(taken), max(waits), len(files[0])


def download(key, judges, form, file):
    connection = http.client.HTTPConnection("127.0.0.1", PORT)
    start = time.perf_counter()
    connection.request(
        "GET", f"/api/v1/judges/{judges}/dataset?format={form}", headers={"Authorization": f"Bearer {key}"}
    )
    answer = connection.getresponse()
    assert answer.status == 200
    with open(file, "wb") as out:
        while piece := answer.read(1 << 16):
            out.write(piece)
    return time.perf_counter() - start


def same(folder):
    """Reads all files, each with the tool for it, and holds them against the JSON Lines."""
    with open(f"{folder}/x.jsonl") as file:
        lines = [json.loads(line) for line in file]
    rows = pyarrow.parquet.read_table(f"{folder}/x.parquet").to_pylist()
    assert len(rows) == len(lines) == FILES * LINES, (len(rows), len(lines))
    text = lambda truth: truth if isinstance(truth, str) else json.dumps(truth)
    for row, line in zip(rows, lines):
        for name in ("id", "content_hash", "model", "source", "judge_version", "latency_ms", "credits", "request_id"):
            assert row[name] == line[name], (name, row, line)
        assert json.loads(row["state"]) == line["state"]
        assert row["created_at"].isoformat(timespec="microseconds").replace("+00:00", "Z") == line["created_at"]
        assert {one["key"]: json.loads(one["answer"]) for one in row["answers"]} == line["answers"]
        truths = {one["key"]: one["ground_truth"] for one in row["answers"] if one["ground_truth"] is not None}
        assert truths == {key: text(truth) for key, truth in line["ground_truth"].items()}
        team = next(one for one in row["answers"] if one["key"] == "team")
        assert dict(team["probabilities"]) == line["answers"]["team"]["probabilities"]
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    parquet, csv, jsonl = (f"{folder}/x.{form}" for form in ("parquet", "csv", "jsonl"))
    counted = "SELECT count(*), count(DISTINCT content_hash), sum(length(state))"
    by_parquet = database.execute(
        "SELECT count(*), count(DISTINCT content_hash), sum(length(state ->> '$')) FROM read_parquet(?)", [parquet]
    ).fetchone()
    by_csv = database.execute(f"{counted} FROM read_csv(?, all_varchar = true)", [csv]).fetchone()
    by_jsonl = database.execute(f"{counted} FROM read_json(?, format = 'newline_delimited')", [jsonl]).fetchone()
    assert by_parquet == by_csv == by_jsonl, (by_parquet, by_csv, by_jsonl)
    teams = "count(*) FILTER (truth = 'billing'), count(truth), count(*) FILTER (said = 'billing'), round(sum(p), 6)"
    of_parquet = (
        f"SELECT {teams} FROM (SELECT a.ground_truth AS truth, a.value AS said, a.probabilities['billing'] AS p "
        "FROM (SELECT unnest(answers) AS a FROM read_parquet(?)) WHERE a.key = 'team')"
    )
    of_jsonl = (
        f"SELECT {teams} FROM (SELECT j ->> '$.ground_truth.team' AS truth, j ->> '$.answers.team.choice' AS said, "
        "CAST(j -> '$.answers.team.probabilities.billing' AS DOUBLE) AS p FROM read_json_objects(?) AS t(j))"
    )
    found = [database.execute(query, [file]).fetchone() for query, file in ((of_parquet, parquet), (of_jsonl, jsonl))]
    assert found[0] == found[1], found
    of_csv = 'SELECT count(*) FILTER ("ground_truth.team" = \'billing\'), count("ground_truth.team") FROM read_csv(?)'
    assert database.execute(of_csv, [csv]).fetchone() == found[0][:2]


def measure(name, url):
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GAVEL_DATA_DIR": folder, "GAVEL_LISTEN": f"127.0.0.1:{PORT}", "GAVEL_LOG": "warn"}
        # Without the models, whose memory would hide what an export takes.
        env["GAVEL_MODELS_DIR"] = f"{folder}/none"
        if url:
            env["GAVEL_DATABASE_URL"] = url
        account = gavel(
            env, "account", "create", "--email", f"bench-{time.time_ns()}@example.org", "--credits", "1000000"
        )
        key = gavel(env, "key", "create", "--account", account["account_id"], "--scopes", "manage")["api_key"]
        with serving(env):
            judges = judge(key)
        with serving(env) as server:
            idle = memory(server.pid, "VmRSS")
            taken, wait, size = fill(key, account["api_key"], judges)
            peak = memory(server.pid, "VmHWM")
            row(name, f"import, jsonl, {LINES:,} lines", size, taken, (peak, idle), f"{wait:.2f}")
        for form in ("parquet", "csv", "jsonl"):
            # A new process for each, so that its peak is its own.
            with serving(env) as server:
                idle, file = memory(server.pid, "VmRSS"), f"{folder}/x.{form}"
                seconds = statistics.median(download(key, judges, form, file) for _ in range(3))
                row(name, f"export, {form}", os.path.getsize(file), seconds, (memory(server.pid, "VmHWM"), idle), "")
        same(folder)


@contextlib.contextmanager
def serving(env):
    with subprocess.Popen([BINARY, "serve"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(200):
                try:
                    call("", "GET", "/livez")
                    break
                except OSError:
                    time.sleep(0.05)
            yield server
        finally:
            server.terminate()


def row(name, what, size, seconds, memory, wait):
    peak, idle = memory
    print(f"| {name} | {what} | {size / 1e6:.1f} | {seconds:.2f} | {idle:.0f} | {peak:.0f} | {wait} |", flush=True)


def main():
    print(
        f"{FILES * LINES:,} samples; what pyarrow {pyarrow.__version__} and DuckDB {duckdb.__version__} read is what "
        "the JSON Lines say\n"
    )
    print(
        "| database | | file MB | seconds | idle RSS MB | peak RSS MB | longest wait of a charge, s "
        "|\n|---|---|---|---|---|---|---|"
    )
    measure("SQLite", None)
    if server := os.environ.get("GAVEL_TEST_POSTGRES_URL"):
        name = f"bench_export_{os.getpid()}"
        subprocess.run(["psql", "-qAt", server, "-c", f"CREATE DATABASE {name}"], check=True)
        try:
            measure("PostgreSQL", server.rsplit("/", 1)[0] + "/" + name)
        finally:
            subprocess.run(["psql", "-qAt", server, "-c", f"DROP DATABASE {name} WITH (FORCE)"], check=True)


if __name__ == "__main__":
    sys.exit(main())
