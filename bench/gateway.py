"""Requests a second that Gavel, LiteLLM's proxy and Portkey's gateway pass on to an LLM's server that answers at once,
with their processor time for each request and their memory.

Usage: bench/gateway.py GAVEL LITELLM PORTKEY SECONDS ROUNDS     (bench/gateway.sh sees to all of them)

The server is nginx with one worker, whose answer never changes. It shares the first core with wrk; the proxy under test
has the second to itself. Each proxy is started anew in every round, warmed up, and measured at 64 connections. Before
that, its answer is checked; after that, the server must have been asked at least once for each answer. An error makes
the exit status 1, a missed figure does not.
"""

import contextlib
import dataclasses
import json
import math
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

UPSTREAM_CORE, PROXY_CORE = "0", "1"
CONNECTIONS, WARM_UP_S, START_S = 64, 4, 120
TICK = os.sysconf("SC_CLK_TCK")
STATE = "My kettle arrived on Monday and has not worked once since: the light goes on, but the water stays cold."
LETTERS = {"A": 0.7, "B": 0.2, "The": 0.1}
# What an answer must contain: the model and a probability that only the upstream knows.
MODEL = "instant-1.0"
LOGPROB = math.log(LETTERS["A"])
NOUL = LETTERS["A"] / (LETTERS["A"] + LETTERS["B"])
LUA = """
wrk.method = "POST"
wrk.body = os.getenv("BODY")
done = function(summary, latency)
    local errors = summary.errors
    io.write(string.format("RESULT %d %.6f %.1f %.1f %d\\n", summary.requests, summary.duration / 1e6,
        latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
"""
NGINX = """
daemon off;
worker_processes 1;
pid FOLDER/pid;
events { worker_connections 1024; }
http {
    access_log off;
    keepalive_timeout 600;
    keepalive_requests 1000000000;
    client_body_temp_path FOLDER/body; proxy_temp_path FOLDER/proxy; fastcgi_temp_path FOLDER/fastcgi;
    uwsgi_temp_path FOLDER/uwsgi; scgi_temp_path FOLDER/scgi;
    default_type application/json;
    server {
        listen 127.0.0.1:PORT backlog=1024;
        location = /v1/chat/completions { return 200 'COMPLETION'; }
        location = /v1/models { return 200 'MODELS'; }
        location = /status { stub_status; }
    }
}
"""
CHAT = {
    "model": "instant",
    "messages": [{"role": "user", "content": f"{STATE}\n\nIs it broken? A) yes B) no. Reply with the letter."}],
    "logprobs": True,
    "top_logprobs": 5,
    "max_tokens": 1,
    "temperature": 0,
}
QUESTION = {
    "state": STATE,
    "instructions": {"ok": {"type": "noul", "instructions": "Is it broken?"}},
    "model": "llm",
}


@dataclasses.dataclass
class Proxy:
    """What is measured: how it is started, and how it is asked."""

    name: str
    command: list
    env: dict
    url: str
    headers: dict
    body: dict


@dataclasses.dataclass
class Measured:
    """One round: `cpu` is in seconds, `mb` the sum of its processes' peaks."""

    requests: int
    seconds: float
    p50: str
    p99: str
    errors: int
    cpu: float = math.nan
    mb: float = math.nan

    @property
    def rate(self):
        return self.requests / self.seconds

    @property
    def cpu_ms(self):
        return self.cpu * 1e3 / self.requests if self.requests else math.inf


def completion():
    tops = [{"token": token, "bytes": list(token.encode()), "logprob": math.log(p)} for token, p in LETTERS.items()]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": "A"},
        "finish_reason": "stop",
        "logprobs": {"content": [{**tops[0], "top_logprobs": tops}]},
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [choice],
        "usage": {"prompt_tokens": 40, "completion_tokens": 1, "total_tokens": 41},
    }


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def running(command, core, log, env=None):
    """A process on one core, until the block ends."""
    with log.open("wb") as file:
        process = subprocess.Popen(["taskset", "-c", core, *command], env=env, stdout=file, stderr=file)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def upstream(folder):
    """The command of nginx, and its base URL."""
    port = free_port()
    models = {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 1, "owned_by": "bench"}]}
    config = NGINX.replace("FOLDER", str(folder)).replace("PORT", str(port))
    config = config.replace("COMPLETION", json.dumps(completion())).replace("MODELS", json.dumps(models))
    (folder / "nginx.conf").write_text(config, "utf-8")
    return ["nginx", "-e", "stderr", "-c", str(folder / "nginx.conf")], f"http://127.0.0.1:{port}"


