"""The bots of examples/ as child processes, between a scripted platform and the real Gavel."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from gavel_client import Gavel
from gavel_client.store import Store
from gavel_server import GavelServer
from scripted import ScriptedDiscord, ScriptedDiscourse, ScriptedMatrix, ScriptedPlatform, ScriptedTelegram

pytestmark = pytest.mark.anyio
PLATFORMS: list[type[ScriptedPlatform]] = [ScriptedDiscord, ScriptedTelegram, ScriptedMatrix, ScriptedDiscourse]
SCAM = "free nitro for everyone, claim it at dlscord-gift.com/nitro"
ENABLE = "mutation { setModerationLog(input: { enabled: true }) { moderationLog { id } userErrors { message } } }"
CREATE = """mutation($rules: JSON!) { createModerationPolicy(input: { name: "house", rules: $rules }) {
  userErrors { message } } }"""
RULES = {
    "block": [
        {"action": "warn", "phrases": ["rival guild"]},
        {"action": "timeout", "phrases": ["spoiler alert"]},
    ],
    "categories": {"scam": {"thresholds": {"ban": 0.5}}},
}


@pytest.fixture(params=PLATFORMS, ids=lambda kind: kind.__name__.removeprefix("Scripted").lower())
async def platform(request: pytest.FixtureRequest) -> AsyncIterator[ScriptedPlatform]:
    platform: ScriptedPlatform = request.param()
    await platform.start()
    yield platform
    await platform.stop()


@pytest.fixture
def settings(server: GavelServer, key: str, gavel: Gavel, tmp_path: Path) -> dict[str, str]:
    gavel.graphql(ENABLE)
    gavel.graphql(CREATE, {"rules": RULES})
    state = {"GAVEL_STATE": str(tmp_path / "state.sqlite"), "GAVEL_INTERVAL": "0.2"}
    return state | {"GAVEL_URL": server.url, "GAVEL_API_KEY": key, "GAVEL_POLICY": "house", "GAVEL_DRY_RUN": "0"}


def labels(gavel: Gavel) -> list[dict[str, str | bool]]:
    """What moderators said of the messages in the moderation log."""
    log = gavel.graphql("{ account { moderationLog { id } } }")["account"]["moderationLog"]["id"]
    return [sample["ground_truth"] for sample in gavel.dataset(log, labelled=True)]


async def test_a_bot_acts_as_the_policy_says(
    platform: ScriptedPlatform, settings: dict[str, str], gavel: Gavel, tmp_path: Path
) -> None:
    log = tmp_path / "bot.log"
    await platform.run_bot(settings, log)
    await platform.say("good morning, everyone")
    await platform.say(f"look what they send: {SCAM}", moderator=True)
    scam = await platform.say(SCAM)
    await platform.settled(lambda: len(platform.posts) == 1, log)
    [deleted] = platform.of("delete")
    assert deleted.subject == scam
    assert len(platform.of("ban")) == 1
    [(post, text)] = platform.posts.items()
    assert "ban: " in text and SCAM in text and "scam" in text

    spoiler = await platform.say("spoiler alert, he dies")
    await platform.settled(lambda: len(platform.posts) == 2, log)
    assert [call.subject for call in platform.of("delete")] == [scam, spoiler]
    assert len(platform.of("timeout")) == 1
    await platform.say("join the rival guild")
    await platform.settled(lambda: len(platform.posts) == 3, log)
    assert len(platform.of("delete")) == 3
    assert len(platform.of("ban")) == 1 and platform.of("say")

    # Moderators' reactions become feedback; others do not.
    await platform.react(post, "🦆")
    await platform.react(post, platform.right)
    await platform.react(list(platform.posts)[1], platform.harmless)
    await platform.settled(lambda: len(labels(gavel)) == 2, log)
    found = sorted(labels(gavel), key=lambda label: str(label["action"]))
    assert found[0] == {"action": "ban", "scam": True, "spam": True}
    assert found[1]["action"] == "none"
    assert set(found[1].values()) == {"none", False}


async def test_a_dry_run_only_says_what_it_would_do(
    platform: ScriptedPlatform, settings: dict[str, str], tmp_path: Path
) -> None:
    del settings["GAVEL_DRY_RUN"]
    await platform.run_bot(settings, tmp_path / "bot.log")
    await platform.say(SCAM)
    await platform.settled(lambda: len(platform.posts) == 1, tmp_path / "bot.log")
    assert next(iter(platform.posts.values())).removeprefix("```text\n").startswith("would ban: ")
    assert not platform.of("delete", "ban", "timeout", "say")


async def test_messages_pass_while_gavel_is_down_and_are_checked_later(
    platform: ScriptedPlatform, settings: dict[str, str], other_server: GavelServer, tmp_path: Path
) -> None:
    log = tmp_path / "bot.log"
    key = other_server.account(f"{platform.program}@example.com".replace("/", "."), scopes="moderate")
    del settings["GAVEL_POLICY"]
    settings |= {"GAVEL_URL": other_server.url, "GAVEL_API_KEY": key}
    other_server.stop()
    await platform.run_bot(settings, log)
    scam = await platform.say(SCAM)
    await platform.say("good morning, everyone")
    await platform.settled(lambda: log.read_text().count("passed unchecked") == 2, log)
    assert not platform.calls
    await asyncio.to_thread(other_server.start)
    await platform.settled(lambda: len(platform.posts) == 1, log)
    assert "(checked late)" in next(iter(platform.posts.values()))
    assert [call.subject for call in platform.of("delete")] == [scam]


@pytest.mark.parametrize("platform", [ScriptedTelegram], indirect=True)
async def test_without_rechecks_messages_pass_for_good(
    platform: ScriptedTelegram, settings: dict[str, str], other_server: GavelServer, tmp_path: Path
) -> None:
    log = tmp_path / "bot.log"
    key = other_server.account("pass@example.com", scopes="moderate")
    del settings["GAVEL_POLICY"]
    settings |= {"GAVEL_URL": other_server.url, "GAVEL_API_KEY": key, "GAVEL_RECHECK": "0"}
    other_server.stop()
    await platform.run_bot(settings, log)
    await platform.say(SCAM)
    await platform.settled(lambda: "passed unchecked" in log.read_text(), log)
    store = Store(settings["GAVEL_STATE"])
    assert not list(store.postponed())
    store.close()
    await asyncio.to_thread(other_server.start)
    second = await platform.say(SCAM)
    await platform.settled(lambda: len(platform.posts) == 1, log)
    assert [call.subject for call in platform.of("delete")] == [second]


@pytest.mark.parametrize("platform", [ScriptedDiscord], indirect=True)
async def test_an_edit_is_checked_and_strangers_reactions_do_not_count(
    platform: ScriptedDiscord, settings: dict[str, str], gavel: Gavel, tmp_path: Path
) -> None:
    await platform.run_bot(settings, tmp_path / "bot.log")
    message = await platform.say("good morning, everyone")
    await platform.edit(message, SCAM)
    await platform.settled(lambda: len(platform.posts) == 1, tmp_path / "bot.log")
    assert platform.of("delete")[0].subject == message
    post = next(iter(platform.posts))
    await platform.react(post, platform.harmless, by="3")
    await platform.react(post, platform.right)
    await platform.settled(lambda: bool(platform.of("seen")), tmp_path / "bot.log")
    assert labels(gavel) == [{"action": "ban", "scam": True, "spam": True}]


@pytest.mark.parametrize("platform", [ScriptedDiscourse], indirect=True)
async def test_a_forged_webhook_is_refused(
    platform: ScriptedDiscourse, settings: dict[str, str], tmp_path: Path
) -> None:
    await platform.run_bot(settings, tmp_path / "bot.log")
    post = platform.written(20, SCAM, moderator=False)
    assert await platform.hook(post, secret="wrong") == 403
    assert not platform.calls
