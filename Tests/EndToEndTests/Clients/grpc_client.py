#!/usr/bin/env python3
"""A gRPC client of grpc_server.py. usage: grpc_client.py ADDRESS [AUTHORITY], without an authority in plain text.

See cases.py for what it prints."""

import json
import queue
import sys
import threading
import time

import grpc

from cases import case, expect, run
from grpc_failure import failure

OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1),
           ("grpc.enable_http_proxy", 0)]
PATIENCE = 20


def connect(address, authority=None):
    if authority is None:
        return grpc.insecure_channel(address, options=OPTIONS)
    with open(authority, "rb") as file:
        return grpc.secure_channel(address, grpc.ssl_channel_credentials(file.read()), options=OPTIONS)


channel = connect(*sys.argv[1:])


def call(kind, name):
    return getattr(channel, kind)("/shunt.test.Echo/" + name)


def unary(name):
    return call("unary_unary", name)


@case("unary")
def _():
    expect(unary("Unary")(b"hello", timeout=PATIENCE), b"hello")
    expect(unary("Unary")(b"", timeout=PATIENCE), b"")


@case("client streaming")
def _():
    messages = [str(number).encode() for number in range(100)]
    expect(call("stream_unary", "Collect")(iter(messages), timeout=PATIENCE), b" ".join(messages))


@case("server streaming")
def _():
    expect(list(call("unary_stream", "Count")(b"100", timeout=PATIENCE)),
           [str(number).encode() for number in range(100)])


@case("bidirectional: each message is seen before the next one is sent")
def _():
    messages = queue.Queue()
    responses = call("stream_stream", "Echo")(iter(messages.get, None), timeout=PATIENCE)
    for number in range(50):
        messages.put(b"%d" % number)
        expect(next(responses), b"echo:%d" % number)
    messages.put(None)
    expect(list(responses), [])


@case("big messages")
def _():
    message = bytes(range(256)) * (4 << 12)  # 4 MiB
    expect(unary("Unary")(message, timeout=PATIENCE) == message, True)
    expect([len(part) for part in call("stream_stream", "Echo")(iter([message] * 4), timeout=PATIENCE)],
           [len(message) + 5] * 4)


@case("status codes")
def _():
    for code in grpc.StatusCode:
        if code is grpc.StatusCode.OK:
            continue
        error = failure(lambda: unary("Fail")(code.name.encode(), timeout=PATIENCE))
        expect((error.code(), error.details()), (code, "it is 100 % wrong: ü"))
        told = dict(error.trailing_metadata())
        expect((told.get("x-reason"), told.get("x-data-bin")), ("test", b"\x00\xff"))


@case("a status after messages")
def _():
    responses = call("unary_stream", "FailLate")(b"", timeout=PATIENCE)
    expect([next(responses), next(responses)], [b"one", b"two"])
    error = failure(lambda: next(responses))
    expect((error.code(), error.details()), (grpc.StatusCode.RESOURCE_EXHAUSTED, "no third"))


@case("a method that is not there")
def _():
    expect(failure(lambda: unary("Nothing")(b"", timeout=PATIENCE)).code(), grpc.StatusCode.UNIMPLEMENTED)


@case("metadata")
def _():
    sent = [("x-text", "some text"), ("x-twice", "a"), ("x-blob-bin", b"\x00\x01\xfe")]
    response, ended = unary("Metadata").with_call(b"", metadata=sent, timeout=PATIENCE)
    told = json.loads(response)
    expect([told.get(name) for name, _ in sent], ["some text", "a", "0001fe"])
    initial, trailing = dict(ended.initial_metadata()), dict(ended.trailing_metadata())
    expect((initial.get("x-initial"), initial.get("x-initial-bin"), trailing.get("x-trailing")),
           ("first", b"\x01\x02", "last"))


@case("a deadline reaches the server")
def _():
    left = float(unary("Remaining")(b"", timeout=PATIENCE))
    expect(abs(PATIENCE - left) < 2, True)


@case("a deadline that passes")
def _():
    begun = time.monotonic()
    responses = call("unary_stream", "Never")(b"", timeout=0.5)
    expect(next(responses), b"begun")
    expect(failure(lambda: next(responses)).code(), grpc.StatusCode.DEADLINE_EXCEEDED)
    expect(time.monotonic() - begun < 5, True)
    expect(unary("WasCancelled")(b"10", timeout=PATIENCE), b"yes")


@case("a cancellation is seen by the server")
def _():
    responses = call("unary_stream", "Never")(b"")
    expect(next(responses), b"begun")
    expect(unary("WasCancelled")(b"0", timeout=PATIENCE), b"no")
    responses.cancel()
    expect(unary("WasCancelled")(b"10", timeout=PATIENCE), b"yes")


@case("many calls at once")
def _():
    pending = [unary("Unary").future(b"%d" % number, timeout=PATIENCE) for number in range(200)]
    expect([one.result() for one in pending], [b"%d" % number for number in range(200)])


@case("a stream goes on while others come and go")
def _():
    messages = queue.Queue()
    responses = call("stream_stream", "Echo")(iter(messages.get, None), timeout=PATIENCE)
    threads = [threading.Thread(target=lambda: list(call("unary_stream", "Count")(b"20", timeout=PATIENCE)))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for number in range(20):
        messages.put(b"%d" % number)
        expect(next(responses), b"echo:%d" % number)
    for thread in threads:
        thread.join()
    messages.put(None)


run()
