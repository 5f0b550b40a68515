"""Telegram's Bot API."""

import asyncio
from typing import Any

from aiohttp import web

from .platform import ScriptedPlatform

MODERATOR, MEMBER = 2, 3
GROUP, LOG = -20, -30


class ScriptedTelegram(ScriptedPlatform):
    program = "examples/telegram/telegram_bot.py"
    right = "👍"
    harmless = "👎"

    def __init__(self) -> None:
        super().__init__()
        self.number = 1000
        self.updates: list[dict[str, Any]] = []

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/bottoken/{method}", self.method)

    def environment(self) -> dict[str, str]:
        return {"TELEGRAM_API_URL": self.url, "TELEGRAM_TOKEN": "token", "TELEGRAM_LOG_CHAT": str(LOG)}

    def update(self, kind: str, content: dict[str, Any]) -> None:
        self.number += 1
        self.updates.append({"update_id": self.number, kind: content})

    async def say(self, content: str, moderator: bool = False) -> str:
        self.number += 1
        sender = {"id": MODERATOR if moderator else MEMBER, "is_bot": False, "first_name": "Mallory"}
        chat = {"id": GROUP, "type": "supergroup", "title": "general"}
        self.update("message", {"message_id": self.number, "from": sender, "chat": chat, "date": 0, "text": content})
        return str(self.number - 1)

    async def react(self, post: str, emoji: str) -> None:
        chat = {"id": LOG, "type": "supergroup", "title": "mods"}
        reaction = {"chat": chat, "message_id": int(post), "date": 0, "old_reaction": []}
        self.update("message_reaction", reaction | {"new_reaction": [{"type": "emoji", "emoji": emoji}]})

    async def method(self, request: web.Request) -> web.Response:
        body = await request.json()
        handler = getattr(self, f"on_{request.match_info['method']}", None)
        if handler is None:
            return web.json_response({"ok": False, "error_code": 404, "description": "Not Found"}, status=404)
        return web.json_response({"ok": True, "result": await handler(body)})

    async def on_getUpdates(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        assert "message_reaction" in body["allowed_updates"]
        self.ready.set()
        self.updates = [update for update in self.updates if update["update_id"] >= body["offset"]]
        for _ in range(50):
            if self.updates:
                break
            await asyncio.sleep(0.02)
        return self.updates

    async def on_getChatMember(self, body: dict[str, Any]) -> dict[str, str]:
        return {"status": "administrator" if body["user_id"] == MODERATOR else "member"}

    async def on_sendMessage(self, body: dict[str, Any]) -> dict[str, int]:
        self.number += 1
        if body["chat_id"] == LOG:
            self.logged(str(self.number), body["text"])
        else:
            self.note("say", str(body["chat_id"]), body["text"])
        return {"message_id": self.number}

    async def on_deleteMessage(self, body: dict[str, Any]) -> bool:
        self.note("delete", str(body["message_id"]))
        return True

    async def on_banChatMember(self, body: dict[str, Any]) -> bool:
        self.note("ban", str(body["user_id"]))
        return True

    async def on_restrictChatMember(self, body: dict[str, Any]) -> bool:
        assert body["permissions"] == {"can_send_messages": False}
        self.note("timeout", str(body["user_id"]), str(body["until_date"]))
        return True
