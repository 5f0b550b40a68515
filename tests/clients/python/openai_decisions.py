"""OpenAI's Python client (PyPI `openai`), its decisions and moderations, against Gavel, used as its documentation
shows.

OPENAI_BASE_URL (ending in /v1) and OPENAI_API_KEY say where and who; POOR_API_KEY is a key of an account without
credits. Prints one JSON object of findings, `paid` being what was answered; any mismatch ends it with an exception.
With the argument `once` it makes one call under the Idempotency-Key in IDEMPOTENCY_KEY, retries included.
"""

import base64
import json
import math
import os
import sys
from functools import partial
from pathlib import Path

import openai
from openai import OpenAI

MODEL = "gpt-6-luna"
PICTURE = Path(__file__).parents[2] / "fixtures/images/rgb8.png"
TICKET = "I was charged twice for March and nobody answers my mails. Please fix this today."
BILLING = {"type": "predicate", "name": "billing", "instructions": "The message is about billing."}
CATEGORIES = {
    "harassment",
    "harassment/threatening",
    "hate",
    "hate/threatening",
    "illicit",
    "illicit/violent",
    "self-harm",
    "self-harm/instructions",
    "self-harm/intent",
    "sexual",
    "sexual/minors",
    "violence",
    "violence/graphic",
}


def check_distribution(probabilities: list) -> None:
    assert all(0 <= entry.probability <= 1 for entry in probabilities), probabilities
    assert math.isclose(sum(entry.probability for entry in probabilities), 1, abs_tol=1e-4), probabilities


def check_choice(answer, values: list) -> None:
    """`True` and `"true"` are two values, and come back as they were given."""
    assert answer.type == "choice", answer
    assert [(type(entry.value), entry.value) for entry in answer.probabilities] == [(type(v), v) for v in values], (
        answer
    )
    check_distribution(answer.probabilities)
    best = max(entry.probability for entry in answer.probabilities)
    chosen = [
        entry
        for entry in answer.probabilities
        if type(entry.value) is type(answer.choice) and entry.value == answer.choice
    ]
    assert [entry.probability for entry in chosen] == [best], answer
    assert math.isclose(answer.confidence, (best - 1 / len(values)) / (1 - 1 / len(values)), abs_tol=1e-4), answer


def check_usage(usage) -> None:
    assert usage.input_tokens > 0 and usage.total_tokens == usage.input_tokens + usage.output_tokens, usage
    assert usage.input_tokens_details.cached_tokens >= 0 and usage.output_tokens_details.reasoning_tokens >= 0, usage


def every_type(client: OpenAI) -> int:
    """Predicates, choices of strings and of booleans, scores; named and not; answers in the order of the questions."""
    decision = client.decisions.create(
        model=MODEL,
        input=TICKET,
        questions=[
            BILLING,
            {
                "type": "choice",
                "instructions": "Which team?",
                "choices": [
                    {"value": "billing", "description": "Payments and invoices"},
                    {"value": "technical"},
                    {"value": "true"},
                ],
            },
            {
                "type": "choice",
                "name": "refund",
                "instructions": "Is a refund due?",
                "choices": [
                    {"value": True, "description": "Money was taken twice"},
                    {"value": "true"},
                    {"value": False},
                ],
            },
            {
                "type": "score",
                "name": "urgency",
                "instructions": [{"type": "input_text", "text": "How urgent is it?"}],
                "levels": [{"label": "can wait"}, {"label": "this week", "description": "soon"}, {"label": "today"}],
            },
        ],
    )
    billing, team, refund, urgency = decision.answers
    assert (billing.type, billing.name) == ("predicate", "billing") and 0 <= billing.probability <= 1, billing
    assert (team.name, refund.name, urgency.name) == (None, "refund", "urgency"), decision
    check_choice(team, ["billing", "technical", "true"])
    check_choice(refund, [True, "true", False])
    assert urgency.type == "score" and 0 <= urgency.confidence <= 1, urgency
    levels = [(entry.value, entry.label) for entry in urgency.probabilities]
    assert levels == [(0, "can wait"), (1, "this week"), (2, "today")], urgency
    check_distribution(urgency.probabilities)
    expected = sum(entry.value * entry.probability for entry in urgency.probabilities)
    assert math.isclose(urgency.score, expected, abs_tol=1e-3), urgency
    check_usage(decision.usage)
    assert decision.model, decision
    return 1


def conversations(client: OpenAI) -> int:
    """The input as messages, JSON and calls of tools; what concerns caching alone is taken and changes nothing."""
    decision = client.decisions.create(
        model=MODEL,
        input=[
            {"role": "system", "content": "Answers of a shop's support desk."},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": TICKET},
                    {"type": "input_json", "data": {"order": {"id": 17, "paid": [12.5, 12.5]}}},
                ],
            },
            {"type": "function_call", "call_id": "c1", "name": "find_order", "arguments": '{"id": 17}'},
            {"type": "function_call_output", "call_id": "c1", "output": "paid twice"},
            {
                "role": "assistant",
                "content": [{"type": "output_text", "text": "I am sorry. The money is on its way back."}],
            },
        ],
        questions=[{**BILLING, "name": "answered", "instructions": "The last answer settles the matter."}],
        prompt_cache_key="tickets",
        safety_identifier=None,
    )
    assert [answer.name for answer in decision.answers] == ["answered"], decision
    return 1


