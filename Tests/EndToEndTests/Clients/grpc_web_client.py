#!/usr/bin/env python3
"""A client of gRPC-Web for grpc_shop_server.py behind Shunt. usage: grpc_web_client.py URL VERSION, 1 or 2

See cases.py for what it prints."""

import base64
import struct
import sys

import httpx

from cases import case, expect, run

URL, VERSION = sys.argv[1:]
client = httpx.Client(http1=VERSION == "1", http2=VERSION == "2", trust_env=False, timeout=60)


def item(name):
    return b"\x0a" + bytes([len(name)]) + name


def frame(message, flags=0):
    return struct.pack(">BI", flags, len(message)) + message


def plain(text):
    """The bytes of pieces of Base64, each with its own padding."""
    parts, rest = [], text
    while rest:
        end = rest.find(b"=")
        if end < 0:
            return b"".join(parts) + base64.b64decode(rest)
        while end < len(rest) and rest[end] == 0x3D:
            end += 1
        parts.append(base64.b64decode(rest[:end]))
        rest = rest[end:]
    return b"".join(parts)


def frames(body):
    found = []
    while body:
        flags, size = struct.unpack(">BI", body[:5])
        expect(len(body) >= 5 + size, True)
        found.append((flags, body[5:5 + size]))
        body = body[5 + size:]
    return found


def call(method, message, text=False, fields=None):
    """The response's head, its messages and its trailers."""
    kind = "application/grpc-web-text" if text else "application/grpc-web+proto"
    body = frame(message)
    response = client.post(
        f"{URL}/shop.v1.Cart/{method}", content=base64.b64encode(body) if text else body,
        headers={"Content-Type": kind, "X-Grpc-Web": "1", "Accept": kind, **(fields or {})})
    expect(response.status_code, 200)
    expect(response.headers["content-type"], "application/grpc-web-text+proto" if text else kind)
    all_frames = frames(plain(response.content) if text else response.content)
    expect([flags for flags, _ in all_frames], [0] * (len(all_frames) - 1) + [0x80])
    lines = [line.split(": ", 1) for line in all_frames[-1][1].decode().split("\r\n") if line]
    return response.headers, [message for _, message in all_frames[:-1]], dict(lines)


@case("unary, binary and text")
def _():
    for text in (False, True):
        _, messages, trailers = call("Get", item(b"a7"), text)
        expect(messages, [item(b"got") + b"\x10\x07"])
        expect((trailers["grpc-status"], trailers["x-trailing"]), ("0", "last"))


@case("server streaming, binary and text")
def _():
    for text in (False, True):
        _, messages, trailers = call("Watch", item(b"w"), text)
        expect(messages, [item(b"1"), item(b"2"), item(b"3")])
        expect(trailers["grpc-status"], "0")


@case("a status after messages")
def _():
    for text in (False, True):
        _, messages, trailers = call("Watch", item(b"late"), text)
        expect((len(messages), trailers["grpc-status"], trailers["grpc-message"]), (3, "8", "no fourth"))


@case("a status alone")
def _():
    for text in (False, True):
        head, messages, trailers = call("Get", item(b"missing"), text)
        expect((messages, trailers["grpc-status"]), ([], "5"))
        expect(trailers["grpc-message"], "it is 100 %25 gone: %C3%BC")
        expect("grpc-status" in head, False)


@case("a method that is not there")
def _():
    _, messages, trailers = call("Nothing", item(b"a"))
    expect((messages, trailers["grpc-status"]), ([], "12"))


@case("a page of another origin")
def _():
    origin = {"Origin": "https://app.shop.test"}
    asked = client.options(
        f"{URL}/shop.v1.Cart/Get",
        headers={**origin, "Access-Control-Request-Method": "POST",
                 "Access-Control-Request-Headers": "content-type,x-grpc-web"})
    expect(asked.status_code // 100, 2)
    expect(asked.headers["access-control-allow-headers"].lower().replace(" ", ""), "content-type,x-grpc-web")
    head, messages, _ = call("Get", item(b"a7"), True, origin)
    expect((head["access-control-allow-origin"], len(messages)), ("https://app.shop.test", 1))


@case("text that is no Base64")
def _():
    response = client.post(f"{URL}/shop.v1.Cart/Get", content=b"***",
                           headers={"Content-Type": "application/grpc-web-text"})
    expect((response.status_code, "no Base64" in response.text), (400, True))


run()
