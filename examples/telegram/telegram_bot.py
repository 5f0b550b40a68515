#!/usr/bin/env python3
"""Moderates Telegram groups with Gavel. The page docs/bot-telegram.md says how to set it up.

Needs gavel-client. Settings: TELEGRAM_TOKEN, TELEGRAM_LOG_CHAT (the id of the moderators' group),
TELEGRAM_TIMEOUT_MINUTES (10), and those of `gavel_client.community.Settings`, such as GAVEL_API_KEY and GAVEL_DRY_RUN.
"""

import asyncio
import contextlib
import logging
import os
import time
from typing import Any

import httpx
from gavel_client.community import Community, Message, Settings
from gavel_client.models import RecommendedAction

LOG = logging.getLogger("gavel.telegram")
WARNING = "A message was removed because it breaks the rules of this group."
# Telegram has only these reactions, and not the usual ones.
REACTIONS: dict[str, RecommendedAction | None] = {"👍": None, "👎": "none", "🤨": "warn", "😴": "timeout", "🔥": "ban"}
UPDATES = ["message", "edited_message", "message_reaction"]
MODERATORS = {"creator", "administrator"}


class TelegramFailed(Exception):
    """The Bot API refused a call."""


class Bot:
    """Checks what members of groups write and edit, except administrators."""

    def __init__(self, settings: Settings, api: httpx.AsyncClient, log_chat: int, timeout: float) -> None:
        self.community = Community(settings, self, reactions=REACTIONS)
        self.api = api
        self.log_chat = log_chat
        self.timeout = timeout

    async def call(self, method: str, **parameters: Any) -> Any:
        """Calls the Bot API; waits once when it says that there were too many calls."""
        for attempt in range(2):
            answer = (await self.api.post(method, json=parameters)).json()
            if answer["ok"]:
                return answer["result"]
            wait = answer.get("parameters", {}).get("retry_after")
            if wait is None or attempt:
                break
            await asyncio.sleep(wait)
        raise TelegramFailed(f"{method}: {answer['description']}")

    async def run(self) -> None:
        """Handles updates until it is cancelled, one after the other: so edits come after what they edit."""
        work = asyncio.create_task(self.community.work())
        offset = 0
        try:
            while True:
                try:
                    updates = await self.call("getUpdates", offset=offset, timeout=30, allowed_updates=UPDATES)
                except (httpx.HTTPError, TelegramFailed, ValueError):
                    LOG.exception("no updates")
                    await asyncio.sleep(3)
                    continue
                for update in updates:
                    offset = update["update_id"] + 1
                    try:
                        await self.handle(update)
                    except Exception:
                        LOG.exception("an update was not handled")
        finally:
            work.cancel()
            await self.community.aclose()

    async def handle(self, update: dict[str, Any]) -> None:
        if "message_reaction" in update:
            await self.reacted(update["message_reaction"])
            return
        message = update.get("message") or update.get("edited_message") or {}
        text = message.get("text") or message.get("caption") or ""
        sender = message.get("from") or {}
        if not text or sender.get("is_bot") or message["chat"]["type"] not in {"group", "supergroup"}:
            return
        if message["chat"]["id"] == self.log_chat or await self.is_moderator(message["chat"]["id"], sender["id"]):
            return
        entities = message.get("entities") or message.get("caption_entities") or []
        await self.community.check(
            Message(
                place=f"{message['chat']['id']}/{message['message_id']}/{sender['id']}",
                content=text,
                author=str(sender["id"]),
                channel=str(message["chat"].get("title") or message["chat"]["id"]),
                mentions_count=sum(entity["type"] in {"mention", "text_mention"} for entity in entities),
                has_attachments=any(kind in message for kind in ("photo", "video", "document", "animation")),
            )
        )

    async def is_moderator(self, chat: int, user: int) -> bool:
        member = await self.call("getChatMember", chat_id=chat, user_id=user)
        return member["status"] in MODERATORS

    async def reacted(self, reaction: dict[str, Any]) -> None:
        """Whoever is in the moderators' group is a moderator."""
        if reaction["chat"]["id"] != self.log_chat:
            return
        before = {emoji.get("emoji") for emoji in reaction["old_reaction"]}
        for emoji in reaction["new_reaction"]:
            if emoji.get("emoji") and emoji["emoji"] not in before:
                await self.community.react(str(reaction["message_id"]), emoji["emoji"])

    async def act(self, message: Message, action: RecommendedAction) -> None:
        chat, message_id, author = (int(part) for part in message.place.split("/"))
        with contextlib.suppress(TelegramFailed):  # It is gone already, or older than two days.
            await self.call("deleteMessage", chat_id=chat, message_id=message_id)
        if action == "ban":
            await self.call("banChatMember", chat_id=chat, user_id=author)
            return
        if action == "timeout":
            until = int(time.time() + self.timeout)
            silent = {"can_send_messages": False}
            await self.call("restrictChatMember", chat_id=chat, user_id=author, permissions=silent, until_date=until)
        await self.call("sendMessage", chat_id=chat, text=WARNING)

    async def post(self, text: str) -> str:
        sent = await self.call(
            "sendMessage", chat_id=self.log_chat, text=text, link_preview_options={"is_disabled": True}
        )
        return str(sent["message_id"])


async def main() -> None:
    logging.basicConfig(level=logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # Its lines have the token.
    server = os.environ.get("TELEGRAM_API_URL", "https://api.telegram.org")
    token = os.environ["TELEGRAM_TOKEN"]
    minutes = float(os.environ.get("TELEGRAM_TIMEOUT_MINUTES", "10"))
    async with httpx.AsyncClient(base_url=f"{server}/bot{token}/", timeout=40) as api:
        await Bot(Settings.of_environment(), api, int(os.environ["TELEGRAM_LOG_CHAT"]), minutes * 60).run()


if __name__ == "__main__":
    asyncio.run(main())
