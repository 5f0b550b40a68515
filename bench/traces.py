"""What exporting traces costs: charged native moderations over HTTP, 64 connections, without traces, with every request
traced, and with one in a hundred. The collector counts bytes and answers at once.

Usage: bench/traces.py [ROUNDS [SECONDS]]     (release build, or GAVEL=path; needs wrk)

Prints a table for bench/README.md. The CPU is that of the server alone; the median of the rounds.
"""

import http.server
import os
import statistics
import subprocess
import sys
import tempfile
import threading

from rules import cpu_seconds
from stats import PORT, gavel, served

COLLECTOR = 18098
WAYS = {
    "no traces": {},
    "every request": {"OTEL_TRACES_SAMPLER": "always_on"},
    "one request in 100": {"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01"},
}
POST = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("KEY")
wrk.body = '{"mode":"native","content":"anyone up for a round tonight? the new map is out and we still need two more"}'
done = function(summary, latency)
    local errors = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
    io.write(string.format("RESULT %d %d\\n", summary.requests, errors))
end
"""


class Collector(http.server.BaseHTTPRequestHandler):
    received = 0

    def do_POST(self):
        size = int(self.headers["Content-Length"])
        Collector.received += len(self.rfile.read(size))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def load(script, key, seconds):
    """Requests and errors."""
    url = f"http://127.0.0.1:{PORT}/api/v1/moderate/text"
    command = ["wrk", "-t1", "-c64", f"-d{seconds}s", "-s", script, url]
    printed = subprocess.run(command, env=os.environ | {"KEY": key}, check=True, capture_output=True, text=True).stdout
    requests, errors = printed.rpartition("RESULT ")[2].split()
    return int(requests), int(errors)


def measure(env, key, script, seconds):
    """Requests a second and CPU of a request in milliseconds."""
    with served(env) as server:
        load(script, key, 2)
        before = cpu_seconds(server)
        requests, errors = load(script, key, seconds)
        assert not errors, f"{errors} of {requests} requests failed"
        return requests / seconds, (cpu_seconds(server) - before) / requests * 1e3


def main():
    rounds, seconds = (int(argument) for argument in (sys.argv[1:] + ["3", "10"][len(sys.argv) - 1 :]))
    collector = http.server.ThreadingHTTPServer(("127.0.0.1", COLLECTOR), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    results = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "post.lua")
        with open(script, "w", encoding="ascii") as file:
            file.write(POST)
        env = os.environ | {"GAVEL_DATA_DIR": folder, "GAVEL_LISTEN": f"127.0.0.1:{PORT}", "GAVEL_LOG": "error"}
        made = gavel(env, "account", "create", "--email", "bench@example.org", "--credits", "100000000")
        account = made["account_id"]
        key = gavel(env, "key", "create", "--account", account, "--scopes", "moderate")["api_key"]
        for _ in range(rounds):
            for way, settings in WAYS.items():
                traced = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{COLLECTOR}"} if settings else {}
                results[way].append(measure(env | traced | settings, key, script, seconds))
    print("| traces | requests a second | CPU ms of a request | more |\n|---|---|---|---|")
    plain = statistics.median(cpu for _, cpu in results["no traces"])
    for way, measured in results.items():
        rate = statistics.median(rate for rate, _ in measured)
        cpu = statistics.median(cpu for _, cpu in measured)
        print(f"| {way} | {rate:.0f} | {cpu:.3f} | {(cpu / plain - 1) * 100:+.1f} % |")
    print(f"\n{Collector.received / 1e6:.0f} MB reached the collector.")


if __name__ == "__main__":
    main()
