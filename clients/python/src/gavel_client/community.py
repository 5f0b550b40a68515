"""The part of a moderation bot that is the same on every platform: it asks Gavel about messages, keeps for later
those that Gavel could not see, writes to the moderators' log, and turns reactions into feedback and thresholds."""

import asyncio
import dataclasses
import itertools
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

from . import thresholds
from .asynchronous import AsyncGavel
from .errors import (
    ApiError,
    ConnectionFailed,
    GavelError,
    InsufficientCredits,
    NotFound,
    RateLimited,
    ServerFailed,
    Unauthorized,
)
from .models import RecommendedAction, TextModerationRequest
from .retries import Retries
from .store import Store

LOG = logging.getLogger("gavel.community")
# What a moderator's reaction to a log post says: the verdict was right (None), or which action would have been.
REACTIONS: dict[str, RecommendedAction | None] = {"✅": None, "❌": "none", "⚠": "warn", "⏳": "timeout", "🔨": "ban"}
WORDS = {None: "right", "none": "harmless", "warn": "should warn", "timeout": "should time out", "ban": "should ban"}
# Failures that pass: the message is checked when Gavel answers again.
PASSING = (ConnectionFailed, ServerFailed, RateLimited, InsufficientCredits, Unauthorized)


@dataclass(frozen=True)
class Settings:
    """How a bot behaves; `of_environment` reads them from variables of the same names with `GAVEL_` before them."""

    url: str = "http://127.0.0.1:8080"
    api_key: str = ""
    # The moderation policy by name; without one, the API key's.
    policy: str = ""
    # Only the log says what would be done.
    dry_run: bool = True
    # Messages that Gavel could not see are checked later; otherwise they pass for good.
    recheck: bool = True
    # Moves the thresholds of the policy once an hour; needs a key with the scope `manage`.
    learn: bool = False
    # The share of harmless messages that may be acted upon, from which thresholds follow.
    false_alarms: float = 0.02
    # The SQLite file that survives a restart.
    state: str = "gavel-bot.sqlite"
    # Seconds between two looks at the postponed messages.
    interval: float = 15.0

    @classmethod
    def of_environment(cls, variables: Mapping[str, str] | None = None) -> "Settings":
        given = os.environ if variables is None else variables
        values: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            text = given.get(f"GAVEL_{field.name.upper()}")
            if text is not None:
                values[field.name] = parse(f"GAVEL_{field.name.upper()}", text, field.type)
        return cls(**values)


def parse(name: str, text: str, kind: Any) -> str | bool | float:
    if kind is bool and text not in {"0", "1"}:
        raise ValueError(f"{name} must be 0 or 1")
    if kind is bool:
        return text == "1"
    try:
        return float(text) if kind is float else text
    except ValueError:
        raise ValueError(f"{name} must be a number") from None


@dataclass(frozen=True)
class Message:
    """A message as the platform has it. `place` is whatever the platform needs to find it again."""

    place: str
    content: str
    author: str
    channel: str
    account_age_days: int | None = None
    mentions_count: int | None = None
    has_attachments: bool | None = None


@dataclass(frozen=True)
class Verdict:
    """What Gavel said of a message."""

    id: str
    action: RecommendedAction
    threat_score: float
    # The probability of each harm.
    categories: dict[str, float]
    # What counted, the heaviest first.
    signals: list[str]

    @property
    def harms(self) -> list[str]:
        """The harms that are more probable than not, the most probable first."""
        found = [name for name, probability in self.categories.items() if probability > 0.5]
        return sorted(found, key=lambda name: -self.categories[name])


class Platform(Protocol):
    """What differs between platforms."""

    async def act(self, message: Message, action: RecommendedAction) -> None:
        """Removes the message, and warns, silences or bans its author."""

    async def post(self, text: str) -> str:
        """Writes to the moderators' log; returns the post's id, which their reactions will name."""