def pictures(client: OpenAI) -> int:
    """A picture alone, and beside a text; each answer has one result, whose input types say what it is about."""
    file = base64.b64encode(PICTURE.read_bytes()).decode()
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{file}"}}
    text = {"type": "text", "text": "good morning, everyone"}
    alone = client.moderations.create(model="omni-moderation-latest", input=[picture])
    both = client.moderations.create(model="omni-moderation-latest", input=[text, picture])
    for answer, violence, sexual in [(alone, [], ["image"]), (both, ["text"], ["text", "image"])]:
        (result,) = answer.results
        types = result.category_applied_input_types
        assert (types.violence, types.sexual) == (violence, sexual), result
        assert not result.flagged and 0 <= result.category_scores.sexual < 0.5, result
    return 2


def moderations(client: OpenAI) -> dict:
    """One text; a list of texts, each with a result of its own; a list of parts, which has one result."""
    texts = ["good morning, everyone", "I will find you and kill you"]
    single = client.moderations.create(input=texts[1], model="omni-moderation-latest")
    listed = client.moderations.create(input=texts)
    parts = client.moderations.create(input=[{"type": "text", "text": text} for text in texts])
    assert (len(single.results), len(listed.results), len(parts.results)) == (1, 2, 1)
    for answer in (single, listed, parts):
        assert answer.id and answer.model, answer
        for result in answer.results:
            for field in ("categories", "category_scores", "category_applied_input_types"):
                assert set(getattr(result, field).model_dump(by_alias=True)) >= CATEGORIES, result
            flags = result.categories.model_dump(by_alias=True)
            assert result.flagged == any(flags.values()), result
            assert all(0 <= score <= 1 for score in result.category_scores.model_dump().values()), result
    greeting, threat = listed.results
    assert not greeting.flagged and threat.flagged, listed
    assert threat.categories.violence or threat.categories.harassment_threatening, threat
    assert threat.category_scores.violence > greeting.category_scores.violence, listed
    assert single.results[0].category_scores == threat.category_scores, (single, threat)
    return {"calls": 3, "scores": threat.category_scores.model_dump(by_alias=True)}


def refusals(client: OpenAI) -> dict[str, str]:
    """Each is the client's own error for the status, whose message and `param` say what is wrong."""
    options = [{"value": f"team {i}"} for i in range(256)]
    too_many = {"type": "choice", "name": "team", "instructions": "Which?", "choices": options}
    twice = {"type": "choice", "instructions": "Which?", "choices": [{"value": "a"}, {"value": "a"}]}
    picture = [{"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]}]
    refused = {
        "256 options": lambda: client.decisions.create(model=MODEL, input=TICKET, questions=[too_many]),
        "an option twice": lambda: client.decisions.create(model=MODEL, input=TICKET, questions=[twice]),
        "no question": lambda: client.decisions.create(model=MODEL, input=TICKET, questions=[]),
        "a picture": lambda: client.decisions.create(model=MODEL, input=picture, questions=[BILLING]),
        "nothing to moderate": lambda: client.moderations.create(input=[]),
    }
    messages = {}
    for what, call in refused.items():
        try:
            call()
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            # The client's own words, "Error code: 422", are followed by ours.
            assert " - " in str(error) and error.type and error.request_id.startswith("req_"), (what, str(error))
            messages[what] = str(error)
        else:
            raise AssertionError(f"{what} was answered")
    return messages


def strangers_and_the_poor() -> dict[str, str]:
    messages = {}
    for what, key, kind, status in [
        ("a stranger", "svc_live_nobodyhasthiskey", openai.AuthenticationError, 401),
        ("the poor", os.environ["POOR_API_KEY"], openai.APIStatusError, 402),
    ]:
        client = OpenAI(api_key=key)
        calls = [
            partial(client.decisions.create, model=MODEL, input=TICKET, questions=[BILLING]),
            partial(client.moderations.create, input=TICKET),
        ]
        for call in calls:
            try:
                call()
            except kind as error:
                messages[what] = str(error)
                assert error.status_code == status and " - " in str(error), str(error)
            else:
                raise AssertionError(f"{what} was answered")
    return messages


def once() -> dict:
    key = {"Idempotency-Key": os.environ["IDEMPOTENCY_KEY"]}
    raw = OpenAI().decisions.with_raw_response.create(model=MODEL, input=TICKET, questions=[BILLING], extra_headers=key)
    return {"retries": raw.retries_taken, "noul": raw.parse().answers[0].probability}


def everything() -> dict:
    # Refuses an answer that lacks a field or has one of another type, where the client by default looks away.
    client = OpenAI(_strict_response_validation=True)
    decisions = every_type(client) + conversations(client)
    moderated = moderations(client)
    seen = pictures(client)
    models = list(client.models.list())
    assert models and all(model.object == "model" and model.created > 0 and model.owned_by for model in models), models
    return {
        "client": f"openai=={openai.__version__}",
        "models": [model.id for model in models],
        "threat": moderated["scores"],
        "refusals": {**refusals(client), **strangers_and_the_poor()},
        "paid": {"/v1/decisions": decisions, "/v1/moderations": moderated["calls"] + seen},
    }


if __name__ == "__main__":
    print(json.dumps(once() if sys.argv[1:] == ["once"] else everything()))
