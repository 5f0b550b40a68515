"""An asynchronous client."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self, Unpack, cast
from urllib.parse import quote

import httpx

from . import models
from .errors import ConnectionFailed, GraphQLFailed, of_response
from .results import BatchResult
from .retries import Retries
from .version import __version__

# The states in which a batch, a Checkpoint or an evaluation stays.
ENDED = {"completed", "succeeded", "failed", "cancelled", "expired"}


def quoted(name: str) -> str:
    """An id as one segment of a path."""
    return quote(name, safe="")


class AsyncGavel:
    """Requests to one server with one API key (`svc_live_…`). Requests that are charged carry an `Idempotency-Key` over
    their retries, so each is charged once; give your own to keep it over a restart too."""

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        retries: Retries | None = None,
        timeout: float = 60.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.retries = retries or Retries()
        headers = {"user-agent": f"gavel-client-python/{__version__}"}
        if key:
            headers["authorization"] = f"Bearer {key}"
        self.http = httpx.AsyncClient(base_url=base_url, headers=headers, timeout=timeout, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self.http.aclose()

    async def request(self, method: str, path: str, *, repeatable: bool = True, **options: Any) -> httpx.Response:
        """Sends a request, with retries if it is `repeatable`. `options` are httpx's; an error status raises an
        `ApiError`."""
        attempt = 0 if repeatable else self.retries.count
        while True:
            response: httpx.Response | None = None
            failure: httpx.TransportError | None = None
            try:
                response = await self.http.request(method, path, **options)
            except httpx.TransportError as error:
                failure = error
            if response is not None and response.is_success:
                return response
            wait = self.retries.wait(attempt, response)
            if wait is None and response is not None:
                raise of_response(response)
            if wait is None:
                raise ConnectionFailed(f"no response from {self.http.base_url}: {failure!r}") from failure
            await asyncio.sleep(wait)
            attempt += 1

    async def post(self, path: str, body: object = None, idempotency_key: str | None = None) -> Any:
        """Posts JSON under an idempotency key, and returns the response's JSON."""
        options: dict[str, Any] = {} if body is None else {"json": body}
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return (await self.request("POST", path, headers=headers, **options)).json()

    async def get(self, path: str, **query: object) -> Any:
        """The JSON at a path. Members of the query that are None are left out."""
        given = {name: value for name, value in query.items() if value is not None}
        return (await self.request("GET", path, params=given)).json()

    async def lines(self, path: str, **query: object) -> AsyncIterator[Any]:
        """The lines of a JSON Lines response as they arrive. Only its beginning is retried."""
        given = cast("dict[str, str]", {name: value for name, value in query.items() if value is not None})
        attempt = 0
        while True:
            try:
                async with self.http.stream("GET", path, params=given) as response:
                    if response.is_success:
                        async for line in response.aiter_lines():
                            yield json.loads(line)
                        return
                    await response.aread()
            except httpx.TransportError as error:
                raise ConnectionFailed(f"the response from {self.http.base_url} is incomplete: {error!r}") from error
            wait = self.retries.wait(attempt, response)
            if wait is None:
                raise of_response(response)
            await asyncio.sleep(wait)
            attempt += 1

    async def graphql(self, query: str, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The data of a GraphQL operation; mutations are not repeated. Raises `GraphQLFailed` on its errors, and on the
        `userErrors` of a mutation."""
        body = {"query": query, "variables": dict(variables or {})}
        repeatable = not query.lstrip().startswith("mutation")
        answer = (await self.request("POST", "/graphql", repeatable=repeatable, json=body)).json()
        if answer.get("errors"):
            raise GraphQLFailed(answer["errors"])
        refused = [
            error
            for payload in answer["data"].values()
            if isinstance(payload, dict)
            for error in payload.get("userErrors") or []
        ]
        if refused:
            raise GraphQLFailed(refused)
        return cast("dict[str, Any]", answer["data"])

    async def pricing(self) -> models.PricingResponse:
        """The prices. Needs no key."""
        return cast(models.PricingResponse, await self.get("/api/pricing"))

    async def health(self) -> models.HealthResponse:
        """Whether the server can answer. Needs no key."""
        return cast(models.HealthResponse, await self.get("/api/v1/moderate/health"))

    async def moderate_text(
        self, *, idempotency_key: str | None = None, **message: Unpack[models.TextModerationRequest]
    ) -> models.TextModerationResponse:
        """The verdict on one message."""
        answer = await self.post("/api/v1/moderate/text", message, idempotency_key)
        return cast(models.TextModerationResponse, answer)

    async def moderate_texts(
        self, *, idempotency_key: str | None = None, **batch: Unpack[models.BatchTextModerationRequest]
    ) -> models.BatchTextModerationResponse:
        """The verdicts on 1 to 50 messages, charged together."""
        answer = await self.post("/api/v1/moderate/text/batch", batch, idempotency_key)
        return cast(models.BatchTextModerationResponse, answer)

    async def moderate_image(
        self, image: models.ImageModerationRequest | bytes, *, idempotency_key: str | None = None
    ) -> models.ImageModerationResponse:
        """What a picture shows: its bytes, `{"image_url": …}` or `{"image_base64": …}`."""
        path = "/api/v1/moderate/image"
        if not isinstance(image, bytes):
            return cast(models.ImageModerationResponse, await self.post(path, image, idempotency_key))
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        answer = await self.request("POST", path, headers=headers, files={"image": image})
        return cast(models.ImageModerationResponse, answer.json())

    async def give_feedback(self, **feedback: Unpack[models.FeedbackRequest]) -> models.FeedbackResponse:
        """Says what was right or wrong about a verdict in the moderation log. Free."""
        answer = await self.request("POST", "/api/v1/moderate/feedback", json=feedback)
        return cast(models.FeedbackResponse, answer.json())

    async def infer(
        self, *, idempotency_key: str | None = None, **inference: Unpack[models.CustomInferenceRequest]
    ) -> models.CustomInferenceResponse:
        """The answers to questions about a state; through a Judge with `judge_id`."""
        answer = await self.post("/api/v1/inference", inference, idempotency_key)
        return cast(models.CustomInferenceResponse, answer)

    async def create_batch(
        self,
        items: Iterable[models.BatchItem],
        metadata: Mapping[str, str] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> models.BatchResponse:
        """Submits up to 50,000 requests that are run in the background."""
        body = {"items": list(items), "metadata": dict(metadata or {})}
        return cast(models.BatchResponse, await self.post("/api/v1/batches", body, idempotency_key))

    async def batch(self, batch_id: str) -> models.BatchResponse:
        """A batch as it is now."""
        return cast(models.BatchResponse, await self.get(f"/api/v1/batches/{quoted(batch_id)}"))

    async def batches(self, page_size: int = 100) -> AsyncIterator[models.BatchResponse]:
        """All batches that the key may see, newest first. Pages are fetched as they are needed."""
        after: str | None = None
        while True:
            page = cast(models.BatchList, await self.get("/api/v1/batches", limit=page_size, after=after))
            for batch in page["data"]:
                yield batch
            if not page["has_more"]:
                return
            after = page["data"][-1]["id"]

    async def cancel_batch(self, batch_id: str) -> models.BatchResponse:
        """Ends a batch at once. What has run stays charged."""
        return cast(models.BatchResponse, await self.post(f"/api/v1/batches/{quoted(batch_id)}/cancel"))

    async def batch_results(self, batch_id: str) -> AsyncIterator[BatchResult]:
        """The results so far, in the order of the items."""
        async for line in self.lines(f"/api/v1/batches/{quoted(batch_id)}/results"):
            yield cast(BatchResult, line)

    async def run_batch(
        self,
        items: Iterable[models.BatchItem],
        progress: Callable[[models.BatchResponse], None] | None = None,
        *,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        interval: float = 1.0,
    ) -> dict[str, BatchResult]:
        """Submits a batch, waits for its end, and returns the results by `custom_id`. `progress` is called with the
        batch when it was submitted, and every `interval` seconds."""
        batch = await self.create_batch(items, metadata, idempotency_key=idempotency_key)
        while True:
            if progress is not None:
                progress(batch)
            if batch["status"] in ENDED:
                break
            await asyncio.sleep(interval)
            batch = await self.batch(batch["id"])
        return {result["custom_id"]: result async for result in self.batch_results(batch["id"])}

    async def create_checkpoint(
        self, judge_id: str, *, idempotency_key: str | None = None, **settings: Unpack[models.CheckpointRequest]
    ) -> models.CheckpointResponse:
        """Trains a Judge's own model on its ground truths."""
        answer = await self.post(f"/api/v1/judges/{quoted(judge_id)}/checkpoints", settings, idempotency_key)
        return cast(models.CheckpointResponse, answer)

    async def checkpoint(self, checkpoint_id: str) -> models.CheckpointResponse:
        """A Checkpoint as it is now."""
        return cast(models.CheckpointResponse, await self.get(f"/api/v1/checkpoints/{quoted(checkpoint_id)}"))

    async def activate_checkpoint(self, checkpoint_id: str) -> models.CheckpointResponse:
        """Lets a Checkpoint answer for its Judge."""
        return cast(models.CheckpointResponse, await self.post(f"/api/v1/checkpoints/{quoted(checkpoint_id)}/activate"))

    async def cancel_checkpoint(self, checkpoint_id: str) -> models.CheckpointResponse:
        """Ends a training."""
        return cast(models.CheckpointResponse, await self.post(f"/api/v1/checkpoints/{quoted(checkpoint_id)}/cancel"))

    async def create_evaluation(
        self, judge_id: str, *, idempotency_key: str | None = None, **settings: Unpack[models.EvaluationRequest]
    ) -> models.EvaluationResponse:
        """Measures a Judge or a Checkpoint on the Judge's labelled samples."""
        answer = await self.post(f"/api/v1/judges/{quoted(judge_id)}/evaluations", settings, idempotency_key)
        return cast(models.EvaluationResponse, answer)

    async def price_evaluation(
        self, judge_id: str, **settings: Unpack[models.EvaluationRequest]
    ) -> models.EvaluationPriceResponse:
        """What an evaluation would cost. Free."""
        answer = await self.post(f"/api/v1/judges/{quoted(judge_id)}/evaluations/price", settings)
        return cast(models.EvaluationPriceResponse, answer)

    async def evaluation(self, evaluation_id: str) -> models.EvaluationResponse:
        """An evaluation as it is now."""
        return cast(models.EvaluationResponse, await self.get(f"/api/v1/evaluations/{quoted(evaluation_id)}"))

    async def cancel_evaluation(self, evaluation_id: str) -> models.EvaluationResponse:
        """Ends an evaluation."""
        return cast(models.EvaluationResponse, await self.post(f"/api/v1/evaluations/{quoted(evaluation_id)}/cancel"))

    async def dataset(self, judge_id: str, **filters: str | bool | int) -> AsyncIterator[dict[str, Any]]:
        """A Judge's samples, or those of the moderation log by its id, as the filters of the export choose them."""
        async for sample in self.lines(f"/api/v1/judges/{quoted(judge_id)}/dataset", format="jsonl", **filters):
            yield sample

    async def import_dataset(
        self,
        judge_id: str,
        samples: Iterable[Mapping[str, Any]],
        *,
        dry_run: bool = False,
        idempotency_key: str | None = None,
    ) -> models.DatasetImportResponse:
        """Adds samples to a Judge's dataset."""
        lines = "\n".join(json.dumps(sample) for sample in samples)
        key = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        answer = await self.request(
            "POST",
            f"/api/v1/judges/{quoted(judge_id)}/dataset",
            params={"format": "jsonl", "dry_run": dry_run},
            headers={"content-type": "application/x-ndjson", **key},
            content=lines.encode(),
        )
        return cast(models.DatasetImportResponse, answer.json())
