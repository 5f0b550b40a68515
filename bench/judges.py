"""What recording costs: the same inference through a Judge that records and through one that does not, in turns.

Usage: bench/judges.py [REQUESTS]     (release build; with GAVEL_TEST_POSTGRES_URL set, PostgreSQL as well as SQLite)
Prints a table for bench/README.md.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

BINARY = os.path.join(os.environ.get("CARGO_TARGET_DIR", "target"), "release", "gavel")
PORT = 18093
STATE = "I was charged twice for the same order last week, the second time without any confirmation. Please help!"
INSTRUCTIONS = {"team": ["billing", "shipping", "technical", "other"]}
BLOCK = 25


def gavel(env, *arguments):
    return json.loads(subprocess.run([BINARY, "--json", *arguments], env=env, check=True, capture_output=True).stdout)


def post(connection, key, path, body):
    connection.request(
        "POST", path, json.dumps(body), {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    )
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status == 200, text
    return json.loads(text)


def connect():
    connection = http.client.HTTPConnection("127.0.0.1", PORT)
    connection.connect()
    return connection


def judge(key, store):
    query = "mutation($i: CreateJudgeInput!) { createJudge(input: $i) { judge { id } userErrors { message } } }"
    made = {"name": "bench", "instructions": INSTRUCTIONS, "storeContent": store}
    answer = post(connect(), key, "/graphql", {"query": query, "variables": {"i": made}})
    return answer["data"]["createJudge"]["judge"]["id"]


def timed(key, judges, clients, requests):
    """Milliseconds of each request, by Judge; the Judges take turns, so that both meet the same machine."""
    taken = {name: [] for name in judges}

    def client():
        connection = connect()
        for block in range(requests // BLOCK):
            for name in sorted(judges, reverse=block % 2 == 1):
                for number in range(BLOCK):
                    start = time.perf_counter()
                    answer = post(
                        connection, key, f"/api/v1/judges/{judges[name]}/inference", {"state": f"{STATE} {number}"}
                    )
                    taken[name].append((time.perf_counter() - start) * 1e3)
                    assert answer["logged"] == (name == "recorded"), answer

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken


def measure(name, url, requests):
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GAVEL_DATA_DIR": folder, "GAVEL_LISTEN": f"127.0.0.1:{PORT}", "GAVEL_LOG": "warn"}
        env.setdefault("GAVEL_MODELS_DIR", ".cache/models")
        if url:
            env["GAVEL_DATABASE_URL"] = url
        account = gavel(
            env, "account", "create", "--email", f"bench-{time.time_ns()}@example.org", "--credits", "1000000"
        )
        key = gavel(env, "key", "create", "--account", account["account_id"], "--scopes", "infer,manage")["api_key"]
        with subprocess.Popen(
            [BINARY, "serve"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as server:
            try:
                wait()
                judges = {"plain": judge(key, False), "recorded": judge(key, True)}
                timed(key, judges, 1, BLOCK * 2)
                for clients in (1, 8):
                    taken = timed(key, judges, clients, requests // clients)
                    plain, recorded = (statistics.median(taken[kind]) for kind in ("plain", "recorded"))
                    print(f"| {name} | {clients} | {plain:.2f} | {recorded:.2f} | {recorded / plain:.2f} |", flush=True)
            finally:
                server.terminate()


def wait():
    for _ in range(200):
        try:
            connection = connect()
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit("the server does not come up")


def main():
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| database | clients | not recorded, median ms | recorded, median ms | ratio |\n|---|---|---|---|---|")
    measure("SQLite", None, requests)
    admin = os.environ.get("GAVEL_TEST_POSTGRES_URL")
    if admin:
        name = f"gavel_bench_{os.getpid()}"
        subprocess.run(["psql", "-qc", f"CREATE DATABASE {name}", admin], check=True)
        try:
            measure("PostgreSQL", admin.rsplit("/", 1)[0] + "/" + name, requests)
        finally:
            subprocess.run(["psql", "-qc", f"DROP DATABASE {name} WITH (FORCE)", admin], check=False)


main()
