"""What the API sends as lines, and what the description therefore has no types for."""

from collections.abc import Mapping
from typing import Any, TypedDict


class ItemResponse(TypedDict):
    """The response to one item, as its endpoint would send it."""

    status_code: int
    request_id: str
    body: Any


class ItemError(TypedDict):
    """Why an item has failed."""

    code: str
    message: str


class BatchResult(TypedDict):
    """The result of one item of a batch."""

    custom_id: str
    response: ItemResponse | None
    error: ItemError | None


class WebhookEvent(TypedDict):
    """An event. Later versions may add types and members."""

    type: str
    timestamp: str
    data: Mapping[str, Any]
