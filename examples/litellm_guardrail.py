"""A guardrail for LiteLLM, its proxy and its SDK: prompts and answers that Gavel objects to are refused.

Needs gavel-client and litellm. docs/guardrails.md says how to use it.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable
from typing import Any

from gavel_client import AsyncGavel, GavelError, Retries
from gavel_client.models import RecommendedAction, TextModerationRequest
from litellm.exceptions import GuardrailRaisedException
from litellm.integrations.custom_guardrail import CustomGuardrail

ACTIONS: tuple[RecommendedAction, ...] = ("none", "warn", "timeout", "ban")
# The longest text that Gavel takes at once.
LONGEST = 10_000


class GavelGuardrail(CustomGuardrail):
    """Refuses texts for which Gavel recommends at least `block_from`: warn, timeout or ban. With `fail_open`, texts
    pass while Gavel is down."""

    def __init__(
        self,
        gavel_url: str | None = None,
        gavel_key: str | None = None,
        policy: str | None = None,
        block_from: RecommendedAction = "timeout",
        fail_open: bool = False,
        **options: Any,
    ) -> None:
        if block_from not in ACTIONS[1:]:
            raise ValueError("block_from must be warn, timeout or ban")
        super().__init__(**options)
        url = gavel_url or os.environ.get("GAVEL_URL", "http://127.0.0.1:8080")
        key = gavel_key or os.environ.get("GAVEL_API_KEY")
        self.gavel = AsyncGavel(url, key, retries=Retries(count=1, patience=2.0), timeout=10.0)
        self.policy = policy
        self.blocked = ACTIONS[ACTIONS.index(block_from) :]
        self.fail_open = fail_open

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: Any
    ) -> None:
        """Checks a request before the model gets it."""
        await self.check_all(texts_of_request(data))

    async def async_moderation_hook(self, data: dict[str, Any], user_api_key_dict: Any, call_type: Any) -> None:
        """Checks a request while the model answers it, in the mode `during_call`."""
        await self.check_all(texts_of_request(data))

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> None:
        """Checks an answer before it is passed on."""
        await self.check_all(texts_of_response(response))

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        """Keeps a streamed answer back until all of it was checked."""
        chunks = [chunk async for chunk in response]
        pieces = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
        await self.check_all(["".join(pieces)])
        for chunk in chunks:
            yield chunk

    async def check_all(self, texts: Iterable[str]) -> None:
        pieces = [text[start : start + LONGEST] for text in texts for start in range(0, len(text), LONGEST)]
        try:
            await asyncio.gather(*(self.check(piece) for piece in pieces if piece.strip()))
        except GavelError as error:
            if not self.fail_open:
                raise GuardrailRaisedException(self.guardrail_name, f"Gavel did not answer: {error}") from error

    async def check(self, text: str) -> None:
        request: TextModerationRequest = {"content": text, "explain": True}
        if self.policy:
            request["policy"] = self.policy
        verdict = await self.gavel.moderate_text(**request)
        if verdict["action"] in self.blocked:
            found = [signal["name"] for signal in verdict["explanation"]["signals"][:3]]
            message = f"Gavel recommends {verdict['action']} ({', '.join(found)}; {verdict['id']})"
            raise GuardrailRaisedException(self.guardrail_name, message, blocked_content=True)


def texts_of_request(data: dict[str, Any]) -> list[str]:
    """What people and tools said since the model spoke, as what came before was checked then, and what other paths of
    the API have in place of messages."""
    texts: list[str] = []
    for message in reversed(data.get("messages") or []):
        if message.get("role") == "assistant":
            break
        if message.get("role") != "system":
            texts += texts_of(message.get("content"))
    return texts + texts_of(data.get("prompt")) + texts_of(data.get("input"))


def texts_of(content: Any) -> list[str]:
    """The texts of a string, of parts with a `text`, of messages, or of lists of them."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, dict):
        return texts_of(content.get("text") or content.get("content"))
    return [text for part in content or [] for text in texts_of(part)]


def texts_of_response(response: Any) -> list[str]:
    """The texts of a completion; other responses have none."""
    messages = [getattr(choice, "message", None) for choice in getattr(response, "choices", [])]
    return [text for message in messages if message is not None for text in texts_of(message.content)]
