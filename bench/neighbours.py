"""One account beside the load of another, on SQLite, and on PostgreSQL if there is one: messages beside large stored
states and beside bodies that trickle, with the server's memory; and a small training beside a long evaluation.

Usage: bench/neighbours.py     (release build, or GAVEL=path; models from `make models`; with GAVEL_TEST_POSTGRES_URL
set and psql there, PostgreSQL as well)

The states go to a backend that is scripted here and answers at once, so that only storing them takes time.
"""

import concurrent.futures
import contextlib
import dataclasses
import http.server
import json
import os
import random
import socket
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

from stats import PORT, ask, gavel, on_each_database, served

from training import BASE, post

ALONE_S, LOAD_S, PAUSE_S = 10, 30, 0.05
STATES_AT_ONCE, STATE_BYTES = 16, 250_000
BODIES, BODY_BYTES = 2_048, 256 << 10
EVALUATED, EVALUATED_WORDS, QUESTIONS, TRAINED = 60, 3_500, 8, 24
WORDS = ["the", "parcel", "order", "invoice", "late", "broken", "never", "arrived", "please", "refund", "monday"]
MESSAGE = {"content": "anyone up for a round tonight? the new map is out and we still need two more", "mode": "native"}
YES = {"answers": {"late": {"type": "noul", "noul": 0.5}}, "model": "scripted"}


@dataclasses.dataclass
class Neighbours:
    """Two accounts at a server: the name of its database, its process, and their keys."""

    database: str
    server: subprocess.Popen
    victim: str
    attacker: str


