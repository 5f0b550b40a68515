"""What all scripted platforms share: a web server, the bot as a child process, and the calls that it made."""

import asyncio
import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Call:
    """What a bot did: `delete` a message, `ban` or `timeout` an author, `say` something or `log` it."""

    kind: str
    subject: str
    text: str = ""


class ScriptedPlatform(ABC):
    """Member 3 writes, moderator 2 reacts."""

    program: str
    # The emoji for: the verdict was right, the message is harmless.
    right = "✅"
    harmless = "❌"

    def __init__(self) -> None:
        self.calls: list[Call] = []
        # Log posts by their id.
        self.posts: dict[str, str] = {}
        self.ready = asyncio.Event()
        self.app = web.Application()
        self.routes(self.app.router)
        self.process: asyncio.subprocess.Process | None = None

    @abstractmethod
    def routes(self, router: web.UrlDispatcher) -> None:
        """Registers the platform's API. A handler sets `ready` when the bot will get what is said."""

    @abstractmethod
    def environment(self) -> dict[str, str]:
        """The bot's settings."""

    @abstractmethod
    async def say(self, content: str, moderator: bool = False) -> str:
        """A message in the community; returns its id."""

    @abstractmethod
    async def react(self, post: str, emoji: str) -> None:
        """A moderator's reaction to a log post."""

    async def start(self) -> None:
        self.runner = web.AppRunner(self.app)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", 0)
        await site.start()
        self.port = self.runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}"

    async def run_bot(self, settings: dict[str, str], log: Path) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith("GAVEL_")}
        environment = own | self.environment() | settings
        with log.open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, str(ROOT / self.program), env=environment, stdout=output, stderr=output
            )
        await self.settled(self.ready.is_set, log)

    async def settled(self, condition: Callable[[], bool], log: Path | None = None, seconds: float = 60) -> None:
        """Waits until a condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            stopped = self.process is not None and self.process.returncode is not None
            output = log.read_text() if log and log.exists() else ""
            assert time.monotonic() < end and not stopped, f"{self.calls} {self.posts}\n{output}"
            await asyncio.sleep(0.02)

    async def stop(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.terminate()
            await self.process.wait()
        await self.runner.cleanup()

    def of(self, *kinds: str) -> list[Call]:
        return [call for call in self.calls if call.kind in kinds]

    def note(self, kind: str, subject: str, text: str = "") -> None:
        self.calls.append(Call(kind, subject, text))

    def logged(self, post: str, text: str) -> None:
        self.posts[post] = text
        self.note("log", post, text)
