#!/usr/bin/env python3
"""WebSocket cases against websocket_server.py. usage: websocket_client.py h1|h2 URL AUTHORITY

See cases.py for what it prints."""

import asyncio
import base64
import hashlib
import json
import os
import ssl
import sys

import websockets.asyncio.client

from cases import case, expect, run
from websocket_over_h2 import PATIENCE, Closed, WebSocketOverHTTP2

VERSION, URL, AUTHORITY = sys.argv[1:]
SECURE = URL.startswith("wss")
loop = asyncio.new_event_loop()


class WebSocket:
    """websockets' connection, driven call by call as WebSocketOverHTTP2 is."""

    def __init__(self, url, context, fields, subprotocols, compression):
        self._connection = wait(websockets.asyncio.client.connect(
            url, ssl=context if SECURE else None, additional_headers=fields, subprotocols=subprotocols, proxy=None,
            compression="deflate" if compression else None, max_size=None, ping_interval=None).__aenter__())
        self.extension = self._connection.response.headers.get("sec-websocket-extensions")
        self.subprotocol = self._connection.subprotocol

    def __enter__(self):
        return self

    def __exit__(self, *_):
        wait(self._connection.close())

    def send(self, message):
        wait(self._connection.send(message))

    def recv(self):
        return wait(self._connection.recv())

    def ping(self):
        async def ping():
            await (await self._connection.ping())
        wait(ping())

    def close(self, code, reason):
        wait(self._connection.close(code, reason))

    def wait_closed(self):
        wait(self._connection.wait_closed())

    @property
    def close_code(self):
        return self._connection.close_code

    @property
    def close_reason(self):
        return self._connection.close_reason


def wait(coroutine):
    return loop.run_until_complete(asyncio.wait_for(coroutine, PATIENCE))


def connect(path, fields=(), compression=True):
    kind = WebSocketOverHTTP2 if VERSION == "h2" else WebSocket
    context = ssl.create_default_context(cafile=AUTHORITY)
    return kind(URL + path, context, list(fields), ["chat"], compression)


@case("text and bytes")
def _():
    with connect("/echo") as link:
        for message in ("hello", "größer", b"\x00\xff", "", b""):
            link.send(message)
            expect(link.recv(), message)


if VERSION == "h2":
    @case("a key that RFC 8441 has no use for is answered, as undici expects")
    def _():
        key = base64.b64encode(b"0123456789abcdef").decode()
        with connect("/echo", [("sec-websocket-key", key)]) as link:
            digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            expect(link.accept, base64.b64encode(digest).decode())
            link.send("hello")
            expect(link.recv(), "hello")

    @case("without a key there is no digest")
    def _():
        with connect("/echo") as link:
            expect(link.accept, None)

    @case("no other protocol is taken for a WebSocket")
    def _():
        for protocol in ("connect-udp", "WebSocket", "websocket2"):
            try:
                WebSocketOverHTTP2(URL + "/echo", ssl.create_default_context(cafile=AUTHORITY), protocol=protocol)
                expect(protocol, "refused")
            except Closed as closed:
                expect(str(closed).startswith("status 501"), True)


@case("many at once, in order")
def _():
    with connect("/echo") as link:
        for number in range(200):
            link.send(f"message {number}")
        expect([link.recv() for _ in range(200)], [f"message {number}" for number in range(200)])


@case("large")
def _():
    message = os.urandom(1_000_000)
    with connect("/echo") as link:
        link.send(message)
        expect(link.recv() == message, True)


@case("permessage-deflate")
def _():
    with connect("/echo") as link:
        expect((link.extension or "").split(";")[0], "permessage-deflate")
        for message in ("x" * 100_000, "abc " * 1000):
            link.send(message)
            expect(link.recv() == message, True)
    with connect("/echo", compression=False) as link:
        expect(link.extension, None)
        link.send("plain")
        expect(link.recv(), "plain")


@case("pings of the client")
def _():
    with connect("/echo") as link:
        for _ in range(3):
            link.ping()
        link.send("still there")
        expect(link.recv(), "still there")


@case("the client closes")
def _():
    for code, reason in ((1000, ""), (1001, "going away"), (4321, "für mich")):
        with connect("/noted") as link:
            link.send("x")
            link.recv()
            link.close(code, reason)
            expect(link.close_code, code)
        with connect("/last") as other:
            expect(other.recv(), f"{code} {reason}")


@case("the server closes")
def _():
    for code, reason in ((1000, ""), (1011, "broken"), (4001, "für dich")):
        with connect("/close") as link:
            link.send(f"{code} {reason}")
            link.wait_closed()
            expect((link.close_code, link.close_reason), (code, reason))


@case("fields and subprotocol")
def _():
    with connect("/head", [("x-test", "abc"), ("cookie", "a=1; b=2")]) as link:
        told = json.loads(link.recv())
        expect((told["x-test"], told["cookie"], told["sec-websocket-version"]), ("abc", "a=1; b=2", "13"))
        expect(link.subprotocol, "chat")


@case("many connections")
def _():
    links = [connect("/echo") for _ in range(30)]
    for number, link in enumerate(links):
        link.send(str(number))
    expect([link.recv() for link in links], [str(number) for number in range(30)])
    for link in links:
        link.__exit__()


@case("pings of the server")
def _():
    with connect("/ping") as link:
        expect(link.recv(), "pong")


run()
