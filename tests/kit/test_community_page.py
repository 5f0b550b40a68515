"""Follows docs/community.md from start to end: its commands in one shell, its clicks on a scripted Discord."""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from gavel_client import Gavel
from gavel_server import BINARY, ROOT, free_port
from scripted import ScriptedDiscord
from scripted.discord import LOG

pytestmark = pytest.mark.anyio
SCAM = "free nitro for everyone, claim it at dlscord-gift.com/nitro"


def steps() -> dict[str, str]:
    """The commands of each numbered section, by its number."""
    page = (ROOT / "docs/community.md").read_text()
    sections = re.split(r"^## (\d)\..*$", page, flags=re.MULTILINE)[1:]
    commands = {
        number: "\n".join(re.findall(r"^```sh\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL))
        for number, text in zip(sections[::2], sections[1::2], strict=True)
    }
    assert list(commands) == [str(number) for number in range(1, 8)]
    return commands


class Shell:
    """A bash in a folder, to which commands are given one after the other."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment

    async def start(self) -> None:
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(
            "bash", "-euo", "pipefail", cwd=self.folder, env=self.environment, stdin=pipe, stdout=pipe,
            stderr=asyncio.subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    async def run(self, commands: str) -> str:
        """What the commands print. A command that fails ends the shell, which is an error."""
        assert self.process.stdin and self.process.stdout
        (self.folder / "step.sh").write_text(commands)
        self.process.stdin.write(b". ./step.sh </dev/null\necho; echo @done\n")
        output = ""
        while True:
            line = (await asyncio.wait_for(self.process.stdout.readline(), 120)).decode()
            assert line, f"the shell ended after:\n{commands}\n{output}"
            if line == "@done\n":
                return output
            output += line

    async def stop(self) -> None:
        """With all that it started in the background."""
        try:
            os.killpg(self.process.pid, 15)
        except ProcessLookupError:
            return
        await self.process.wait()


@pytest.fixture
async def discord() -> AsyncIterator[ScriptedDiscord]:
    discord = ScriptedDiscord()
    await discord.start()
    yield discord
    await discord.stop()


@pytest.fixture
async def shell(discord: ScriptedDiscord, tmp_path: Path) -> AsyncIterator[Shell]:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/gavel").symlink_to(Path(BINARY).absolute())
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    shutil.copytree(ROOT / "clients/python", tmp_path / "clients/python", ignore=shutil.ignore_patterns("__pycache__"))
    # Libraries are those that are installed already; the client itself must be installed by the page.
    libraries = [path for path in os.environ["PYTHONPATH"].split(os.pathsep) if not Path(path, "gavel_client").exists()]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GAVEL_")}
    environment |= {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(libraries),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "GAVEL_LISTEN": f"127.0.0.1:{free_port()}",
        "GAVEL_MODELS_DIR": os.environ.get("GAVEL_MODELS_DIR", str(ROOT / ".cache/models")),
        "DISCORD_API_URL": discord.environment()["DISCORD_API_URL"],
        "DISCORD_GATEWAY_URL": discord.environment()["DISCORD_GATEWAY_URL"],
    }
    shell = Shell(tmp_path, environment | {"GAVEL_URL": f"http://{environment['GAVEL_LISTEN']}"})
    await shell.start()
    yield shell
    await shell.stop()


async def test_the_page_leads_to_a_bot_that_acts(shell: Shell, discord: ScriptedDiscord, tmp_path: Path) -> None:
    commands = {
        number: text.replace("http://127.0.0.1:8080", shell.environment["GAVEL_URL"])
        .replace("DISCORD_TOKEN=your-token", "DISCORD_TOKEN=token")
        .replace("DISCORD_LOG_CHANNEL=123456789012345678", f"DISCORD_LOG_CHANNEL={LOG}")
        for number, text in steps().items()
    }
    log = tmp_path / "bot.log"
    for number in ("1", "2", "3"):
        await shell.run(commands[number])
    assert (await shell.run(commands["4"])).split() == ["warn"]
    await shell.run(commands["5"])
    await shell.run(commands["6"])
    await discord.settled(discord.ready.is_set, log)

    await discord.say(SCAM)
    await discord.settled(lambda: len(discord.posts) == 1, log)
    [(post, text)] = discord.posts.items()
    assert text.startswith("would ban: 3 in general\n") and text.endswith("🔨 should ban")
    assert not discord.of("delete", "ban", "timeout", "say")
    await discord.react(post, "✅")
    await discord.settled(lambda: bool(discord.of("seen")), log)

    discord.ready.clear()
    await shell.run(commands["7"])
    await discord.settled(discord.ready.is_set, log)
    scam = await discord.say(SCAM)
    await discord.settled(lambda: len(discord.posts) == 2, log)
    assert [call.subject for call in discord.of("delete")] == [scam]
    assert [call.subject for call in discord.of("ban")] == ["3"]

    # A false alarm is corrected by one click.
    await discord.say("who will join the rival guild for the friendly match")
    await discord.settled(lambda: len(discord.posts) == 3, log)
    assert discord.of("say")
    await discord.react(list(discord.posts)[-1], "❌")
    await discord.settled(lambda: len(discord.of("seen")) == 2, log)
    key = (await shell.run("echo $GAVEL_API_KEY")).strip()
    with Gavel(shell.environment["GAVEL_URL"], key) as gavel:
        insights = "{ account { moderationLog { id } moderationInsights(days: 1) { falseAlarms { count of } } } }"
        account = gavel.graphql(insights)["account"]
        labels = [
            sample["ground_truth"]["action"] for sample in gavel.dataset(account["moderationLog"]["id"], labelled=True)
        ]
    assert sorted(labels) == ["ban", "none"]
    assert account["moderationInsights"]["falseAlarms"] == {"count": 1, "of": 2}
