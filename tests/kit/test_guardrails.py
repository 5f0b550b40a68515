"""The guardrails of examples/ with the real LiteLLM and LangChain, whose models are fakes, and the real Gavel."""

import os
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from gavel_client import AsyncGavel, Gavel
from gavel_server import ROOT, GavelServer, free_port

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
sys.path.insert(0, str(ROOT / "examples"))
# The warnings of these libraries are theirs.
pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore")]
SCAM = "free nitro for everyone, claim it at dlscord-gift.com/nitro"


class TestLiteLLM:
    @pytest.fixture
    async def ask(self, server: GavelServer, key: str) -> AsyncIterator[Any]:
        import litellm
        from litellm_guardrail import GavelGuardrail

        made: list[GavelGuardrail] = []

        async def ask(prompt: str, answer: str = "Fine.", **options: Any) -> str:
            settings = {"gavel_url": server.url, "gavel_key": key, "event_hook": ["pre_call", "post_call"]} | options
            guardrail = GavelGuardrail(guardrail_name="gavel", **settings)
            made.append(guardrail)
            litellm.callbacks = [guardrail]
            messages = [{"role": "user", "content": prompt}]
            response = await litellm.acompletion(
                model="gpt-4o", messages=messages, mock_response=answer, guardrails=["gavel"], num_retries=0
            )
            return str(response.choices[0].message.content)

        yield ask
        litellm.callbacks = []
        for guardrail in made:
            await guardrail.gavel.aclose()

    async def test_a_harmless_prompt_is_answered(self, ask: Any) -> None:
        assert await ask("good morning") == "Fine."

    async def test_a_harmful_prompt_is_refused(self, ask: Any) -> None:
        with pytest.raises(Exception, match=r"Gavel recommends ban \(.*look_alike_domain:discord.*mod_"):
            await ask(SCAM)

    async def test_a_harmful_answer_is_refused(self, ask: Any) -> None:
        with pytest.raises(Exception, match="Gavel recommends ban"):
            await ask("good morning", answer=SCAM)

    async def test_while_gavel_is_down_texts_pass_only_if_told_so(self, ask: Any) -> None:
        nowhere = f"http://127.0.0.1:{free_port()}"
        assert await ask("good morning", gavel_url=nowhere, fail_open=True) == "Fine."
        with pytest.raises(Exception, match="Gavel did not answer"):
            await ask("good morning", gavel_url=nowhere)

    async def test_a_streamed_answer_is_kept_back_until_it_was_checked(self, server: GavelServer, key: str) -> None:
        import litellm
        from litellm_guardrail import GavelGuardrail

        guardrail = GavelGuardrail(server.url, key, guardrail_name="gavel")
        messages = [{"role": "user", "content": "good morning"}]
        for answer in ("Fine, thank you.", SCAM):
            stream = await litellm.acompletion(model="gpt-4o", messages=messages, mock_response=answer, stream=True)
            checked = guardrail.async_post_call_streaming_iterator_hook(None, stream, {})
            if answer == SCAM:
                with pytest.raises(Exception, match="Gavel recommends ban"):
                    await anext(checked)
            else:
                assert "".join([chunk.choices[0].delta.content or "" async for chunk in checked]) == answer
        await guardrail.gavel.aclose()

    def test_only_what_is_new_is_checked(self) -> None:
        from litellm_guardrail import texts_of_request

        said = [("system", "be kind"), ("user", "old"), ("assistant", "yes"), ("tool", "found"), ("user", "new")]
        messages: list[dict[str, Any]] = [{"role": role, "content": content} for role, content in said]
        picture = {"type": "image_url", "image_url": {"url": "https://example.com"}}
        messages.append({"role": "user", "content": [{"type": "text", "text": "see"}, picture]})
        assert texts_of_request({"messages": messages}) == ["see", "new", "found"]
        assert texts_of_request({"prompt": ["a", "b"]}) == ["a", "b"]
        assert texts_of_request({"input": [{"role": "user", "content": "c"}]}) == ["c"]

    async def test_a_wrong_setting_is_named(self, ask: Any) -> None:
        with pytest.raises(ValueError, match="block_from must be warn, timeout or ban"):
            await ask("good morning", block_from="none")


class TestLangChain:
    @staticmethod
    def agent(gavel: Gavel, async_gavel: AsyncGavel | None, *answers: str) -> Any:
        from langchain.agents import create_agent
        from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
        from langchain_core.messages import AIMessage
        from langchain_guardrail import GavelMiddleware

        model = GenericFakeChatModel(messages=iter([AIMessage(answer) for answer in answers]))
        return create_agent(model, middleware=[GavelMiddleware(gavel, async_gavel)])

    @staticmethod
    def human(content: str) -> Any:
        return {"messages": [{"role": "user", "content": content}]}

    def test_a_harmless_conversation_goes_on(self, gavel: Gavel) -> None:
        agent = self.agent(gavel, None, "Fine.")
        assert [m.content for m in agent.invoke(self.human("good morning"))["messages"]] == ["good morning", "Fine."]

    def test_a_harmful_message_does_not_reach_the_model(self, gavel: Gavel) -> None:
        agent = self.agent(gavel, None)
        assert [m.content for m in agent.invoke(self.human(SCAM))["messages"]] == ["I cannot help with that."]

    def test_a_harmful_answer_is_replaced(self, gavel: Gavel) -> None:
        agent = self.agent(gavel, None, SCAM)
        messages = agent.invoke(self.human("good morning"))["messages"]
        assert [m.content for m in messages] == ["good morning", "I cannot help with that."]

    async def test_the_asynchronous_agent_is_guarded_too(self, gavel: Gavel, async_gavel: AsyncGavel) -> None:
        agent = self.agent(gavel, async_gavel, "Fine.", SCAM)
        assert (await agent.ainvoke(self.human("good morning")))["messages"][-1].content == "Fine."
        assert (await agent.ainvoke(self.human("hello")))["messages"][-1].content == "I cannot help with that."
        assert (await agent.ainvoke(self.human(SCAM)))["messages"][-1].content == "I cannot help with that."

    def test_a_long_text_is_checked_in_pieces(self, gavel: Gavel) -> None:
        agent = self.agent(gavel, None)
        long = f"{'good morning, everyone. ' * 500}{SCAM}"
        assert [m.content for m in agent.invoke(self.human(long))["messages"]] == ["I cannot help with that."]
