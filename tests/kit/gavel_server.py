"""The real Gavel as a child process, on SQLite in a folder of its own."""

import json
import os
import random
import socket
import subprocess
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
BINARY = os.environ.get("GAVEL_TEST_BINARY", str(TARGET / "debug/gavel"))


def free_port() -> int:
    """Below the ports that the system gives to connections: those could take it before its server does."""
    while True:
        port = random.randint(20_000, 32_000)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class GavelServer:
    """Runs until `stop`; `start` starts it again on the same port with the same data."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "gavel.log"
        settings = {
            "GAVEL_LISTEN": f"127.0.0.1:{self.port}",
            "GAVEL_DATA_DIR": str(folder),
            "GAVEL_WEBHOOK_ALLOW": "127.0.0.1",
            "GAVEL_MODELS_DIR": os.environ.get("GAVEL_MODELS_DIR", str(ROOT / ".cache/models")),
        }
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("GAVEL_")}
        self.environment |= settings
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([BINARY, "serve"], env=self.environment, stdout=log, stderr=log)
        for _ in range(1200):
            try:
                if httpx.get(f"{self.url}/readyz").is_success:
                    return
            except httpx.TransportError:
                pass
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.05)
        raise AssertionError(f"Gavel does not become ready: {self.log.read_text()}")

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(20)
            self.process = None

    def command(self, *arguments: str) -> dict[str, str]:
        output = subprocess.run([BINARY, *arguments, "--json"], env=self.environment, check=True, capture_output=True)
        answer: dict[str, str] = json.loads(output.stdout)
        return answer

    def account(self, email: str, credits: float = 1000, scopes: str = "moderate,infer,read,manage") -> str:
        """A new account; returns an API key of it."""
        self.command("account", "create", "--email", email, "--credits", str(credits))
        made = self.command("key", "create", "--account", email, "--name", "test", "--scopes", scopes)
        return made["api_key"]
