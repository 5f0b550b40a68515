"""A guardrail for LangChain's agents: a message that Gavel objects to ends the run with a refusal.

Needs gavel-client and langchain. docs/guardrails.md says how to use it.
"""

from typing import Any

from gavel_client import AsyncGavel, Gavel
from gavel_client.models import BatchTextModerationResponse, RecommendedAction, TextModerationRequest
from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.messages import AIMessage, AnyMessage, RemoveMessage
from langgraph.runtime import Runtime

ACTIONS: tuple[RecommendedAction, ...] = ("none", "warn", "timeout", "ban")
# The longest text that Gavel takes at once, and the most at once.
LONGEST = 10_000
MOST = 50


class GavelMiddleware(AgentMiddleware[AgentState[Any], Any]):
    """Checks what comes to the model, once, and what it answers, against `block_from`: warn, timeout or ban."""

    def __init__(
        self,
        gavel: Gavel,
        async_gavel: AsyncGavel | None = None,
        *,
        policy: str | None = None,
        block_from: RecommendedAction = "timeout",
        refusal: str = "I cannot help with that.",
    ) -> None:
        if block_from not in ACTIONS[1:]:
            raise ValueError("block_from must be warn, timeout or ban")
        super().__init__()
        self.gavel = gavel
        self.async_gavel = async_gavel
        self.policy = policy
        self.blocked = ACTIONS[ACTIONS.index(block_from) :]
        self.refusal = refusal

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        return self.refuse(state["messages"]) if self.objects(new_input(state)) else None

    @hook_config(can_jump_to=["end"])
    def after_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        return self.replace(state["messages"][-1]) if self.objects(state["messages"][-1:]) else None

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        return self.refuse(state["messages"]) if await self.aobjects(new_input(state)) else None

    @hook_config(can_jump_to=["end"])
    async def aafter_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        return self.replace(state["messages"][-1]) if await self.aobjects(state["messages"][-1:]) else None

    def refuse(self, messages: list[AnyMessage]) -> dict[str, Any]:
        """Ends the run before the model sees the messages, which are also taken out of the conversation."""
        removed = [RemoveMessage(id=message.id) for message in new_messages(messages) if message.id]
        return {"messages": [*removed, AIMessage(self.refusal)], "jump_to": "end"}

    def replace(self, answer: AnyMessage) -> dict[str, Any]:
        """Ends the run with a refusal in place of the answer and of the tools that it calls."""
        return {"messages": [AIMessage(self.refusal, id=answer.id)], "jump_to": "end"}

    def objects(self, messages: list[AnyMessage]) -> bool:
        batches = self.batches(messages)
        return any(self.is_blocked(self.gavel.moderate_texts(messages=batch)) for batch in batches)

    async def aobjects(self, messages: list[AnyMessage]) -> bool:
        if self.async_gavel is None:
            raise ValueError("async_gavel: needed by the asynchronous methods of an agent")
        for batch in self.batches(messages):
            if self.is_blocked(await self.async_gavel.moderate_texts(messages=batch)):
                return True
        return False

    def batches(self, messages: list[AnyMessage]) -> list[list[TextModerationRequest]]:
        texts = [message.text for message in messages]
        pieces = [text[start : start + LONGEST] for text in texts for start in range(0, len(text), LONGEST)]
        requests: list[TextModerationRequest] = [{"content": piece} for piece in pieces if piece.strip()]
        for request in requests:
            if self.policy:
                request["policy"] = self.policy
        return [requests[start : start + MOST] for start in range(0, len(requests), MOST)]

    def is_blocked(self, answer: BatchTextModerationResponse) -> bool:
        return any(result["action"] in self.blocked for result in answer["results"])


def new_input(state: AgentState[Any]) -> list[AnyMessage]:
    """What people and tools said since the model spoke; what came before was checked then."""
    return [message for message in new_messages(state["messages"]) if message.type in {"human", "tool"}]


def new_messages(messages: list[AnyMessage]) -> list[AnyMessage]:
    last = max((index for index, message in enumerate(messages) if message.type == "ai"), default=-1)
    return messages[last + 1 :]
