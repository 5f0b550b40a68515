"""What the bots share: settings, memory, and thresholds that follow the moderators."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from gavel_client import AsyncGavel, Forbidden, Gavel, Retries
from gavel_client.community import Community, Message, Settings
from gavel_client.models import RecommendedAction
from gavel_client.store import Store
from gavel_client.thresholds import moved_rules
from gavel_server import GavelServer

ENABLE = "mutation { setModerationLog(input: { enabled: true }) { userErrors { message } } }"
CREATE = """mutation($rules: JSON!) { createModerationPolicy(input: { name: "house", rules: $rules }) {
  moderationPolicy { id } userErrors { message } } }"""
RULES = "query($id: ID!) { moderationPolicy(id: $id) { rules version } }"


class Recorder:
    """A platform that writes down what it is asked to do."""

    def __init__(self, refusal: Exception | None = None) -> None:
        self.refusal = refusal
        self.posts: list[str] = []
        self.acts: list[tuple[str, RecommendedAction]] = []

    async def act(self, message: Message, action: RecommendedAction) -> None:
        if self.refusal:
            raise self.refusal
        self.acts.append((message.place, action))

    async def post(self, text: str) -> str:
        self.posts.append(text)
        return str(len(self.posts))


def message(content: str, number: int = 0) -> Message:
    return Message(place=str(number), content=content, author=f"user{number}", channel=f"channel{number}")


def test_settings_come_from_the_environment() -> None:
    given = {"GAVEL_URL": "http://gavel", "GAVEL_DRY_RUN": "0", "GAVEL_INTERVAL": "2.5", "OTHER": "x"}
    settings = Settings.of_environment(given)
    assert (settings.url, settings.dry_run, settings.interval) == ("http://gavel", False, 2.5)
    assert Settings.of_environment({}).dry_run
    with pytest.raises(ValueError, match="GAVEL_DRY_RUN must be 0 or 1"):
        Settings.of_environment({"GAVEL_DRY_RUN": "no"})
    with pytest.raises(ValueError, match="GAVEL_INTERVAL must be a number"):
        Settings.of_environment({"GAVEL_INTERVAL": "often"})


def test_the_store_keeps_the_newest_over_a_restart(tmp_path: Path) -> None:
    file = str(tmp_path / "state.sqlite")
    store = Store(file, limit=3)
    for number in range(5):
        store.postpone({"number": number})
        store.remember(f"post{number}", {"number": number})
    store.close()
    store = Store(file, limit=3)
    waiting = list(store.postponed())
    assert [kept["number"] for _, kept in waiting] == [2, 3, 4]
    store.forget(waiting[0][0])
    assert [kept["number"] for _, kept in store.postponed()] == [3, 4]
    assert store.recall("post1") is None
    assert store.recall("post2") == {"number": 2}
    store.close()


def suggestion(probability: float, support: int = 20, count: int = 40) -> dict[str, Any]:
    return {"probability": probability, "support": support, "count": count}


def test_thresholds_move_in_steps_and_stay_in_order() -> None:
    rules = {"categories": {"hate": {"thresholds": {"review": 0.2, "warn": 0.5, "ban": 0.55}}}, "block": []}
    changed, moved = moved_rules(rules, {"hate": suggestion(0.9)})
    assert moved == {"hate": 0.6}
    assert changed["categories"]["hate"]["thresholds"] == {"review": 0.2, "warn": 0.6, "ban": 0.6}
    assert moved_rules(rules, {"hate": suggestion(0.45)})[1] == {"hate": 0.45}
    for too_few in (suggestion(0.9, support=9), suggestion(0.9, support=35)):
        assert moved_rules(rules, {"hate": too_few}) == (rules, {})


@pytest.mark.anyio
async def test_feedback_moves_the_threshold_of_the_policy(
    server: GavelServer, key: str, gavel: Gavel, tmp_path: Path
) -> None:
    gavel.graphql(ENABLE)
    rules = {"categories": {"scam": {"thresholds": {"ban": 0.3}}}}
    policy = gavel.graphql(CREATE, {"rules": rules})["createModerationPolicy"]["moderationPolicy"]["id"]
    settings = Settings(url=server.url, api_key=key, policy="house", state=str(tmp_path / "state"))
    platform = Recorder()
    community = Community(settings, platform)
    # Messages that the model finds suspicious: those with a link are scams, the others are about them.
    for number in range(12):
        scam = f"free nitro for everyone, claim it at dlscord-gift{number}.com/nitro"
        banter = f"lol free nitro for everyone {number}, claim it, who falls for that"
        for harmful, content in ((True, scam), (False, banter)):
            verdict = await community.settle(message(content, number))
            gavel.give_feedback(id=verdict.id, categories={"scam": harmful})
    moved = await community.learn()
    after = gavel.graphql(RULES, {"id": policy})["moderationPolicy"]
    assert after["version"] == 2
    assert moved == {"scam": after["rules"]["categories"]["scam"]["thresholds"]["ban"]}
    assert moved["scam"] == pytest.approx(0.4)
    assert platform.posts[-1] == "moved thresholds of house: {'scam': 0.4}"
    await community.aclose()


@pytest.mark.anyio
async def test_an_unknown_policy_and_a_missing_scope_are_said(server: GavelServer, key: str, tmp_path: Path) -> None:
    settings = Settings(url=server.url, api_key=key, policy="none of ours", state=str(tmp_path / "state"))
    community = Community(settings, Recorder())
    with pytest.raises(ValueError, match="there is no moderation policy `none of ours`"):
        await community.learn()
    assert await community.check(message("hello")) is None
    await community.aclose()
    narrow = server.account("narrow@example.com", scopes="moderate")
    async with AsyncGavel(server.url, narrow) as gavel:
        other = Community(settings, Recorder(), gavel=gavel)
        with pytest.raises(Forbidden, match="this API key needs the scope"):
            await other.learn()
        await other.aclose()


@pytest.mark.anyio
async def test_a_message_that_always_fails_does_not_keep_the_others(tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if json.loads(request.content)["content"] == "poison":
            return httpx.Response(500, json={"error": "a bug", "code": "INTERNAL_ERROR", "request_id": "req_1"})
        explanation = {"categories": {"spam": 0.1}, "signals": []}
        verdict = {"id": "mod_1", "action": "none", "threat_score": 0.0, "explanation": explanation}
        return httpx.Response(200, json=verdict)

    transport = httpx.MockTransport(answer)
    gavel = AsyncGavel("http://gavel.example.com", retries=Retries(count=0), transport=transport)
    community = Community(Settings(state=str(tmp_path / "state")), Recorder(), gavel=gavel)
    for content in ("poison", "hello", "good morning"):
        community.store.postpone(dataclasses.asdict(message(content)))
    assert [await community.recheck() for _ in range(3)] == [0, 2, 0]
    assert [kept["content"] for _, kept in community.store.postponed()] == ["poison"]
    await community.aclose()


@pytest.mark.anyio
async def test_a_refusal_of_the_platform_is_in_the_log_post(server: GavelServer, key: str, tmp_path: Path) -> None:
    settings = Settings(url=server.url, api_key=key, dry_run=False, state=str(tmp_path / "state"))
    platform = Recorder(refusal=PermissionError("the bot may not ban"))
    community = Community(settings, platform)
    await community.check(message("free nitro for everyone, claim it at dlscord-gift.com/nitro"))
    assert "(failed: the bot may not ban)" in platform.posts[0]
    await community.aclose()