class Scripted(http.server.BaseHTTPRequestHandler):
    """A System One server whose answer never changes."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({**YES, "usage": {"input_tokens": 1, "output_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def send(path, key, body):
    """The answer to a JSON body."""
    return post(path, key, json.dumps(body).encode())


def messages(key, goes_on):
    """The seconds of each message, one after the other, and the number that were refused."""
    taken, refused = [], 0
    while goes_on():
        begun = time.monotonic()
        try:
            send("/api/v1/moderate/text", key, MESSAGE)
            taken.append(time.monotonic() - begun)
        except (OSError, urllib.error.HTTPError):
            refused += 1
        time.sleep(PAUSE_S)
    return taken, refused


def for_seconds(seconds):
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end


def memory_mb(server):
    """The server's resident memory: now, and its peak."""
    with open(f"/proc/{server.pid}/status") as file:
        found = dict(line.split(":", 1) for line in file)
    return [int(found[name].split()[0]) // 1024 for name in ("VmRSS", "VmHWM")]


def account(env, name, credits):
    made = gavel(env, "account", "create", "--email", f"{name}@example.org", "--credits", str(credits))["account_id"]
    return gavel(env, "key", "create", "--account", made, "--scopes", "moderate,infer,manage,read")["api_key"]


def judge(key, questions, **settings):
    query = "mutation($i: CreateJudgeInput!) { createJudge(input: $i) { judge { id } userErrors { message } } }"
    given = {"name": "bench", "instructions": questions, "storeContent": True, **settings}
    return ask(key, query, {"i": given})[0]["createJudge"]["judge"]["id"]


def print_beside(neighbours, what, load):
    """Prints how the victim's messages fare alone, and while `load` runs."""
    alone, _ = messages(neighbours.victim, for_seconds(ALONE_S))
    # From here on the peak is that of the load.
    with open(f"/proc/{neighbours.server.pid}/clear_refs", "w") as file:
        file.write("5")
    done = threading.Event()

    def run():
        load()
        done.set()

    threading.Thread(target=run, daemon=True).start()
    beside, refused = messages(neighbours.victim, lambda: not done.is_set())
    now, peak = memory_mb(neighbours.server)
    cells = [f"{cut * 1e3:.1f}" for taken in (alone, beside) for cut in p50_p99(taken)]
    print(
        f"| {neighbours.database} | {what} | {' | '.join(cells)} | {len(beside)} | {refused} | {now} | {peak} |",
        flush=True,
    )


def p50_p99(taken):
    cuts = statistics.quantiles(taken, n=100)
    return cuts[49], cuts[98]


def store_states(key):
    """Inferences of a Judge with large states, which are stored, for LOAD_S; returns how many were answered."""
    to = f"/api/v1/judges/{judge(key, {'late': {'type': 'noul', 'instructions': 'Is it late?'}})}/inference"
    goes_on, dice = for_seconds(LOAD_S), random.Random(1)
    states = [f"{n} " + "".join(dice.choices("abcdefghij ", k=STATE_BYTES)) for n in range(64)]

    def keep_asking(first):
        answered = 0
        while goes_on():
            with contextlib.suppress(OSError, urllib.error.HTTPError):
                send(to, key, {"state": f"{first}.{answered} {states[(first + answered) % 64]}", "model": "scripted"})
                answered += 1
        return answered

    with concurrent.futures.ThreadPoolExecutor(STATES_AT_ONCE) as pool:
        answered = sum(pool.map(keep_asking, range(STATES_AT_ONCE)))
    print(f"{answered} states of {STATE_BYTES} bytes were stored", flush=True)


def trickle(key):
    """Bodies of which a byte arrives now and then, for LOAD_S: half without a key, half with that of an account."""
    goes_on, bodies = for_seconds(LOAD_S), []
    for n in range(BODIES):
        path, auth = ("/graphql", "") if n % 2 else ("/api/v1/moderate/text", f"x-api-key: {key}\r\n")
        head = f"POST {path} HTTP/1.1\r\nHost: gavel\r\n{auth}Content-Type: application/json\r\n"
        body = socket.create_connection(("127.0.0.1", PORT))
        body.sendall(f"{head}Content-Length: {BODY_BYTES}\r\n\r\n".encode() + b" " * (BODY_BYTES // 2))
        bodies.append(body)
    while goes_on():
        time.sleep(1)
        for body in bodies:
            with contextlib.suppress(OSError):
                body.send(b" ")
    for body in bodies:
        body.close()


def load_models(key):
    """Has every model of texts and questions loaded, with states of every length."""
    for text in ("You are a fool, go away", "Ты дурак, уходи отсюда", "Eres un tonto, vete de aquí"):
        send("/api/v1/moderate/text", key, {"content": text, "mode": "hybrid"})
        for times in (1, 30, 300):
            instructions = {f"q{n}": ["billing", "technical"] for n in range(QUESTIONS)}
            send("/api/v1/inference", key, {"state": f"{text}. " * times, "instructions": instructions})


def print_lane(neighbours):
    """Prints how long a small training of one account takes alone, and beside a long evaluation of another."""
    one, other = neighbours.victim, neighbours.attacker
    dice = random.Random(1)
    questions = {f"q{n}": ["billing", "technical", "shipping"] for n in range(QUESTIONS)}
    long = judge(other, questions)
    truth = dict.fromkeys(questions, "billing")
    states = (" ".join(dice.choices(WORDS, k=EVALUATED_WORDS)) for _ in range(EVALUATED))
    lines = [json.dumps({"state": state, "ground_truth": truth}) for state in states]
    post(f"/api/v1/judges/{long}/dataset", other, "\n".join(lines).encode(), "application/jsonl")
    alone = train(one, dice)
    run = send(f"/api/v1/judges/{long}/evaluations", other, {"max_credits": 1_000})["id"]
    time.sleep(5)
    beside = train(one, dice)
    state = ask(other, "query($id: ID!) { evaluation(id: $id) { state done samples } }", {"id": run})[0]["evaluation"]
    cells = [f"{seconds:.1f}" for seconds in (*alone, *beside)]
    print(f"| {neighbours.database} | {' | '.join(cells)} | {state['done']} of {state['samples']} |", flush=True)


def train(key, dice):
    """The seconds until a small training starts, and until it has ended."""
    small = judge(key, {"late": {"type": "noul", "instructions": "Is it late?"}})
    lines = [
        json.dumps({"state": " ".join(dice.choices(WORDS, k=12)) + f" {n}", "ground_truth": {"late": n % 2 == 0}})
        for n in range(TRAINED)
    ]
    post(f"/api/v1/judges/{small}/dataset", key, "\n".join(lines).encode(), "application/jsonl")
    checkpoint, begun, started = send(f"/api/v1/judges/{small}/checkpoints", key, {})["id"], time.monotonic(), None
    while True:
        time.sleep(0.1)
        asked = urllib.request.Request(f"{BASE}/api/v1/checkpoints/{checkpoint}")
        asked.add_header("Authorization", f"Bearer {key}")
        with urllib.request.urlopen(asked, timeout=60) as answer:
            found = json.load(answer)
        if started is None and found.get("started_at"):
            started = time.monotonic() - begun
        if found["status"] in ("succeeded", "failed", "cancelled"):
            return started or float("nan"), time.monotonic() - begun


def on_a_database(measure):
    """Calls `measure` with the neighbours at a server of its own."""

    def run(name, url):
        with tempfile.TemporaryDirectory() as folder:
            backend = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
            threading.Thread(target=backend.serve_forever, daemon=True).start()
            env = {**os.environ, "GAVEL_DATA_DIR": folder, "GAVEL_LISTEN": f"127.0.0.1:{PORT}", "GAVEL_LOG": "error"}
            env.setdefault("GAVEL_MODELS_DIR", ".cache/models")
            env |= {
                "GAVEL_BACKENDS__SCRIPTED__KIND": "system_one",
                "GAVEL_BACKENDS__SCRIPTED__URL": f"http://127.0.0.1:{backend.server_port}",
                "GAVEL_RATE_LIMIT_PER_MINUTE": "0",
                "GAVEL_CONNECTIONS_PER_NETWORK": str(2 * BODIES),
            }
            if url:
                env["GAVEL_DATABASE_URL"] = url
            victim, attacker = account(env, "victim", 100_000), account(env, "attacker", 100_000)
            with served(env) as server:
                measure(Neighbours(name, server, victim, attacker))

    on_each_database(run)


def beside_states(neighbours):
    print_beside(neighbours, "large states", lambda: store_states(neighbours.attacker))


def beside_trickle(neighbours):
    load_models(neighbours.victim)
    before, _ = memory_mb(neighbours.server)
    print_beside(neighbours, f"trickling bodies; {before} MB before", lambda: trickle(neighbours.attacker))


def main():
    print("| database | beside | alone p50 ms | p99 | beside p50 | p99 | answered | refused | MB after | peak |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    on_a_database(beside_states)
    on_a_database(beside_trickle)
    print("\n| database | alone: starts, s | ends | beside an evaluation: starts | ends | evaluated by then |")
    print("|---|---|---|---|---|---|")
    on_a_database(print_lane)


if __name__ == "__main__":
    main()
