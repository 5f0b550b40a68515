"""What can go wrong, as exceptions. Those of the server carry the documented body of the error."""

from collections.abc import Mapping
from json import JSONDecodeError
from typing import Any, cast

import httpx

from .models import ErrorResponse, FieldError


class GavelError(Exception):
    """Any failure of a request."""


class ConnectionFailed(GavelError):
    """No response came, also after the retries."""


class WebhookInvalid(GavelError):
    """A request was not sent by Gavel, or is too old."""


class GraphQLFailed(GavelError):
    """GraphQL refused an operation. `errors` has all of its errors, and those of a mutation's `userErrors`."""

    def __init__(self, errors: list[Mapping[str, Any]]) -> None:
        super().__init__("; ".join(str(error.get("message")) for error in errors))
        self.errors = errors

    @property
    def code(self) -> str | None:
        """The code of the first error, such as `CONFLICT`."""
        first = self.errors[0] if self.errors else {}
        code = first.get("code") or first.get("extensions", {}).get("code")
        return cast("str | None", code)


class ApiError(GavelError):
    """An error that the server returned. The subclass says which status."""

    def __init__(self, response: httpx.Response, body: ErrorResponse) -> None:
        super().__init__(f"{response.status_code} {body['code']}: {body['error']} ({body['request_id']})")
        self.status = response.status_code
        self.body = body
        self.message: str = body["error"]
        self.code: str = body["code"]
        self.request_id: str = body["request_id"]
        self.details: list[FieldError] = body.get("details") or []


class Unauthorized(ApiError):
    """401: no API key, or none that is valid."""


class InsufficientCredits(ApiError):
    """402: the balance is lower than the cost."""


class Forbidden(ApiError):
    """403: the key lacks a scope."""


class NotFound(ApiError):
    """404: there is none of the account's with this id or name."""


class Conflict(ApiError):
    """409: the state of the resource does not allow this, or a quota is used up."""


class PayloadTooLarge(ApiError):
    """413: the body exceeds the path's limit."""


class ValidationFailed(ApiError):
    """422: `details` names the fields at fault."""


class RateLimited(ApiError):
    """429: too many requests per minute, also after the retries."""


class ServerFailed(ApiError):
    """500 to 599: the server could not answer, also after the retries. Nothing was charged."""


BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    402: InsufficientCredits,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: PayloadTooLarge,
    422: ValidationFailed,
    429: RateLimited,
}


def of_response(response: httpx.Response) -> ApiError:
    """The exception for a response whose body was read."""
    status = response.status_code
    kind = ServerFailed if status >= 500 else BY_STATUS.get(status, ApiError)
    return kind(response, body_of(response))


def body_of(response: httpx.Response) -> ErrorResponse:
    """The documented body, also of an error of GraphQL, and of one that a proxy sent in place of Gavel."""
    try:
        body = response.json()
    except (JSONDecodeError, UnicodeDecodeError):
        body = None
    match body:
        case {"error": str(), "code": str(), "request_id": str()}:
            return cast(ErrorResponse, body)
        case {"errors": [{"message": str(message), "extensions": {"code": str(code), "request_id": str(request_id)}}]}:
            return {"error": message, "code": code, "request_id": request_id}
    request_id = response.headers.get("x-request-id", "no request id")
    return {"error": response.text[:200] or response.reason_phrase, "code": "UNKNOWN", "request_id": request_id}