class Community:
    """Moderates one community on one platform. `reactions` are for platforms that do not have the usual ones."""

    def __init__(
        self,
        settings: Settings,
        platform: Platform,
        *,
        reactions: Mapping[str, RecommendedAction | None] = REACTIONS,
        gavel: AsyncGavel | None = None,
    ) -> None:
        self.settings = settings
        self.platform = platform
        self.reactions = reactions
        retries = Retries(count=1, patience=2.0)
        self.gavel = gavel or AsyncGavel(settings.url, settings.api_key, retries=retries, timeout=10.0)
        self.store = Store(settings.state)

    async def aclose(self) -> None:
        await self.gavel.aclose()
        self.store.close()

    async def check(self, message: Message) -> Verdict | None:
        """Moderates a message. If Gavel is down it passes, and is kept for later; then the result is None."""
        try:
            return await self.settle(message)
        except PASSING as error:
            if self.settings.recheck:
                self.store.postpone(dataclasses.asdict(message))
            LOG.warning("message passed unchecked", extra={"place": message.place, "error": str(error)})
        except ApiError as error:
            LOG.error("message was refused", extra={"place": message.place, "error": str(error)})
        return None

    async def settle(self, message: Message, late: bool = False) -> Verdict:
        verdict = await self.ask(message)
        if verdict.action != "none":
            failure = "" if self.settings.dry_run else await self.act(message, verdict.action)
            remark = f"{' (checked late)' if late else ''}{failure}"
            post = await self.platform.post(self.describe(message, verdict, remark))
            self.store.remember(post, dataclasses.asdict(verdict))
        return verdict

    async def act(self, message: Message, action: RecommendedAction) -> str:
        """Acts on a message, and returns what moderators should know if the platform refuses."""
        try:
            await self.platform.act(message, action)
        except Exception as error:
            LOG.exception("the platform refused an action")
            return f" (failed: {error})"
        return ""

    async def ask(self, message: Message) -> Verdict:
        request: dict[str, Any] = {
            name: value for name, value in dataclasses.asdict(message).items() if value is not None
        }
        request |= {"content": message.content[:10_000], "explain": True}
        request |= {"policy": self.settings.policy} if self.settings.policy else {}
        del request["place"]
        answer = await self.gavel.moderate_text(**cast(TextModerationRequest, request))
        explanation = answer["explanation"]
        categories = cast("dict[str, float]", explanation["categories"])
        signals = [signal["name"] for signal in explanation["signals"][:3]]
        return Verdict(answer["id"], answer["action"], answer["threat_score"], categories, signals)

    def describe(self, message: Message, verdict: Verdict, remark: str) -> str:
        """The log post. Quotes at most 300 characters, on one line."""
        quote = " ".join(message.content.split())[:300]
        reasons = [f"{harm} {verdict.categories[harm]:.2f}" for harm in verdict.harms] + verdict.signals
        verb = f"would {verdict.action}" if self.settings.dry_run else verdict.action
        return "\n".join(
            [
                f"{verb}: {message.author} in {message.channel}{remark}",
                f"> {quote}",
                ", ".join([*reasons, f"threat {verdict.threat_score:.2f}", verdict.id]),
                ", ".join(f"{emoji} {WORDS[action]}" for emoji, action in self.reactions.items()),
            ]
        )

    async def react(self, post: str, emoji: str) -> bool:
        """A moderator's reaction to a log post. Returns whether it was feedback. The last reaction counts."""
        emoji = emoji.rstrip("\ufe0f")
        known = self.store.recall(post)
        if known is None or emoji not in self.reactions:
            return False
        verdict = Verdict(**known)
        action = self.reactions[emoji] or verdict.action
        # A harmless message has none of the harms. A harmful one has those that the post named; of others nothing is
        # known.
        harmful = action != "none"
        categories: dict[str, bool | None] = dict.fromkeys(verdict.harms if harmful else verdict.categories, harmful)
        try:
            await self.gavel.give_feedback(id=verdict.id, action=action, categories=categories, overwrite=True)
        except NotFound:
            LOG.warning("the moderation log does not have the verdict; is it on?", extra={"verdict": verdict.id})
            return False
        except GavelError as error:
            LOG.error("feedback was lost", extra={"verdict": verdict.id, "error": str(error)})
            return False
        return True

    async def recheck(self) -> int:
        """Checks the postponed messages, oldest first, until Gavel fails again. Returns how many were checked. A
        message on which Gavel fails goes to the end: it must not keep the others from being checked."""
        checked = 0
        for number, message in self.store.postponed():
            try:
                await self.settle(Message(**message), late=True)
            except ServerFailed:
                self.store.forget(number)
                self.store.postpone(message)
                break
            except PASSING:
                break
            except ApiError as error:
                LOG.error("message was refused", extra={"place": message["place"], "error": str(error)})
            self.store.forget(number)
            checked += 1
        return checked

    async def work(self) -> None:
        """Looks after postponed messages, and after thresholds once an hour, until it is cancelled."""
        rounds = max(1, round(3600 / self.settings.interval))
        for number in itertools.count(1):
            await asyncio.sleep(self.settings.interval)
            try:
                await self.recheck()
                if self.settings.learn and number % rounds == 0:
                    await self.learn()
            except Exception:
                LOG.exception("background work failed")

    async def learn(self) -> dict[str, float]:
        """Moves the policy's thresholds, and says so in the log."""
        moved = await thresholds.learn(self.gavel, self.settings.policy, self.settings.false_alarms)
        if moved:
            await self.platform.post(f"moved thresholds of {self.settings.policy}: {moved}")
        return moved
