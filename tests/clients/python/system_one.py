"""The official Python client (PyPI `typesafe-sdk`) against Gavel, used as its documentation shows.

TYPESAFE_BASE_URL and TYPESAFE_API_KEY say where and who; POOR_API_KEY is a key of an account without credits. Prints
one JSON object of findings, `paid` being the calls that were answered; any mismatch ends it with an exception.
With the argument `once` it makes one call under the Idempotency-Key in IDEMPOTENCY_KEY, retries included.
"""

import asyncio
import json
import math
import os
import sys
from importlib.metadata import version

import typesafe_sdk as sdk
from typesafe_sdk import AsyncTypeSafeClient, Box, Choice, Noul, Score, TypeSafeClient

TICKET = "I was charged twice for March and nobody answers my mails. Please fix this today."
BILLING = Noul(instructions="Is this about billing?")
# By default a client waits 10 s and asks again; on a very busy machine that would be one more call than is counted.
TIMEOUT = 60.0


class Counted:
    """A client that counts the calls that were answered."""

    def __init__(self, client: TypeSafeClient) -> None:
        self.client, self.paid = client, 0

    def ask(self, state, questions, **options):
        response = self.client.system_one(state=state, questions=questions, **options)
        self.paid += 1
        return response


def check_distribution(probabilities: dict) -> None:
    assert all(0 <= p <= 1 for p in probabilities.values()), probabilities
    assert math.isclose(sum(probabilities.values()), 1, abs_tol=1e-4), probabilities


def check_choice(answer, options: list[str]) -> None:
    assert sorted(answer.probabilities) == sorted(options), answer
    check_distribution(answer.probabilities)
    best = max(answer.probabilities.values())
    assert answer.probabilities[answer.choice] == best, answer
    assert math.isclose(answer.confidence, (best - 1 / len(options)) / (1 - 1 / len(options)), abs_tol=1e-4), answer


def check_score(answer, levels: list) -> None:
    assert answer.legend == dict(enumerate(levels)), answer
    assert sorted(answer.probabilities) == list(range(len(levels))), answer
    check_distribution(answer.probabilities)
    expected = sum(level * p for level, p in answer.probabilities.items())
    assert math.isclose(answer.score, expected, abs_tol=1e-3), answer
    assert 0 <= answer.confidence <= 1, answer


def every_type(counted: Counted) -> None:
    """Nouls, choices with and without descriptions, scores, all about one state."""
    levels = ["Can wait", {"label": "This week", "examples": ["a question"]}, "Today"]
    response = counted.ask(
        {"subject": "Invoice", "document": TICKET, "attempts": 3, "tags": ["mail", None], "open": True},
        {
            "billing": BILLING,
            "angry": Noul(criteria={"true": "The writer is upset.", "false": None}),
            "team": Choice(instructions="Which team?", criteria={"billing": None, "technical": None, "other": None}),
            "tone": {"type": "choice", "criteria": {"calm": "polite", "harsh": {"examples": ["now!"]}}},
            "only": Choice(instructions="Which team?", criteria={"billing": "There is no other."}),
            "urgency": Score(instructions=["How urgent?", "Only the document counts."], criteria=levels),
        },
    )
    assert list(response.answers) == ["billing", "angry", "team", "tone", "only", "urgency"], response
    assert set(response.nouls) == {"billing", "angry"} and set(response.choices) == {"team", "tone", "only"}, response
    assert all(0 <= answer.noul <= 1 for answer in response.nouls.values()), response
    check_choice(response.choices["team"], ["billing", "technical", "other"])
    check_choice(response.choices["tone"], ["calm", "harsh"])
    assert response.choices["only"].probabilities == {"billing": 1}, response
    check_score(response.scores["urgency"], levels)
    assert response.usage.input_tokens > 0 and response.usage.output_tokens >= 0, response
    assert response.model and response.request_id.startswith("req_"), response


def models_and_their_names(counted: Counted) -> list[str]:
    """Every name in the list is answered; the client's default name, `jev-latest`, need not be one of them."""
    models = counted.client.models.list().models
    assert models and all(model.description and len(model.release_date) == 10 for model in models), models
    for name in [None, *(model.name for model in models)]:
        assert counted.ask(TICKET, {"billing": BILLING}, model=name).model
    return [model.name for model in models]


