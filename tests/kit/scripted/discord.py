"""Discord's gateway and REST API."""

import json
from typing import Any

from aiohttp import web

from .platform import ScriptedPlatform

BOT, MODERATOR, MEMBER = "1", "2", "3"
GUILD, GENERAL, LOG = "10", "20", "30"
ROLE = "11"
MANAGE_MESSAGES = 1 << 13
JOINED = "2026-01-01T00:00:00+00:00"


def user(number: str) -> dict[str, Any]:
    name = {BOT: "gavel", MODERATOR: "mod", MEMBER: "mallory"}[number]
    return {"id": number, "username": name, "discriminator": "0", "avatar": None, "bot": number == BOT}


def member(number: str) -> dict[str, Any]:
    roles = [ROLE] if number == MODERATOR else []
    return {"roles": roles, "joined_at": JOINED, "deaf": False, "mute": False, "flags": 0}


def message(number: int, channel: str, author: str, content: str) -> dict[str, Any]:
    whole = {"id": str(number), "channel_id": channel, "author": user(author), "content": content, "type": 0}
    whole |= {"timestamp": JOINED, "edited_timestamp": None, "tts": False, "mention_everyone": False, "pinned": False}
    return whole | {"mentions": [], "mention_roles": [], "attachments": [], "embeds": []}


def guild() -> dict[str, Any]:
    roles = [
        {"id": number, "name": name, "permissions": str(permissions), "position": position}
        | {"color": 0, "hoist": False, "managed": False, "mentionable": False, "flags": 0}
        for number, name, permissions, position in [
            (GUILD, "@everyone", 3 << 10, 0),
            (ROLE, "mods", MANAGE_MESSAGES, 1),
        ]
    ]
    channels = [
        {"id": number, "type": 0, "name": name, "position": 0, "permission_overwrites": [], "nsfw": False}
        for number, name in [(GENERAL, "general"), (LOG, "mod-log")]
    ]
    whole: dict[str, Any] = {
        "id": GUILD,
        "name": "guild",
        "owner_id": "99",
        "roles": roles,
        "channels": channels,
        "emojis": [],
    }
    whole |= {"features": [], "verification_level": 0, "default_message_notifications": 0, "explicit_content_filter": 0}
    whole |= {"mfa_level": 0, "system_channel_flags": 0, "premium_tier": 0, "nsfw_level": 0, "member_count": 3}
    return whole | {"members": [{"user": user(BOT)} | member(BOT)], "threads": [], "presences": [], "voice_states": []}


def answer(data: object) -> web.Response:
    """Discord sends no charset, which discord.py relies upon."""
    return web.Response(body=json.dumps(data).encode(), content_type="application/json")


class ScriptedDiscord(ScriptedPlatform):
    program = "examples/discord/discord_bot.py"

    def __init__(self) -> None:
        super().__init__()
        self.number = 1000
        self.sequence = 0
        self.socket: web.WebSocketResponse | None = None

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_get("/gateway", self.gateway)
        router.add_get("/api/users/@me", self.me)
        router.add_get("/api/oauth2/applications/@me", self.application)
        router.add_post("/api/channels/{channel}/messages", self.send)
        router.add_delete("/api/channels/{channel}/messages/{message}", self.delete)
        router.add_put("/api/channels/{channel}/messages/{message}/reactions/{emoji}/@me", self.add_reaction)
        router.add_put("/api/guilds/{guild}/bans/{user}", self.ban)
        router.add_get("/api/guilds/{guild}/members/{user}", self.member)
        router.add_patch("/api/guilds/{guild}/members/{user}", self.edit_member)

    def environment(self) -> dict[str, str]:
        urls = {"DISCORD_API_URL": f"{self.url}/api", "DISCORD_GATEWAY_URL": f"ws://127.0.0.1:{self.port}/gateway"}
        return urls | {"DISCORD_TOKEN": "token", "DISCORD_LOG_CHANNEL": LOG}

    async def gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 40_000}})
        async for frame in socket:
            command = json.loads(frame.data)
            if command["op"] == 1:
                await socket.send_json({"op": 11})
            elif command["op"] == 2:
                assert command["d"]["token"] == "token"
                self.socket = socket
                ready = {"v": 10, "user": user(BOT), "guilds": [{"id": GUILD, "unavailable": True}]}
                ready |= {"session_id": "session", "resume_gateway_url": str(request.url).replace("http", "ws")}
                await self.dispatch("READY", ready | {"application": {"id": BOT, "flags": 0}})
                await self.dispatch("GUILD_CREATE", guild())
                self.ready.set()
        return socket

    async def dispatch(self, event: str, data: dict[str, Any]) -> None:
        assert self.socket is not None
        self.sequence += 1
        await self.socket.send_json({"op": 0, "s": self.sequence, "t": event, "d": data})

    async def say(self, content: str, moderator: bool = False) -> str:
        self.number += 1
        author = MODERATOR if moderator else MEMBER
        data = message(self.number, GENERAL, author, content) | {"guild_id": GUILD, "member": member(author)}
        await self.dispatch("MESSAGE_CREATE", data)
        return str(self.number)

    async def edit(self, number: str, content: str) -> None:
        data = message(int(number), GENERAL, MEMBER, content) | {"guild_id": GUILD, "member": member(MEMBER)}
        await self.dispatch("MESSAGE_UPDATE", data | {"edited_timestamp": JOINED})

    async def react(self, post: str, emoji: str, by: str = MODERATOR) -> None:
        reaction = {"user_id": by, "channel_id": LOG, "message_id": post, "guild_id": GUILD, "type": 0, "burst": False}
        member_of = {"member": {"user": user(by)} | member(by)}
        await self.dispatch("MESSAGE_REACTION_ADD", reaction | member_of | {"emoji": {"id": None, "name": emoji}})

    async def me(self, request: web.Request) -> web.Response:
        assert request.headers["authorization"] == "Bot token"
        return answer(user(BOT))

    async def application(self, _: web.Request) -> web.Response:
        whole = {"id": BOT, "name": "gavel", "description": "", "bot_public": False, "bot_require_code_grant": False}
        return answer(whole | {"verify_key": "", "flags": 0, "icon": None, "summary": "", "owner": user(MODERATOR)})

    async def send(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.number += 1
        if request.match_info["channel"] == LOG:
            assert body["allowed_mentions"] == {"parse": []}
            self.logged(str(self.number), body["content"])
        else:
            self.note("say", request.match_info["channel"], body["content"])
        return answer(message(self.number, request.match_info["channel"], BOT, body["content"]))

    async def delete(self, request: web.Request) -> web.Response:
        self.note("delete", request.match_info["message"])
        return web.Response(status=204)

    async def add_reaction(self, request: web.Request) -> web.Response:
        self.note("seen", request.match_info["message"])
        return web.Response(status=204)

    async def ban(self, request: web.Request) -> web.Response:
        self.note("ban", request.match_info["user"])
        return web.Response(status=204)

    async def member(self, request: web.Request) -> web.Response:
        number = request.match_info["user"]
        return answer({"user": user(number)} | member(number))

    async def edit_member(self, request: web.Request) -> web.Response:
        number = request.match_info["user"]
        body = await request.json()
        self.note("timeout", number, body["communication_disabled_until"])
        return answer({"user": user(number)} | member(number))
