#!/usr/bin/env python3
"""Moderates a Discourse forum with Gavel, as the endpoint of a webhook: see docs/bot-discourse.md.

Needs gavel-client and aiohttp. Settings: DISCOURSE_URL, DISCOURSE_KEY and DISCOURSE_USER (of an API key of a staff
member), DISCOURSE_SECRET (of the webhook), DISCOURSE_LOG_TOPIC (the id of the moderators' topic),
DISCOURSE_TIMEOUT_MINUTES (10), DISCOURSE_LISTEN (127.0.0.1:8090), and those of `gavel_client.community.Settings`.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from aiohttp import web
from gavel_client.community import Community, Message, Settings
from gavel_client.models import RecommendedAction

REASON = "A post of yours was removed because it breaks the rules of this forum."
FOREVER = timedelta(days=365 * 1000)


class DiscourseFailed(Exception):
    """The forum refused a request."""


class Endpoint:
    """Checks what members post and edit, except staff."""

    def __init__(
        self, settings: Settings, forum: httpx.AsyncClient, secret: str, log_topic: int, minutes: float
    ) -> None:
        self.community = Community(settings, self)
        self.forum = forum
        self.secret = secret
        self.log_topic = log_topic
        self.timeout = timedelta(minutes=minutes)

    async def serve(self, app: web.Application) -> AsyncIterator[None]:
        work = asyncio.create_task(self.community.work())
        yield
        work.cancel()
        await self.community.aclose()
        await self.forum.aclose()

    async def receive(self, request: web.Request) -> web.Response:
        body = await request.read()
        expected = hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
        given = request.headers.get("x-discourse-event-signature", "")
        if not hmac.compare_digest(f"sha256={expected}".encode(), given.encode()):
            raise web.HTTPForbidden(text="the signature is wrong")
        if request.headers.get("x-discourse-event") in {"post_created", "post_edited"}:
            await self.handle(json.loads(body)["post"])
        return web.Response()

    async def handle(self, post: dict[str, Any]) -> None:
        if post["topic_id"] == self.log_topic:
            await self.reply(post)
        elif not post.get("staff") and post.get("raw"):
            await self.community.check(
                Message(
                    place=f"{post['id']}/{post['user_id']}/{post['username']}",
                    content=post["raw"],
                    author=post["username"],
                    channel=post.get("category_slug") or f"topic {post['topic_id']}",
                    has_attachments="upload://" in post["raw"],
                )
            )

    async def reply(self, post: dict[str, Any]) -> None:
        """Discourse's webhooks do not tell of reactions, so moderators reply to a log post with one."""
        if post.get("staff") and post.get("reply_to_post_number") and post["raw"].split():
            await self.community.react(str(post["reply_to_post_number"]), post["raw"].split()[0])

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """A request of the forum's API; waits once when it says that there were too many."""
        for attempt in range(2):
            response = await self.forum.request(method, path, json=body)
            if response.is_success:
                return response.json() if response.content else None
            if response.status_code != 429 or attempt:
                break
            await asyncio.sleep(float(response.headers.get("retry-after", 5)))
        raise DiscourseFailed(f"{response.status_code} {response.text[:200]}")

    async def act(self, message: Message, action: RecommendedAction) -> None:
        post, user, name = message.place.split("/")
        await self.call("DELETE", f"/posts/{post}.json")
        if action == "warn":
            private = {"title": "About a post of yours", "raw": REASON, "archetype": "private_message"}
            await self.call("POST", "/posts.json", private | {"target_recipients": name, "is_warning": True})
        elif action == "timeout":
            until = (datetime.now(UTC) + self.timeout).isoformat()
            await self.call("PUT", f"/admin/users/{user}/silence.json", {"silenced_till": until, "reason": REASON})
        else:
            until = (datetime.now(UTC) + FOREVER).isoformat()
            await self.call("PUT", f"/admin/users/{user}/suspend.json", {"suspend_until": until, "reason": REASON})

    async def post(self, text: str) -> str:
        """A post in the log topic. Code, so that nothing in a quoted message has an effect."""
        fenced = "```text\n" + text.replace("```", "'''") + "\n```"
        sent = await self.call("POST", "/posts.json", {"topic_id": self.log_topic, "raw": fenced})
        return str(sent["post_number"])


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    headers = {"api-key": os.environ["DISCOURSE_KEY"], "api-username": os.environ["DISCOURSE_USER"]}
    forum = httpx.AsyncClient(base_url=os.environ["DISCOURSE_URL"], headers=headers, timeout=20)
    minutes = float(os.environ.get("DISCOURSE_TIMEOUT_MINUTES", "10"))
    topic = int(os.environ["DISCOURSE_LOG_TOPIC"])
    host, _, port = os.environ.get("DISCOURSE_LISTEN", "127.0.0.1:8090").rpartition(":")
    endpoint = Endpoint(Settings.of_environment(), forum, os.environ["DISCOURSE_SECRET"], topic, minutes)
    app = web.Application(client_max_size=1 << 20)
    app.router.add_post("/discourse", endpoint.receive)
    app.cleanup_ctx.append(endpoint.serve)
    web.run_app(app, host=host, port=int(port), print=None)


if __name__ == "__main__":
    main()
