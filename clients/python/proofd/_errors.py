"""Errors: what a call raises.

Every error has a `slug` to branch on, a `code`, the `field` of the request at fault or None, and a `message` for
people. A ServerError is a reply of the server; the slugs and codes of those are in `proofd.ERROR_CODES`. The others are
the library's own.
"""

from __future__ import annotations

from typing import Any, Dict, Optional


class ProofdError(Exception):
    """What went wrong. `code` is 0 where the protocol has no number for it."""

    def __init__(self, slug: str, code: int, field: Optional[str], message: str) -> None:
        super().__init__(message)
        self.slug = slug
        self.code = code
        self.field = field
        self.message = message

    def __str__(self) -> str:
        return "%s: %s" % (self.slug, self.message)


class ServerError(ProofdError):
    """The server refused a request."""


class Unreachable(ProofdError):
    """No server answers, or the connection is lost and could not be made again. The request was not carried out, or
    it only reads."""

    def __init__(self, message: str, slug: str = "unreachable", code: int = 22) -> None:
        super().__init__(slug, code, None, message)


class UnknownFate(Unreachable):
    """The connection ended while a request that changes something was in flight. It may have been carried out or
    not, and is not repeated: check before you repeat it. `method` names it. A job.submit with a key never fails like
    this."""

    def __init__(self, method: str, why: str) -> None:
        super().__init__("%s: %s; it may have been carried out or not" % (method, why), "unknown-fate", 0)
        self.method = method


class CallTimeout(ProofdError):
    """There was no reply in time. The server continues with the request; its reply will be dropped."""

    def __init__(self, method: str, seconds: float) -> None:
        super().__init__("timeout", 0, None, "%s: no reply within %g seconds" % (method, seconds))
        self.method = method


class ClientClosed(ProofdError):
    """The client was closed, or the call cancelled."""

    def __init__(self, message: str = "the client is closed") -> None:
        super().__init__("closed", 0, None, message)


class NotProofd(ProofdError):
    """What arrived is not a line of the protocol."""

    def __init__(self, message: str) -> None:
        super().__init__("protocol", 0, None, message)


def error_of(reply: Dict[str, Any]) -> ServerError:
    """The exception of an `error` member."""
    data = reply.get("data") or {}
    return ServerError(
        str(data.get("slug", "internal")), int(reply.get("code", 0)), data.get("field"), str(reply.get("message", ""))
    )


def retryable(error: ProofdError) -> bool:
    """Whether another attempt to connect may succeed: no server answers, or it has too many clients."""
    return error.slug in ("unreachable", "limit", "busy", "shutting-down", "no-memory")
