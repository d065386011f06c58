"""Who may look at the mat, and who may send it commands: the page, on this computer or with one of
two tokens. The players' admits to everything, the spectators' to what changes nothing.

A page of another site must neither read the mat nor send it anything, whatever name it reaches
this server by. So without a token the Host must be this computer, and for requests that change
something, WebSockets included, the Origin must be the Host.
"""

import ipaddress
import secrets
from collections.abc import Iterator, Mapping
from enum import StrEnum
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "polarity"  # and the port: a browser sends cookies to every port of a host
COOKIE_S = 400 * 86400  # as long as browsers keep one; the token stays right until it is renewed
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
READING = ("GET", "HEAD")
WATCHING = "this link is for watching only: take the players' link for that"
MOST_BYTES = 4096  # of a request's body
MOST_DIGITS = 9  # of its Content-Length

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Role(StrEnum):
    """What a link admits to: everything, or what changes nothing."""

    PLAYER = "player"
    SPECTATOR = "spectator"


def role_of(connection: HTTPConnection) -> Role:
    """The role of who sent a request or opened a WebSocket, which the guard has admitted."""
    return connection.scope["role"]


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
    """ASGI middleware. Without `tokens` it admits this computer, as a player, and nobody else can
    reach the server. Else one of them is required, and says in which role: as `?token=` in the link
    once and then as a cookie, or as a Bearer.
    """

    def __init__(self, app: ASGIApp, tokens: Mapping[Role, str]):
        self._app, self._tokens = app, tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        by_link = self._role_by(_token_of_link(scope))
        role = by_link or self._role_by(*_tokens_of_headers(headers, _cookie(scope)))
        if not self._tokens:
            role = Role.PLAYER
        why = self._refusal(scope, headers, role)
        if why:
            await _refuse(scope, receive, send, why)
        elif by_link:
            # one slash: `//evil.example` would be another site
            response = RedirectResponse("/" + scope["path"].lstrip("/"), 303)
            response.set_cookie(
                _cookie(scope), self._tokens[by_link], max_age=COOKIE_S, httponly=True,
                samesite="strict", secure=scope["scheme"] == "https",
            )  # fmt: skip
            await response(scope, receive, send)
        else:
            await self._app({**scope, "role": role}, receive, _with_headers(send))

    def _role_by(self, *given: str) -> Role | None:
        """The role that the first of these tokens that is right admits to."""
        for token in given:
            for role, own in self._tokens.items():
                if secrets.compare_digest(token.encode(), own.encode()):
                    return role
        return None

    def _refusal(self, scope: Scope, headers: Mapping[str, str], role: Role | None) -> str:
        host = headers.get("host", "")
        if not self._tokens and _name(host) not in LOCAL_NAMES:
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
        if not role:
            return "the link with the token is needed; it is shown where polarity live was started"
        if role is Role.SPECTATOR and changes and scope["type"] == "http":
            return WATCHING
        return ""


def _cookie(scope: Scope) -> str:
    """What the cookie of this server is named."""
    return f"{COOKIE}-{scope['server'][1]}"


def _tokens_of_headers(headers: Mapping[str, str], cookie: str) -> Iterator[str]:
    yield headers.get("authorization", "").removeprefix("Bearer ")
    cookies = SimpleCookie()
    try:
        cookies.load(headers.get("cookie", ""))
    except CookieError:
        return
    if cookie in cookies:
        yield cookies[cookie].value


def _token_of_link(scope: Scope) -> str:
    """The token in the address of a page that is opened; "" for none."""
    if scope["type"] != "http" or scope["method"] not in READING:
        return ""
    return parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]


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
