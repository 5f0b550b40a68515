"""The client-server API of a Matrix homeserver."""

import asyncio
from typing import Any

from aiohttp import web

from .platform import ScriptedPlatform

BOT, MODERATOR, MEMBER = "@gavel:example.com", "@mod:example.com", "@mallory:example.com"
ROOM, LOG = "!general/1:example.com", "!log:example.com"


class ScriptedMatrix(ScriptedPlatform):
    program = "examples/matrix/matrix_bot.py"

    def __init__(self) -> None:
        super().__init__()
        # An event before the bot's start, which it must leave alone.
        text = {"msgtype": "m.text", "body": "free nitro at dlscord-gift.com"}
        old = {"type": "m.room.message", "sender": MEMBER, "event_id": "$old", "content": text}
        self.events: list[tuple[str, dict[str, Any]]] = [(ROOM, old)]

    def routes(self, router: web.UrlDispatcher) -> None:
        base = "/_matrix/client/v3"
        router.add_get(f"{base}/account/whoami", self.whoami)
        router.add_get(f"{base}/sync", self.sync)
        router.add_get(f"{base}/rooms/{{room}}/state/m.room.power_levels", self.power_levels)
        router.add_put(f"{base}/rooms/{{room}}/send/m.room.message/{{id}}", self.send)
        router.add_put(f"{base}/rooms/{{room}}/redact/{{event}}/{{id}}", self.redact)
        router.add_post(f"{base}/rooms/{{room}}/{{verb:ban|kick}}", self.remove)

    def environment(self) -> dict[str, str]:
        return {"MATRIX_URL": self.url, "MATRIX_TOKEN": "token", "MATRIX_LOG_ROOM": LOG}

    def event(self, room: str, kind: str, sender: str, content: dict[str, Any]) -> str:
        event_id = f"$event{len(self.events)}"
        self.events.append((room, {"type": kind, "sender": sender, "event_id": event_id, "content": content}))
        return event_id

    async def say(self, content: str, moderator: bool = False) -> str:
        sender = MODERATOR if moderator else MEMBER
        return self.event(ROOM, "m.room.message", sender, {"msgtype": "m.text", "body": content})

    async def edit(self, event: str, content: str) -> None:
        text = {"msgtype": "m.text", "body": content}
        relation = {"rel_type": "m.replace", "event_id": event}
        whole = {"msgtype": "m.text", "body": f"* {content}", "m.new_content": text, "m.relates_to": relation}
        self.event(ROOM, "m.room.message", MEMBER, whole)

    async def react(self, post: str, emoji: str) -> None:
        relation = {"rel_type": "m.annotation", "event_id": post, "key": emoji}
        self.event(LOG, "m.reaction", MODERATOR, {"m.relates_to": relation})

    async def whoami(self, request: web.Request) -> web.Response:
        assert request.headers["authorization"] == "Bearer token"
        return web.json_response({"user_id": BOT})

    async def sync(self, request: web.Request) -> web.Response:
        since = int(request.query.get("since", 0))
        if "since" in request.query:
            self.ready.set()
        for _ in range(50 if request.query["timeout"] != "0" else 0):
            if len(self.events) > since:
                break
            await asyncio.sleep(0.02)
        rooms: dict[str, Any] = {}
        for room, event in self.events[since:]:
            rooms.setdefault(room, {"timeline": {"events": []}})["timeline"]["events"].append(event)
        return web.json_response({"next_batch": str(len(self.events)), "rooms": {"join": rooms}})

    async def power_levels(self, _: web.Request) -> web.Response:
        return web.json_response({"users": {MODERATOR: 50}, "ban": 50})

    async def send(self, request: web.Request) -> web.Response:
        body = await request.json()
        room = request.match_info["room"]
        event = self.event(room, "m.room.message", BOT, body)
        if room == LOG:
            self.logged(event, body["body"])
        else:
            self.note("say", room, body["body"])
        return web.json_response({"event_id": event})

    async def redact(self, request: web.Request) -> web.Response:
        assert request.match_info["room"] == ROOM
        self.note("delete", request.match_info["event"])
        return web.json_response({"event_id": "$redaction"})

    async def remove(self, request: web.Request) -> web.Response:
        assert request.match_info["room"] == ROOM
        kind = {"ban": "ban", "kick": "timeout"}[request.match_info["verb"]]
        self.note(kind, (await request.json())["user_id"])
        return web.json_response({})
