#!/usr/bin/env python3
"""Moderates Matrix rooms with Gavel. The page docs/bot-matrix.md says how to set it up.

Needs gavel-client. Settings: MATRIX_URL (of the homeserver), MATRIX_TOKEN (the bot's access token), MATRIX_LOG_ROOM
(the id of the moderators' room), and those of `gavel_client.community.Settings`, such as GAVEL_API_KEY and
GAVEL_DRY_RUN. Encrypted messages cannot be read.
"""

import asyncio
import contextlib
import logging
import os
import uuid
from typing import Any
from urllib.parse import quote

import httpx
from gavel_client.community import Community, Message, Settings
from gavel_client.models import RecommendedAction

LOG = logging.getLogger("gavel.matrix")
REASON = "breaks the rules of this room"
TEXTS = {"m.text", "m.emote", "m.image", "m.video", "m.file"}


class MatrixFailed(Exception):
    """The homeserver refused a request."""


class Bot:
    """Checks what people write and edit in the rooms that the bot has joined, except those who may ban."""

    def __init__(self, settings: Settings, server: httpx.AsyncClient, log_room: str) -> None:
        self.community = Community(settings, self)
        self.server = server
        self.log_room = log_room
        self.own_id = ""

    async def call(self, method: str, *path: str, query: dict[str, Any] | None = None, body: Any = None) -> Any:
        """A request of the client-server API; waits once when it says that there were too many."""
        url = "/".join(quote(part, safe="") for part in path)
        for attempt in range(2):
            response = await self.server.request(method, url, params=query, json=body)
            if response.is_success:
                return response.json()
            if response.status_code != 429 or attempt:
                break
            await asyncio.sleep(response.json().get("retry_after_ms", 1000) / 1000)
        raise MatrixFailed(f"{response.status_code} {response.text[:200]}")

    async def run(self) -> None:
        """Handles events until it is cancelled, beginning with those that come after its start."""
        self.own_id = (await self.call("GET", "account", "whoami"))["user_id"]
        since = (await self.call("GET", "sync", query={"timeout": 0}))["next_batch"]
        work = asyncio.create_task(self.community.work())
        try:
            while True:
                try:
                    news = await self.call("GET", "sync", query={"timeout": 30_000, "since": since})
                except (httpx.HTTPError, MatrixFailed, ValueError):
                    LOG.exception("no events")
                    await asyncio.sleep(3)
                    continue
                since = news["next_batch"]
                for room, joined in news.get("rooms", {}).get("join", {}).items():
                    for event in joined.get("timeline", {}).get("events", []):
                        await self.handle(room, event)
        finally:
            work.cancel()
            await self.community.aclose()

    async def handle(self, room: str, event: dict[str, Any]) -> None:
        try:
            if event["sender"] == self.own_id:
                return
            if room == self.log_room and event["type"] == "m.reaction":
                relation = event["content"]["m.relates_to"]
                await self.community.react(relation["event_id"], relation["key"])
            elif room != self.log_room and event["type"] == "m.room.message":
                await self.check(room, event)
        except Exception:
            LOG.exception("an event was not handled")

    async def check(self, room: str, event: dict[str, Any]) -> None:
        content, event_id = event["content"], event["event_id"]
        relation = content.get("m.relates_to") or {}
        if relation.get("rel_type") == "m.replace":
            # Removing the original removes its edits too.
            content, event_id = content.get("m.new_content", {}), relation["event_id"]
        text = content.get("body")
        if content.get("msgtype") not in TEXTS or not isinstance(text, str) or not text.strip():
            return
        if await self.is_moderator(room, event["sender"]):
            return
        await self.community.check(
            Message(
                place=f"{room} {event_id} {event['sender']}",
                content=text,
                author=event["sender"],
                channel=room,
                mentions_count=len((content.get("m.mentions") or {}).get("user_ids", [])),
                has_attachments=content["msgtype"] in {"m.image", "m.video", "m.file"},
            )
        )

    async def is_moderator(self, room: str, user: str) -> bool:
        levels = await self.call("GET", "rooms", room, "state", "m.room.power_levels")
        level = levels.get("users", {}).get(user, levels.get("users_default", 0))
        return int(level) >= int(levels.get("ban", 50))

    async def act(self, message: Message, action: RecommendedAction) -> None:
        """Matrix cannot silence: for `timeout` the author has to join again."""
        room, event, author = message.place.split(" ")
        with contextlib.suppress(MatrixFailed):  # The author was faster.
            await self.call("PUT", "rooms", room, "redact", event, str(uuid.uuid4()), body={"reason": REASON})
        if action == "warn":
            await self.send(room, f"{author}: a message was removed because it {REASON}.")
        else:
            verb = "ban" if action == "ban" else "kick"
            await self.call("POST", "rooms", room, verb, body={"user_id": author, "reason": REASON})

    async def post(self, text: str) -> str:
        return await self.send(self.log_room, text)

    async def send(self, room: str, text: str) -> str:
        # A notice, which other bots do not answer, and nobody is mentioned.
        body = {"msgtype": "m.notice", "body": text, "m.mentions": {}}
        sent = await self.call("PUT", "rooms", room, "send", "m.room.message", str(uuid.uuid4()), body=body)
        return str(sent["event_id"])


async def main() -> None:
    logging.basicConfig(level=logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    base = f"{os.environ['MATRIX_URL'].rstrip('/')}/_matrix/client/v3/"
    headers = {"authorization": f"Bearer {os.environ['MATRIX_TOKEN']}"}
    async with httpx.AsyncClient(base_url=base, headers=headers, timeout=40) as server:
        await Bot(Settings.of_environment(), server, os.environ["MATRIX_LOG_ROOM"]).run()


if __name__ == "__main__":
    asyncio.run(main())
