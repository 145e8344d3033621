#!/usr/bin/env python3
"""A gRPC client of mocks of shop.v1.Cart, whose messages are bytes here. usage: grpc_mock_client.py ADDRESS

See cases.py for what it prints."""

import sys

import grpc

from cases import case, expect, run
from grpc_failure import failure

PATIENCE = 60
channel = grpc.insecure_channel(sys.argv[1], options=[("grpc.enable_http_proxy", 0)])


def call(kind, name):
    return getattr(channel, kind)("/shop.v1.Cart/" + name)


def item(name):
    return b"\x0a" + bytes([len(name)]) + name.encode()


@case("unary, by its message")
def _():
    expect(call("unary_unary", "Get")(item("a"), timeout=PATIENCE), item("first") + b"\x10\x07")


@case("unary, compressed")
def _():
    expect(call("unary_unary", "Get")(item("a"), timeout=PATIENCE, compression=grpc.Compression.Gzip),
           item("first") + b"\x10\x07")


@case("unary, a template")
def _():
    expect(call("unary_unary", "Get")(item("b"), timeout=PATIENCE), item("got b"))


@case("a status with details")
def _():
    error = failure(lambda: call("unary_unary", "Get")(item("c"), timeout=PATIENCE))
    expect((error.code(), error.details()), (grpc.StatusCode.NOT_FOUND, "no c: 100 % ü"))
    details = dict(error.trailing_metadata())["grpc-status-details-bin"]
    expect(details.startswith(b"\x08\x05\x12") and b"shop.v1.GetRequest" in details, True)


@case("server streaming, then a status")
def _():
    responses = call("unary_stream", "Watch")(item("w"), timeout=PATIENCE)
    expect([next(responses), next(responses)], [item("1"), item("2")])
    expect(failure(lambda: next(responses)).code(), grpc.StatusCode.UNAVAILABLE)


@case("client streaming")
def _():
    expect(call("stream_unary", "Fill")(iter([item("x")] * 20), timeout=PATIENCE), item("sum"))


@case("bidirectional, whose client ends last")
def _():
    expect(list(call("stream_stream", "Talk")(iter([item("x")]), timeout=PATIENCE)), [item("hello"), item("bye")])


@case("many calls at once")
def _():
    pending = [call("unary_unary", "Get").future(item("a"), timeout=PATIENCE) for _ in range(50)]
    expect({one.result() for one in pending}, {item("first") + b"\x10\x07"})


run()