def gavel(binary, folder, base):
    """Gavel on SQLite, which charges an account for each request."""
    port = free_port()
    env = {
        **os.environ,
        "GAVEL_LISTEN": f"127.0.0.1:{port}",
        "GAVEL_DATA_DIR": str(folder / "gavel"),
        "GAVEL_BACKENDS__LLM__KIND": "openai_chat",
        "GAVEL_BACKENDS__LLM__URL": base,
        # One request to the server for each question, as the others send.
        "GAVEL_BACKENDS__LLM__ROTATIONS": "1",
        # One account has three quarters of it.
        "GAVEL_BACKENDS__LLM__CONCURRENCY": str(2 * CONNECTIONS),
        # The longest; the others wait for minutes.
        "GAVEL_BACKENDS__LLM__TIMEOUT_S": "25",
    }
    account = [binary, "account", "create", "--email", "bench@example.test", "--credits", "100000000", "--json"]
    key = json.loads(subprocess.check_output(account, env=env))["api_key"]
    headers = {"Authorization": f"Bearer {key}"}
    return Proxy("gavel", [binary, "serve"], env, f"http://127.0.0.1:{port}/api/v1/inference", headers, QUESTION)


def litellm(venv, folder, base):
    """LiteLLM's proxy as its documentation recommends for production: one worker for its one core, a master key, logs
    of errors only. It has no database, so it charges nobody."""
    port = free_port()
    model = {"model": "openai/instant", "api_base": f"{base}/v1", "api_key": "none"}
    config = {
        "model_list": [{"model_name": "instant", "litellm_params": model}],
        "general_settings": {"master_key": "sk-bench"},
        "litellm_settings": {"set_verbose": False},
    }
    # JSON is YAML.
    (folder / "litellm.yaml").write_text(json.dumps(config), "utf-8")
    command = [f"{venv}/bin/litellm", "--config", str(folder / "litellm.yaml"), "--num_workers", "1"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    env = {**os.environ, "LITELLM_LOG": "ERROR", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    headers = {"Authorization": "Bearer sk-bench"}
    return Proxy("litellm", command, env, f"http://127.0.0.1:{port}/v1/chat/completions", headers, CHAT)


def portkey(folder, base):
    port = free_port()
    command = ["node", f"{folder}/node_modules/@portkey-ai/gateway/build/start-server.js", "--headless"]
    headers = {
        "Authorization": "Bearer none",
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": f"{base}/v1",
    }
    env = {**os.environ, "NODE_ENV": "production"}
    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    return Proxy("portkey", [*command, f"--port={port}"], env, url, headers, CHAT)


def ask(proxy):
    headers = {"Content-Type": "application/json", **proxy.headers}
    request = urllib.request.Request(proxy.url, json.dumps(proxy.body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def check(proxy, answer):
    """Fails unless the answer has what the upstream said."""
    if proxy.body is QUESTION:
        right = answer["model"] == MODEL and abs(answer["answers"]["ok"]["noul"] - NOUL) < 1e-3
    else:
        token = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"][0]
        right = token["token"] == "A" and abs(token["logprob"] - LOGPROB) < 1e-9
    if not right:
        sys.exit(f"{proxy.name} does not answer what the upstream said: {answer}")


def wait_for(proxy, process, log):
    """Asks until there is an answer, and checks it."""
    end = time.monotonic() + START_S
    while True:
        try:
            return check(proxy, ask(proxy))
        except OSError as error:
            said = error.read().decode() if isinstance(error, urllib.error.HTTPError) else error
        if process.poll() is not None or time.monotonic() > end:
            sys.exit(f"{proxy.name} does not answer: {said}\n{log.read_text('utf-8')[-4000:]}")
        time.sleep(0.1)


def asked(base):
    """The requests that the upstream has had so far."""
    with urllib.request.urlopen(f"{base}/status", timeout=5) as answer:
        return int(answer.read().split()[9])


def tree(pid):
    """A process and its descendants."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()
    return [pid, *(each for child in children for each in tree(int(child)))]


def cpu(pid):
    """Processor seconds of a process and its descendants."""
    stats = (pathlib.Path(f"/proc/{each}/stat").read_text("utf-8").rsplit(")", 1)[1].split() for each in tree(pid))
    return sum(int(fields[11]) + int(fields[12]) for fields in stats) / TICK


def peak_mb(pid):
    statuses = (pathlib.Path(f"/proc/{each}/status").read_text("utf-8") for each in tree(pid))
    return sum(int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) for status in statuses) / 1024


def load(proxy, folder, seconds):
    (folder / "post.lua").write_text(LUA, "utf-8")
    command = ["taskset", "-c", UPSTREAM_CORE, "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "30s"]
    command += ["-s", str(folder / "post.lua")]
    for name, value in {"Content-Type": "application/json", **proxy.headers}.items():
        command += ["-H", f"{name}: {value}"]
    env = {**os.environ, "BODY": json.dumps(proxy.body)}
    said = subprocess.run([*command, proxy.url], env=env, check=True, capture_output=True, text=True).stdout
    requests, duration, p50, p99, errors = re.search(r"^RESULT (.*)$", said, re.MULTILINE).group(1).split()
    return Measured(int(requests), float(duration), p50, p99, int(errors))


def measure(proxy, folder, base, seconds):
    """Starts the proxy and measures it."""
    log = folder / f"{proxy.name}.log"
    with running(proxy.command, PROXY_CORE, log, proxy.env) as process:
        wait_for(proxy, process, log)
        load(proxy, folder, WARM_UP_S)
        asked_before = asked(base)
        before = cpu(process.pid)
        measured = load(proxy, folder, seconds)
        measured.cpu = cpu(process.pid) - before
        measured.mb = peak_mb(process.pid)
        if asked(base) - asked_before < measured.requests - measured.errors:
            sys.exit(f"{proxy.name} answered {measured.requests} requests and passed on fewer")
        return measured


def row(name, round_, measured):
    alone = name == "upstream alone"
    cells = [name, round_, f"{measured.rate:.0f}", measured.p50, measured.p99]
    cells += ["", ""] if alone else [f"{measured.cpu_ms:.3f}", f"{measured.mb:.0f}"]
    print(f"| {' | '.join(map(str, [*cells, measured.errors]))} |", flush=True)


def summary(found):
    """The figures that are wanted, by round and of the medians."""
    rates = {name: [measured.rate for measured in rounds] for name, rounds in found.items()}
    print("\n| | wanted | by round | of the medians |\n|---|---|---|---|")
    for peer, wanted in (("litellm", 20), ("portkey", 4)):
        ratios = [ours / theirs for ours, theirs in zip(rates["gavel"], rates[peer])]
        of_medians = statistics.median(rates["gavel"]) / statistics.median(rates[peer])
        by_round = ", ".join(f"{ratio:.1f}" for ratio in ratios)
        print(f"| requests/s of gavel, times those of {peer} | {wanted} or more | {by_round} | {of_medians:.1f} |")
    times = [measured.cpu_ms for measured in found["gavel"]]
    by_round = ", ".join(f"{ms:.3f}" for ms in times)
    print(f"| CPU ms of gavel a request | 1 or less | {by_round} | {statistics.median(times):.3f} |")
    peaks = [measured.mb for measured in found["gavel"]]
    by_round = ", ".join(f"{mb:.0f}" for mb in peaks)
    print(f"| peak RSS MB of gavel | under 150 | {by_round} | {statistics.median(peaks):.0f} |")


def main():
    binary, venv, node, seconds, rounds = sys.argv[1:]
    found = {}
    print("| server | round | requests/s | p50 ms | p99 ms | CPU ms a request | peak RSS MB | errors |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        nginx, base = upstream(folder)
        with running(nginx, UPSTREAM_CORE, folder / "nginx.log") as server:
            alone = Proxy("upstream alone", [], {}, f"{base}/v1/chat/completions", {}, CHAT)
            wait_for(alone, server, folder / "nginx.log")
            proxies = [gavel(binary, folder, base), litellm(venv, folder, base), portkey(node, base)]
            for round_ in range(1, int(rounds) + 1):
                measured = load(alone, folder, seconds)
                found.setdefault(alone.name, []).append(measured)
                row(alone.name, round_, measured)
                for proxy in proxies:
                    measured = measure(proxy, folder, base, seconds)
                    found.setdefault(proxy.name, []).append(measured)
                    row(proxy.name, round_, measured)
    if any(measured.errors or not measured.requests for each in found.values() for measured in each):
        sys.exit("there were errors, or a server that answered nothing")
    summary(found)


if __name__ == "__main__":
    main()
