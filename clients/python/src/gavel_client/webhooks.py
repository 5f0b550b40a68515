"""Verifies webhooks, which are signed as Standard Webhooks 1.0 says."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import cast

from .errors import WebhookInvalid
from .results import WebhookEvent


def verify(secret: str, headers: Mapping[str, str], body: bytes, tolerance: float = 300) -> WebhookEvent:
    """The event in `body`, the bytes as they arrived. Raises `WebhookInvalid` unless they are signed with the secret
    (`whsec_…`) and were sent at most `tolerance` seconds ago."""
    named = {name.lower(): value for name, value in headers.items()}
    try:
        event, timestamp, signatures = (named[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        age = abs(time.time() - int(timestamp))
    except (KeyError, ValueError):
        raise WebhookInvalid("the headers of a webhook are missing, or no number") from None
    if age > tolerance:
        raise WebhookInvalid(f"the webhook was sent {age:.0f} seconds ago; {tolerance:.0f} are allowed")
    expected = signature(secret, event, timestamp, body)
    if not any(hmac.compare_digest(f"v1,{expected}".encode(), given.encode()) for given in signatures.split()):
        raise WebhookInvalid("the webhook is not signed with this secret")
    return cast(WebhookEvent, json.loads(body))


def signature(secret: str, event: str, timestamp: str, body: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("secret must be whsec_ followed by base64") from None
    signed = f"{event}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
