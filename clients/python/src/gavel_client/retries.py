"""When a request is sent again."""

import random
from dataclasses import dataclass

import httpx

RETRIED = {429, 500, 502, 503, 504}


@dataclass(frozen=True)
class Retries:
    """Requests are repeated when no response came, and on 429 and 5xx: after `first` seconds, then twice as long each
    time, up to `longest`, or later if the server asks for it."""

    count: int = 3
    first: float = 0.5
    longest: float = 8.0
    # The longest `Retry-After` that is waited for.
    patience: float = 60.0

    def wait(self, attempt: int, response: httpx.Response | None) -> float | None:
        """Seconds until the next attempt after `attempt`, which counts from 0; None for no more."""
        if attempt >= self.count or (response is not None and not self.is_temporary(response)):
            return None
        asked = after(response)
        if asked > self.patience:
            return None
        backoff = min(self.first * 2.0**attempt, self.longest)
        return max(asked, backoff * random.uniform(0.5, 1))

    def is_temporary(self, response: httpx.Response) -> bool:
        return response.status_code in RETRIED or (response.status_code == 409 and after(response) > 0)


def after(response: httpx.Response | None) -> float:
    """The seconds of `Retry-After`; 0 without."""
    text = response.headers.get("retry-after", "") if response is not None else ""
    return float(text) if text.isascii() and text.isdecimal() else 0.0
