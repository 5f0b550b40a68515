"""The Python client against the real Gavel."""

import base64
import json
import time
from importlib.metadata import version

import httpx
import pytest
from gavel_client import (
    AsyncGavel,
    ConnectionFailed,
    Gavel,
    GraphQLFailed,
    InsufficientCredits,
    NotFound,
    RateLimited,
    Retries,
    ServerFailed,
    Unauthorized,
    ValidationFailed,
    WebhookInvalid,
    models,
    webhooks,
)
from gavel_server import ROOT, GavelServer, free_port
from hooks import Hooks

QUICK = Retries(count=2, first=0.01, longest=0.02)
SCAM = "free nitro for everyone, claim it at dlscord-gift.com/nitro"


class Unreliable(httpx.BaseTransport):
    """Passes requests on, and loses the responses to the first `losses` of them."""

    def __init__(self, losses: int) -> None:
        self.losses = losses
        self.keys: list[str] = []
        self.real = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers["idempotency-key"])
        response = self.real.handle_request(request)
        response.read()
        if len(self.keys) <= self.losses:
            raise httpx.ReadError("the connection was reset")
        return response

    def close(self) -> None:
        self.real.close()


class Scripted(httpx.BaseTransport):
    """Gives the responses of a list, one after the other, the last of them for ever."""

    def __init__(self, *responses: httpx.Response) -> None:
        self.responses = list(responses)
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.responses.pop(0) if len(self.responses) > 1 else self.responses[0]


def test_the_version_is_the_servers() -> None:
    description = json.loads((ROOT / "openapi.json").read_text())
    assert description["info"]["description"].endswith(f"Gavel {version('gavel-client')}.")


def test_a_scam_is_banned_and_explained(gavel: Gavel) -> None:
    verdict = gavel.moderate_text(content=SCAM, channel="#general", explain=True)
    assert verdict["action"] == "ban"
    assert verdict["explanation"]["categories"]["scam"] > 0.9


def test_a_batch_of_messages_is_charged_together(gavel: Gavel) -> None:
    answer = gavel.moderate_texts(messages=[{"content": SCAM}, {"content": "good morning"}])
    assert [result["action"] for result in answer["results"]] == ["ban", "none"]
    assert answer["credits_deducted"] == 2 * gavel.pricing()["pricing"]["textCreditCost"]


def test_a_picture_is_sent_as_bytes_and_in_base64(gavel: Gavel) -> None:
    png = "iVBORw0KGgoAAAANSUhEUgAAADAAAAAgAQAAAAB8r8axAAAAGElEQVR42mNgYGD4//8/A22pehTqPx0pANNIXqHXkfd/AAAAAElFTkSuQmCC"
    uploaded = gavel.moderate_image(base64.b64decode(png))
    inline = gavel.moderate_image({"image_base64": png})
    assert uploaded["data"]["classifications"] == inline["data"]["classifications"]


@pytest.mark.anyio
async def test_the_asynchronous_client_answers_questions(async_gavel: AsyncGavel) -> None:
    answer = await async_gavel.infer(state="I was charged twice", instructions={"team": ["billing", "sales"]})
    assert json.loads(json.dumps(answer["answers"]))["team"]["choice"] == "billing"


def test_a_lost_response_is_charged_once(server: GavelServer, key: str) -> None:
    transport = Unreliable(losses=2)
    with Gavel(server.url, key, retries=QUICK, transport=transport) as gavel:
        verdict = gavel.moderate_text(content="hello")
    assert len(transport.keys) == 3
    assert len(set(transport.keys)) == 1
    assert verdict["remaining_credits"] == 999.5


def test_without_a_server_the_retries_end() -> None:
    gavel = Gavel(f"http://127.0.0.1:{free_port()}", retries=QUICK)
    with gavel, pytest.raises(ConnectionFailed, match="no response from"):
        gavel.health()


def test_a_rate_limit_is_waited_for_as_long_as_it_asks() -> None:
    body = {"error": "too many requests", "code": "RATE_LIMITED", "request_id": "req_1"}
    limited = httpx.Response(429, headers={"retry-after": "1"}, json=body)
    transport = Scripted(limited, httpx.Response(200, json={"success": True}))
    with Gavel("http://gavel.example.com", retries=QUICK, transport=transport) as gavel:
        began = time.monotonic()
        assert gavel.pricing()["success"]
    assert time.monotonic() - began >= 1


def test_a_rate_limit_beyond_the_patience_is_an_error() -> None:
    body = {"error": "too many requests", "code": "RATE_LIMITED", "request_id": "req_1"}
    transport = Scripted(httpx.Response(429, headers={"retry-after": "3600"}, json=body))
    with Gavel("http://gavel.example.com", transport=transport) as gavel, pytest.raises(RateLimited) as caught:
        gavel.pricing()
    assert caught.value.body == body
    assert len(transport.requests) == 1


