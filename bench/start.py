"""Cold start to first answer: from the start of the process to the first verdict, and the memory it holds then.

Usage: bench/start.py [ROUNDS]     (needs target/release/gavel; standard library only)

Each round drops nothing from the page cache: what is measured is the program's own start, migrations of an empty SQLite
database included in the first figure and not in the second. It asserts nothing.
"""

import http.client
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
GAVEL = ROOT / "target/release/gavel"
BODY = json.dumps({"content": "hello there, anyone up for a round tonight?"})


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def first_answer(port: int, key_file: pathlib.Path) -> None:
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            key = json.loads(key_file.read_text())["api_key"]
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
            connection.request("POST", "/api/v1/moderate/text", BODY, headers)
            if connection.getresponse().status == 200:
                return
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(0.002)


def round_trip(data: str) -> tuple[float, float]:
    port = free_port()
    env = os.environ | {"GAVEL_LISTEN": f"127.0.0.1:{port}", "GAVEL_DATA_DIR": data}
    start = time.perf_counter()
    command = [GAVEL, "serve", "--demo", "--empty"]
    server = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    first_answer(port, pathlib.Path(data) / "demo.json")
    took = (time.perf_counter() - start) * 1e3
    status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
    rss = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
    server.terminate()
    server.wait()
    return took, rss


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    empty, existing = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as data:
            empty.append(round_trip(data))
            existing.append(round_trip(data))
    print("| start | min ms | median ms | max ms | RSS MB at first answer |\n|---|---|---|---|---|")
    for name, runs in (("on an empty data directory", empty), ("on an existing one", existing)):
        times = sorted(took for took, _ in runs)
        rss = statistics.median(rss for _, rss in runs)
        print(f"| {name} | {times[0]:.0f} | {statistics.median(times):.0f} | {times[-1]:.0f} | {rss:.0f} |")


if __name__ == "__main__":
    main()
