"""A client for Gavel: typed from its API description, with retries that are charged once, pagination, batches with
progress, verified webhooks and typed errors. `community` is what moderation bots of all platforms share."""

from . import community, models, webhooks
from .asynchronous import AsyncGavel
from .errors import (
    ApiError,
    Conflict,
    ConnectionFailed,
    Forbidden,
    GavelError,
    GraphQLFailed,
    InsufficientCredits,
    NotFound,
    PayloadTooLarge,
    RateLimited,
    ServerFailed,
    Unauthorized,
    ValidationFailed,
    WebhookInvalid,
)
from .results import BatchResult, ItemError, ItemResponse, WebhookEvent
from .retries import Retries
from .synchronous import Gavel

__all__ = [
    "ApiError",
    "AsyncGavel",
    "BatchResult",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "Gavel",
    "GavelError",
    "GraphQLFailed",
    "InsufficientCredits",
    "ItemError",
    "ItemResponse",
    "NotFound",
    "PayloadTooLarge",
    "RateLimited",
    "Retries",
    "ServerFailed",
    "Unauthorized",
    "ValidationFailed",
    "WebhookEvent",
    "WebhookInvalid",
    "community",
    "models",
    "webhooks",
]
