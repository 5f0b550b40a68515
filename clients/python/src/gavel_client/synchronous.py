"""A client that waits for each response. Generated from asynchronous.py by clients/generate.py."""

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
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


class Gavel:
    """Requests to one server with one API key (`svc_live_…`). Requests that are charged carry an `Idempotency-Key` over
    their retries, so each is charged once; give your own to keep it over a restart too."""

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        retries: Retries | None = None,
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.retries = retries or Retries()
        headers = {"user-agent": f"gavel-client-python/{__version__}"}
        if key:
            headers["authorization"] = f"Bearer {key}"
        self.http = httpx.Client(base_url=base_url, headers=headers, timeout=timeout, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self.http.close()

    def request(self, method: str, path: str, *, repeatable: bool = True, **options: Any) -> httpx.Response:
        """Sends a request, with retries if it is `repeatable`. `options` are httpx's; an error status raises an
        `ApiError`."""
        attempt = 0 if repeatable else self.retries.count
        while True:
            response: httpx.Response | None = None
            failure: httpx.TransportError | None = None
            try:
                response = self.http.request(method, path, **options)
            except httpx.TransportError as error:
                failure = error
            if response is not None and response.is_success:
                return response
            wait = self.retries.wait(attempt, response)
            if wait is None and response is not None:
                raise of_response(response)
            if wait is None:
                raise ConnectionFailed(f"no response from {self.http.base_url}: {failure!r}") from failure
            time.sleep(wait)
            attempt += 1

    def post(self, path: str, body: object = None, idempotency_key: str | None = None) -> Any:
        """Posts JSON under an idempotency key, and returns the response's JSON."""
        options: dict[str, Any] = {} if body is None else {"json": body}
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return (self.request("POST", path, headers=headers, **options)).json()

    def get(self, path: str, **query: object) -> Any:
        """The JSON at a path. Members of the query that are None are left out."""
        given = {name: value for name, value in query.items() if value is not None}
        return (self.request("GET", path, params=given)).json()

    def lines(self, path: str, **query: object) -> Iterator[Any]:
        """The lines of a JSON Lines response as they arrive. Only its beginning is retried."""
        given = cast("dict[str, str]", {name: value for name, value in query.items() if value is not None})
        attempt = 0
        while True:
            try:
                with self.http.stream("GET", path, params=given) as response:
                    if response.is_success:
                        for line in response.iter_lines():
                            yield json.loads(line)
                        return
                    response.read()
            except httpx.TransportError as error:
                raise ConnectionFailed(f"the response from {self.http.base_url} is incomplete: {error!r}") from error
            wait = self.retries.wait(attempt, response)
            if wait is None:
                raise of_response(response)
            time.sleep(wait)
            attempt += 1

    def graphql(self, query: str, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The data of a GraphQL operation; mutations are not repeated. Raises `GraphQLFailed` on its errors, and on the
        `userErrors` of a mutation."""
        body = {"query": query, "variables": dict(variables or {})}
        repeatable = not query.lstrip().startswith("mutation")
        answer = (self.request("POST", "/graphql", repeatable=repeatable, json=body)).json()
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

    def pricing(self) -> models.PricingResponse:
        """The prices. Needs no key."""
        return cast(models.PricingResponse, self.get("/api/pricing"))

    def health(self) -> models.HealthResponse:
        """Whether the server can answer. Needs no key."""
        return cast(models.HealthResponse, self.get("/api/v1/moderate/health"))

    def moderate_text(
        self, *, idempotency_key: str | None = None, **message: Unpack[models.TextModerationRequest]
    ) -> models.TextModerationResponse:
        """The verdict on one message."""
        answer = self.post("/api/v1/moderate/text", message, idempotency_key)
        return cast(models.TextModerationResponse, answer)

    def moderate_texts(
        self, *, idempotency_key: str | None = None, **batch: Unpack[models.BatchTextModerationRequest]
    ) -> models.BatchTextModerationResponse:
        """The verdicts on 1 to 50 messages, charged together."""
        answer = self.post("/api/v1/moderate/text/batch", batch, idempotency_key)
        return cast(models.BatchTextModerationResponse, answer)

    def moderate_image(
        self, image: models.ImageModerationRequest | bytes, *, idempotency_key: str | None = None
    ) -> models.ImageModerationResponse:
        """What a picture shows: its bytes, `{"image_url": …}` or `{"image_base64": …}`."""
        path = "/api/v1/moderate/image"
        if not isinstance(image, bytes):
            return cast(models.ImageModerationResponse, self.post(path, image, idempotency_key))
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        answer = self.request("POST", path, headers=headers, files={"image": image})
        return cast(models.ImageModerationResponse, answer.json())

    def give_feedback(self, **feedback: Unpack[models.FeedbackRequest]) -> models.FeedbackResponse:
        """Says what was right or wrong about a verdict in the moderation log. Free."""
        answer = self.request("POST", "/api/v1/moderate/feedback", json=feedback)
        return cast(models.FeedbackResponse, answer.json())

    def infer(
        self, *, idempotency_key: str | None = None, **inference: Unpack[models.CustomInferenceRequest]
    ) -> models.CustomInferenceResponse:
        """The answers to questions about a state; through a Judge with `judge_id`."""
        answer = self.post("/api/v1/inference", inference, idempotency_key)
        return cast(models.CustomInferenceResponse, answer)

    def create_batch(
        self,
        items: Iterable[models.BatchItem],
        metadata: Mapping[str, str] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> models.BatchResponse:
        """Submits up to 50,000 requests that are run in the background."""
        body = {"items": list(items), "metadata": dict(metadata or {})}
        return cast(models.BatchResponse, self.post("/api/v1/batches", body, idempotency_key))

    def batch(self, batch_id: str) -> models.BatchResponse:
        """A batch as it is now."""
        return cast(models.BatchResponse, self.get(f"/api/v1/batches/{quoted(batch_id)}"))

    def batches(self, page_size: int = 100) -> Iterator[models.BatchResponse]:
        """All batches that the key may see, newest first. Pages are fetched as they are needed."""
        after: str | None = None
        while True:
            page = cast(models.BatchList, self.get("/api/v1/batches", limit=page_size, after=after))
            yield from page["data"]
            if not page["has_more"]:
                return
            after = page["data"][-1]["id"]

    def cancel_batch(self, batch_id: str) -> models.BatchResponse:
        """Ends a batch at once. What has run stays charged."""
        return cast(models.BatchResponse, self.post(f"/api/v1/batches/{quoted(batch_id)}/cancel"))

    def batch_results(self, batch_id: str) -> Iterator[BatchResult]:
        """The results so far, in the order of the items."""
        for line in self.lines(f"/api/v1/batches/{quoted(batch_id)}/results"):
            yield cast(BatchResult, line)

    def run_batch(
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
        batch = self.create_batch(items, metadata, idempotency_key=idempotency_key)
        while True:
            if progress is not None:
                progress(batch)
            if batch["status"] in ENDED:
                break
            time.sleep(interval)
            batch = self.batch(batch["id"])
        return {result["custom_id"]: result for result in self.batch_results(batch["id"])}

    def create_checkpoint(
        self, judge_id: str, *, idempotency_key: str | None = None, **settings: Unpack[models.CheckpointRequest]
    ) -> models.CheckpointResponse:
        """Trains a Judge's own model on its ground truths."""
        answer = self.post(f"/api/v1/judges/{quoted(judge_id)}/checkpoints", settings, idempotency_key)
        return cast(models.CheckpointResponse, answer)

    def checkpoint(self, checkpoint_id: str) -> models.CheckpointResponse:
        """A Checkpoint as it is now."""
        return cast(models.CheckpointResponse, self.get(f"/api/v1/checkpoints/{quoted(checkpoint_id)}"))

    def activate_checkpoint(self, checkpoint_id: str) -> models.CheckpointResponse:
        """Lets a Checkpoint answer for its Judge."""
        return cast(models.CheckpointResponse, self.post(f"/api/v1/checkpoints/{quoted(checkpoint_id)}/activate"))

    def cancel_checkpoint(self, checkpoint_id: str) -> models.CheckpointResponse:
        """Ends a training."""
        return cast(models.CheckpointResponse, self.post(f"/api/v1/checkpoints/{quoted(checkpoint_id)}/cancel"))

    def create_evaluation(
        self, judge_id: str, *, idempotency_key: str | None = None, **settings: Unpack[models.EvaluationRequest]
    ) -> models.EvaluationResponse:
        """Measures a Judge or a Checkpoint on the Judge's labelled samples."""
        answer = self.post(f"/api/v1/judges/{quoted(judge_id)}/evaluations", settings, idempotency_key)
        return cast(models.EvaluationResponse, answer)

    def price_evaluation(
        self, judge_id: str, **settings: Unpack[models.EvaluationRequest]
    ) -> models.EvaluationPriceResponse:
        """What an evaluation would cost. Free."""
        answer = self.post(f"/api/v1/judges/{quoted(judge_id)}/evaluations/price", settings)
        return cast(models.EvaluationPriceResponse, answer)

    def evaluation(self, evaluation_id: str) -> models.EvaluationResponse:
        """An evaluation as it is now."""
        return cast(models.EvaluationResponse, self.get(f"/api/v1/evaluations/{quoted(evaluation_id)}"))

    def cancel_evaluation(self, evaluation_id: str) -> models.EvaluationResponse:
        """Ends an evaluation."""
        return cast(models.EvaluationResponse, self.post(f"/api/v1/evaluations/{quoted(evaluation_id)}/cancel"))

    def dataset(self, judge_id: str, **filters: str | bool | int) -> Iterator[dict[str, Any]]:
        """A Judge's samples, or those of the moderation log by its id, as the filters of the export choose them."""
        yield from self.lines(f"/api/v1/judges/{quoted(judge_id)}/dataset", format="jsonl", **filters)

    def import_dataset(
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
        answer = self.request(
            "POST",
            f"/api/v1/judges/{quoted(judge_id)}/dataset",
            params={"format": "jsonl", "dry_run": dry_run},
            headers={"content-type": "application/x-ndjson", **key},
            content=lines.encode(),
        )
        return cast(models.DatasetImportResponse, answer.json())
