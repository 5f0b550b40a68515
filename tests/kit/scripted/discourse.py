"""A Discourse forum: its API, and the webhooks that it sends."""

import asyncio
import hashlib
import hmac
import json
from typing import Any

import aiohttp
from aiohttp import web
from gavel_server import free_port

from .platform import ScriptedPlatform

MODERATOR, MEMBER = 2, 3
TOPIC, LOG = 20, 30


class ScriptedDiscourse(ScriptedPlatform):
    program = "examples/discourse/discourse_endpoint.py"

    def __init__(self) -> None:
        super().__init__()
        self.number = 1000
        self.endpoint = free_port()

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/posts.json", self.create)
        router.add_delete("/posts/{post}.json", self.delete)
        router.add_put("/admin/users/{user}/{verb:silence|suspend}.json", self.punish)

    def environment(self) -> dict[str, str]:
        key = {"DISCOURSE_KEY": "key", "DISCOURSE_USER": "gavel", "DISCOURSE_SECRET": "a secret"}
        listen = {"DISCOURSE_LISTEN": f"127.0.0.1:{self.endpoint}"}
        return {"DISCOURSE_URL": self.url, "DISCOURSE_LOG_TOPIC": str(LOG)} | key | listen

    async def start(self) -> None:
        await super().start()
        self.waiting = asyncio.create_task(self.wait_for_endpoint())

    async def wait_for_endpoint(self) -> None:
        """There is nothing that the endpoint asks the forum at its start."""
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.endpoint)
            except OSError:
                await asyncio.sleep(0.02)
                continue
            writer.close()
            self.ready.set()
            return

    async def stop(self) -> None:
        self.waiting.cancel()
        await super().stop()

    async def hook(self, post: dict[str, Any], secret: str = "a secret", event: str = "post_created") -> int:
        body = json.dumps({"post": post}).encode()
        signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {"x-discourse-event": event, "x-discourse-event-signature": f"sha256={signature}"}
        url = f"http://127.0.0.1:{self.endpoint}/discourse"
        async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as response:
            return response.status

    def written(self, topic: int, raw: str, moderator: bool) -> dict[str, Any]:
        self.number += 1
        author = {"user_id": MODERATOR, "username": "mod", "staff": True}
        if not moderator:
            author = {"user_id": MEMBER, "username": "mallory", "staff": False}
        return {"id": self.number, "topic_id": topic, "post_number": self.number - 1000, "raw": raw} | author

    async def say(self, content: str, moderator: bool = False) -> str:
        post = self.written(TOPIC, content, moderator)
        assert await self.hook(post) == 200
        return str(post["id"])

    async def react(self, post: str, emoji: str) -> None:
        reply = self.written(LOG, f"{emoji} I looked", moderator=True) | {"reply_to_post_number": int(post)}
        assert await self.hook(reply) == 200

    async def create(self, request: web.Request) -> web.Response:
        assert (request.headers["api-key"], request.headers["api-username"]) == ("key", "gavel")
        body = await request.json()
        self.number += 1
        if body.get("topic_id") == LOG:
            self.logged(str(self.number), body["raw"])
        else:
            self.note("say", body["target_recipients"], body["raw"])
        return web.json_response({"id": self.number, "post_number": self.number})

    async def delete(self, request: web.Request) -> web.Response:
        self.note("delete", request.match_info["post"])
        return web.Response()

    async def punish(self, request: web.Request) -> web.Response:
        kind = {"silence": "timeout", "suspend": "ban"}[request.match_info["verb"]]
        self.note(kind, request.match_info["user"])
        return web.json_response({})