def a_large_state(counted: Counted) -> int:
    """Sent as zstd, it is answered as when sent plain."""
    state = {"messages": [f"{i}: {TICKET}" for i in range(40)]}
    packed = counted.ask(state, {"billing": BILLING})
    assert packed.raw_http_response.request.headers["content-encoding"] == "zstd"
    with TypeSafeClient(compression=False, timeout=TIMEOUT) as plain_client:
        plain = Counted(plain_client)
        response = plain.ask(state, {"billing": BILLING})
    counted.paid += plain.paid
    assert "content-encoding" not in response.raw_http_response.request.headers
    assert (response.answers, response.usage) == (packed.answers, packed.usage), (response, packed)
    return response.usage.input_tokens


def refusals(counted: Counted) -> dict[str, str]:
    """Each is the client's own error for the status, with a sentence that says what is wrong."""
    too_many = Choice(instructions="Which team?", criteria={f"team {i}": None for i in range(256)})
    eleven = Score(instructions="How urgent?", criteria=[f"level {i}" for i in range(11)])
    refused = {
        "256 options": (TICKET, {"team": too_many}, "team"),
        "eleven levels": (TICKET, {"urgency": eleven}, "urgency"),
        "a box": (TICKET, {"dog": Box(instructions="The dog")}, "dog"),
        "a blank state": ("  ", {"billing": BILLING}, "state"),
        "300 KiB of state": ("charged twice " * 22_000, {"billing": BILLING}, "state"),
    }
    messages = {}
    for what, (state, questions, named) in refused.items():
        try:
            counted.client.system_one(state=state, questions=questions)
        except sdk.TypeSafeUnprocessableEntityError as error:
            messages[what] = str(error)
            assert error.status == 422 and named in str(error), str(error)
            assert error.request_id.startswith("req_"), error.headers
        else:
            raise AssertionError(f"{what} was answered")
    return messages


def strangers_and_the_poor() -> dict[str, str]:
    messages = {}
    for what, key, kind, status in [
        ("a stranger", "svc_live_nobodyhasthiskey", sdk.TypeSafeAuthenticationError, 401),
        ("the poor", os.environ["POOR_API_KEY"], sdk.TypeSafeAPIError, 402),
    ]:
        with TypeSafeClient(api_key=key) as client:
            try:
                client.system_one(state=TICKET, questions={"billing": BILLING})
            except kind as error:
                messages[what] = str(error)
                assert error.status == status, error
            else:
                raise AssertionError(f"{what} was answered")
    assert "key" in messages["a stranger"] and "credits" in messages["the poor"], messages
    return messages


async def many_at_once() -> int:
    """The asynchronous client, on one pool of connections."""
    async with AsyncTypeSafeClient(timeout=TIMEOUT) as client:
        asked = [client.system_one(state=f"{TICKET} ({i})", questions={"billing": BILLING}) for i in range(8)]
        responses = await asyncio.gather(*asked)
    assert all(0 <= response.nouls["billing"].noul <= 1 for response in responses), responses
    return len(responses)


def once() -> dict:
    with TypeSafeClient(timeout=TIMEOUT) as client:
        key = {"Idempotency-Key": os.environ["IDEMPOTENCY_KEY"]}
        response = client.system_one(state=TICKET, questions={"billing": BILLING}, extra_headers=key)
    request = response.raw_http_response.request
    return {"retries": int(request.headers.get("x-typesafe-retry-count", 0)), "noul": response.nouls["billing"].noul}


def everything() -> dict:
    with TypeSafeClient(timeout=TIMEOUT) as client:
        counted = Counted(client)
        every_type(counted)
        found = {
            "client": f"typesafe-sdk=={version('typesafe-sdk')}",
            "models": models_and_their_names(counted),
            "large_state_tokens": a_large_state(counted),
            "refusals": {**refusals(counted), **strangers_and_the_poor()},
        }
    found["paid"] = {"/v1/systemone": counted.paid + asyncio.run(many_at_once())}
    return found


if __name__ == "__main__":
    print(json.dumps(once() if sys.argv[1:] == ["once"] else everything()))
