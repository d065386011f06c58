"""Who may look at the mat and send it commands: the page, on this computer or with the token.

A page of another site must neither read the mat nor send it anything, whatever name it reaches
this server by. So without a token the Host must be this computer, and for requests that change
something, WebSockets included, the Origin must be the Host.
"""

import ipaddress
import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "polarity"
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
READING = ("GET", "HEAD")
MOST_BYTES = 4096  # of a request's body
MOST_DIGITS = 9  # of its Content-Length

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """True for an address that only this computer can reach."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def policy(scripts: str = "'self'") -> str:
    """The Content-Security-Policy of a page; `scripts`: where its scripts may come from."""
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )


class AccessGuard:
    """ASGI middleware. `token` "" admits this computer, and nobody else can reach the server. Any
    other token is required: as `?token=` in the link once and then as a cookie, or as a Bearer.
    """

    def __init__(self, app: ASGIApp, token: str = ""):
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        why = self._refusal(scope, headers)
        if why:
            await _refuse(scope, receive, send, why)
        elif scope["type"] == "http" and self._came_by_link(scope):
            # one slash: `//evil.example` would be another site
            response = RedirectResponse("/" + scope["path"].lstrip("/"), 303)
            response.set_cookie(
                COOKIE, self._token, max_age=30 * 86400, httponly=True, samesite="strict"
            )
            await response(scope, receive, send)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: Mapping[str, str]) -> str:
        host = headers.get("host", "")
        if not self._token and _name(host) not in LOCAL_NAMES:
            return "this server is for this computer only: open it as localhost"
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in READING
        if origin is not None and changes and _site(origin) != host:
            return "a page of another site may not speak to the mat"
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and changes:
            return "a page of another site may not speak to the mat"
        if changes and scope["type"] == "http":
            if not headers.get("content-type", "").startswith("application/json"):
                return "send JSON, and say so: Content-Type: application/json"
            length = headers.get("content-length", "")
            if not (length.isascii() and length.isdigit()):
                return "say how long it is: Content-Length"
            if len(length) > MOST_DIGITS or int(length) > MOST_BYTES:
                return f"too long: at most {MOST_BYTES} bytes"
        if self._token and not self._has_token(scope, headers):
            return "the link with the token is needed; it is shown where polarity live was started"
        return ""

    def _has_token(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        cookies = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            cookies.clear()
        tokens = [cookies[COOKIE].value if COOKIE in cookies else ""]
        tokens.append(headers.get("authorization", "").removeprefix("Bearer "))
        if self._came_by_link(scope):
            return True
        return any(secrets.compare_digest(one.encode(), self._token.encode()) for one in tokens)

    def _came_by_link(self, scope: Scope) -> bool:
        if not self._token or scope["type"] != "http" or scope["method"] not in READING:
            return False
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return secrets.compare_digest(token.encode(), self._token.encode())


def _name(host: str) -> str:
    """The Host header without its port."""
    return host.rsplit(":", 1)[0] if not host.endswith("]") else host


def _site(origin: str) -> str:
    """The host of an Origin header; "" where it is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    if scope["type"] == "http":
        await PlainTextResponse(why + "\n", 403, HEADERS)(scope, receive, send)
    else:
        await receive()
        await send({"type": "websocket.close", "code": 4403, "reason": why})


def _with_headers(send: Send) -> Send:
    """`send`, with HEADERS added to the response's own."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name for name, _ in message["headers"]}
            more = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [
                *message["headers"], *((n, v) for n, v in more if n not in present)
            ]  # fmt: skip
        await send(message)

    return send_with_headers