def test_a_mutation_is_not_repeated() -> None:
    transport = Scripted(httpx.Response(503, text="down"))
    gavel = Gavel("http://gavel.example.com", retries=QUICK, transport=transport)
    with gavel, pytest.raises(ServerFailed, match="503 UNKNOWN: down"):
        gavel.graphql("mutation { signOut { userErrors { message } } }")
    assert len(transport.requests) == 1


def test_errors_carry_the_documented_body(gavel: Gavel, server: GavelServer) -> None:
    with pytest.raises(ValidationFailed) as invalid:
        gavel.moderate_text(content="")
    error = invalid.value
    assert (error.status, error.code) == (422, "VALIDATION_FAILED")
    assert error.details[0]["field"] == "content"
    assert error.request_id.startswith("req_")
    assert error.body["error"] == error.message
    with pytest.raises(NotFound):
        gavel.batch("batch_01kahd7f3ye9pvsk8h0a5m5x2e")
    with pytest.raises(Unauthorized), Gavel(server.url, "svc_live_wrong") as stranger:
        stranger.moderate_text(content="hello")
    poor = server.account("poor@example.com", credits=0.1)
    with pytest.raises(InsufficientCredits), Gavel(server.url, poor) as client:
        client.moderate_text(content="hello")


def test_an_id_cannot_leave_its_path(gavel: Gavel) -> None:
    with pytest.raises(NotFound):
        gavel.batch("../../pricing")


def items(count: int) -> list[models.BatchItem]:
    return [
        {"custom_id": f"message-{n}", "url": "/api/v1/moderate/text", "body": {"content": f"hello {n}"}}
        for n in range(count)
    ]


def test_a_batch_runs_with_progress(gavel: Gavel) -> None:
    seen: list[models.BatchResponse] = []
    results = gavel.run_batch(items(20), seen.append, metadata={"night": "1"}, interval=0.1)
    assert list(results) == [f"message-{n}" for n in range(20)]
    response = results["message-3"]["response"]
    assert response is not None and response["body"]["action"] == "none"
    assert seen[0]["status"] == "queued"
    assert (seen[-1]["status"], seen[-1]["counts"]["completed"]) == ("completed", 20)


def test_all_pages_of_batches_are_listed(gavel: Gavel) -> None:
    made = [gavel.create_batch(items(1))["id"] for _ in range(5)]
    assert [batch["id"] for batch in gavel.batches(page_size=2)] == made[::-1]


@pytest.mark.anyio
async def test_the_asynchronous_client_runs_a_batch(async_gavel: AsyncGavel) -> None:
    results = await async_gavel.run_batch(items(2), interval=0.1)
    assert len(results) == 2
    assert [batch["total"] async for batch in async_gavel.batches()] == [2]


def test_samples_are_imported_and_exported(gavel: Gavel) -> None:
    judge_input = {"name": "tickets", "instructions": {"team": ["billing", "sales"]}}
    create = "mutation($i: CreateJudgeInput!) { createJudge(input: $i) { judge { id } userErrors { message } } }"
    judge = gavel.graphql(create, {"i": judge_input})["createJudge"]["judge"]["id"]
    gavel.import_dataset(judge, [{"state": "I was charged twice", "ground_truth": {"team": "billing"}}])
    [sample] = gavel.dataset(judge, labelled=True)
    assert (sample["state"], sample["ground_truth"]) == ("I was charged twice", {"team": "billing"})


def test_graphql_errors_are_raised(gavel: Gavel) -> None:
    with pytest.raises(GraphQLFailed, match="nothing"):
        gavel.graphql("{ nothing }")
    archive = """mutation {
      archiveJudge(input: { id: "judge_01kahd7f3ye9pvsk8h0a5m5x2e" }) { userErrors { message code } } }"""
    with pytest.raises(GraphQLFailed) as refused:
        gavel.graphql(archive)
    assert refused.value.code == "NOT_FOUND"


def test_a_webhook_of_the_server_is_verified(gavel: Gavel, hooks: Hooks) -> None:
    create = """mutation($i: CreateWebhookEndpointInput!) {
      createWebhookEndpoint(input: $i) { webhookEndpoint { id } secret userErrors { message } } }"""
    made = gavel.graphql(create, {"i": {"url": hooks.url}})["createWebhookEndpoint"]
    test = "mutation($id: ID!) { testWebhookEndpoint(input: { id: $id }) { userErrors { message } } }"
    gavel.graphql(test, {"id": made["webhookEndpoint"]["id"]})
    headers, body = hooks.received.get(timeout=60)
    event = webhooks.verify(made["secret"], headers, body)
    assert event["type"] == "ping"
    with pytest.raises(WebhookInvalid, match="not signed"):
        webhooks.verify(made["secret"], headers, body + b" ")
    with pytest.raises(WebhookInvalid, match="seconds ago"):
        webhooks.verify(made["secret"], headers | {"webhook-timestamp": "1"}, body)
    with pytest.raises(WebhookInvalid, match="missing"):
        webhooks.verify(made["secret"], {}, body)
