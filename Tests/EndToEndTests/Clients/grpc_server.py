#!/usr/bin/env python3
"""A gRPC server whose messages are bytes: /shunt.test.Echo/*. usage: grpc_server.py CERTIFICATE KEY

Prints one line of JSON with the ports: {"h2c": …, "https": …}."""

import json
import sys
import threading
import time
from concurrent import futures

import grpc

cancelled = threading.Semaphore(0)


def unary(request, context):
    return request


def collect(requests, context):
    return b" ".join(requests)


def count(request, context):
    for number in range(int(request)):
        yield str(number).encode()


def echo(requests, context):
    for message in requests:
        yield b"echo:" + message


def fail(request, context):
    context.set_trailing_metadata([("x-reason", "test"), ("x-data-bin", b"\x00\xff")])
    context.abort(grpc.StatusCode(next(code.value for code in grpc.StatusCode if code.name == request.decode())),
                  "it is 100 % wrong: ü")


def fail_late(request, context):
    yield b"one"
    yield b"two"
    context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "no third")


def metadata(request, context):
    told = {name: value.hex() if isinstance(value, bytes) else value
            for name, value in context.invocation_metadata()}
    context.send_initial_metadata([("x-initial", "first"), ("x-initial-bin", b"\x01\x02")])
    context.set_trailing_metadata([("x-trailing", "last")])
    return json.dumps(told).encode()


def remaining(request, context):
    """How many seconds the client still gives."""
    return str(context.time_remaining()).encode()


def never(request, context):
    """Says that it began, then nothing until the client has enough."""
    context.add_callback(cancelled.release)
    yield b"begun"
    while context.is_active():
        time.sleep(0.01)


def was_cancelled(request, context):
    """Whether a call of `never` has ended, since this was last asked, within some seconds."""
    return b"yes" if cancelled.acquire(timeout=float(request)) else b"no"


METHODS = {
    "Unary": grpc.unary_unary_rpc_method_handler(unary),
    "Collect": grpc.stream_unary_rpc_method_handler(collect),
    "Count": grpc.unary_stream_rpc_method_handler(count),
    "Echo": grpc.stream_stream_rpc_method_handler(echo),
    "Fail": grpc.unary_unary_rpc_method_handler(fail),
    "FailLate": grpc.unary_stream_rpc_method_handler(fail_late),
    "Metadata": grpc.unary_unary_rpc_method_handler(metadata),
    "Remaining": grpc.unary_unary_rpc_method_handler(remaining),
    "Never": grpc.unary_stream_rpc_method_handler(never),
    "WasCancelled": grpc.unary_unary_rpc_method_handler(was_cancelled),
}


def main():
    certificate, key = (open(name, "rb").read() for name in sys.argv[1:])
    unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    server = grpc.server(futures.ThreadPoolExecutor(16), options=unlimited)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("shunt.test.Echo", METHODS),))
    ports = {"h2c": server.add_insecure_port("127.0.0.1:0"),
             "https": server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(key, certificate)]))}
    server.start()
    print(json.dumps(ports), flush=True)
    server.wait_for_termination()


main()
