#!/usr/bin/env python3
"""The cases by which implementations of gRPC test each other, as far as they need no account of a cloud.

usage: grpc_interop.py server CERTIFICATE KEY, which prints its ports as a line of JSON, {"h2c": …, "https": …}
       grpc_interop.py ADDRESS [AUTHORITY], without an authority in plain text; see cases.py for what it prints"""

import json
import queue
import sys
import time
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from cases import case, expect, run
from grpc_failure import failure

PATIENCE = 60
SERVICE = "grpc.testing.TestService"
FIELD = descriptor_pb2.FieldDescriptorProto
NUMBER, BYTES, TEXT, MESSAGE = FIELD.TYPE_INT32, FIELD.TYPE_BYTES, FIELD.TYPE_STRING, FIELD.TYPE_MESSAGE

# name: (number, kind or message, is repeated), with the numbers of grpc/testing/messages.proto.
MESSAGES = {
    "Empty": {},
    "Payload": {"body": (2, BYTES, False)},
    "EchoStatus": {"code": (1, NUMBER, False), "message": (2, TEXT, False)},
    "SimpleRequest": {"response_size": (2, NUMBER, False), "payload": (3, "Payload", False),
                      "response_status": (7, "EchoStatus", False)},
    "SimpleResponse": {"payload": (1, "Payload", False)},
    "StreamingInputCallRequest": {"payload": (1, "Payload", False)},
    "StreamingInputCallResponse": {"aggregated_payload_size": (1, NUMBER, False)},
    "ResponseParameters": {"size": (1, NUMBER, False), "interval_us": (2, NUMBER, False)},
    "StreamingOutputCallRequest": {"response_parameters": (2, "ResponseParameters", True),
                                   "payload": (3, "Payload", False), "response_status": (7, "EchoStatus", False)},
    "StreamingOutputCallResponse": {"payload": (1, "Payload", False)},
}


def classes():
    file = descriptor_pb2.FileDescriptorProto(name="interop.proto", package="grpc.testing", syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind, is_repeated) in fields.items():
            one = message.field.add(name=field, number=number)
            one.label = FIELD.LABEL_REPEATED if is_repeated else FIELD.LABEL_OPTIONAL
            one.type = MESSAGE if isinstance(kind, str) else kind
            if isinstance(kind, str):
                one.type_name = ".grpc.testing." + kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName("grpc.testing." + name))
            for name in MESSAGES}


TYPES = classes()
# name: (messages of the client, of the server, kind)
METHODS = {
    "EmptyCall": ("Empty", "Empty", "unary_unary"),
    "UnaryCall": ("SimpleRequest", "SimpleResponse", "unary_unary"),
    "StreamingInputCall": ("StreamingInputCallRequest", "StreamingInputCallResponse", "stream_unary"),
    "StreamingOutputCall": ("StreamingOutputCallRequest", "StreamingOutputCallResponse", "unary_stream"),
    "FullDuplexCall": ("StreamingOutputCallRequest", "StreamingOutputCallResponse", "stream_stream"),
}


def make(name, **fields):
    return TYPES[name](**fields)


def payload(size):
    return make("Payload", body=bytes(size))


# The server.

def echo_metadata(context):
    given = dict(context.invocation_metadata())
    if "x-grpc-test-echo-initial" in given:
        context.send_initial_metadata([("x-grpc-test-echo-initial", given["x-grpc-test-echo-initial"])])
    if "x-grpc-test-echo-trailing-bin" in given:
        context.set_trailing_metadata([("x-grpc-test-echo-trailing-bin", given["x-grpc-test-echo-trailing-bin"])])


def check_status(request, context):
    if request.HasField("response_status"):
        status = request.response_status
        context.abort(next(code for code in grpc.StatusCode if code.value[0] == status.code), status.message)


def unary_call(request, context):
    echo_metadata(context)
    check_status(request, context)
    return make("SimpleResponse", payload=payload(request.response_size))


def input_call(requests, context):
    size = sum(len(request.payload.body) for request in requests)
    return make("StreamingInputCallResponse", aggregated_payload_size=size)


def output_call(request, context):
    check_status(request, context)
    for wanted in request.response_parameters:
        time.sleep(wanted.interval_us / 1e6)
        yield make("StreamingOutputCallResponse", payload=payload(wanted.size))


def duplex_call(requests, context):
    echo_metadata(context)
    for request in requests:
        yield from output_call(request, context)


BEHAVIOURS = {"EmptyCall": lambda request, context: make("Empty"), "UnaryCall": unary_call,
              "StreamingInputCall": input_call, "StreamingOutputCall": output_call, "FullDuplexCall": duplex_call}


def serve(certificate, key):
    handlers = {
        name: getattr(grpc, kind + "_rpc_method_handler")(
            BEHAVIOURS[name], TYPES[given].FromString, TYPES[gets].SerializeToString)
        for name, (given, gets, kind) in METHODS.items()
    }
    server = grpc.server(futures.ThreadPoolExecutor(16))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    chain, secret = (open(name, "rb").read() for name in (certificate, key))
    ports = {"h2c": server.add_insecure_port("127.0.0.1:0"),
             "https": server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(secret, chain)]))}
    server.start()
    print(json.dumps(ports), flush=True)
    server.wait_for_termination()


if sys.argv[1] == "server":
    serve(*sys.argv[2:])

# The client.

OPTIONS = [("grpc.enable_http_proxy", 0)]
if len(sys.argv) > 2:
    with open(sys.argv[2], "rb") as file:
        channel = grpc.secure_channel(sys.argv[1], grpc.ssl_channel_credentials(file.read()), options=OPTIONS)
else:
    channel = grpc.insecure_channel(sys.argv[1], options=OPTIONS)


def call(name, service=SERVICE):
    given, gets, kind = METHODS.get(name, METHODS["EmptyCall"])
    return getattr(channel, kind)(f"/{service}/{name}", TYPES[given].SerializeToString, TYPES[gets].FromString)


def output_request(size, of_payload=0, interval=0):
    return make("StreamingOutputCallRequest", payload=payload(of_payload),
                response_parameters=[make("ResponseParameters", size=size, interval_us=interval)])


@case("empty_unary")
def _():
    expect(call("EmptyCall")(make("Empty"), timeout=PATIENCE), make("Empty"))


@case("large_unary")
def _():
    request = make("SimpleRequest", response_size=314159, payload=payload(271828))
    expect(call("UnaryCall")(request, timeout=PATIENCE).payload.body == bytes(314159), True)


@case("client_streaming")
def _():
    requests = [make("StreamingInputCallRequest", payload=payload(size)) for size in (27182, 8, 1828, 45904)]
    response = call("StreamingInputCall")(iter(requests), timeout=PATIENCE)
    expect(response.aggregated_payload_size, 74922)


@case("server_streaming")
def _():
    sizes = [31415, 9, 2653, 58979]
    request = make("StreamingOutputCallRequest",
                   response_parameters=[make("ResponseParameters", size=size) for size in sizes])
    expect([len(one.payload.body) for one in call("StreamingOutputCall")(request, timeout=PATIENCE)], sizes)


@case("ping_pong")
def _():
    requests = queue.Queue()
    responses = call("FullDuplexCall")(iter(requests.get, None), timeout=PATIENCE)
    for size, sent in ((31415, 27182), (9, 8), (2653, 1828), (58979, 45904)):
        requests.put(output_request(size, sent))
        expect(len(next(responses).payload.body), size)
    requests.put(None)
    expect(list(responses), [])


@case("empty_stream")
def _():
    expect(list(call("FullDuplexCall")(iter([]), timeout=PATIENCE)), [])


@case("cancel_after_begin")
def _():
    requests = queue.Queue()
    pending = call("StreamingInputCall").future(iter(requests.get, None))
    pending.cancel()
    requests.put(None)
    expect((pending.cancelled(), pending.code()), (True, grpc.StatusCode.CANCELLED))


@case("cancel_after_first_response")
def _():
    requests = queue.Queue()
    responses = call("FullDuplexCall")(iter(requests.get, None))
    requests.put(output_request(31415, 27182))
    expect(len(next(responses).payload.body), 31415)
    responses.cancel()
    requests.put(None)
    expect(failure(lambda: next(responses)).code(), grpc.StatusCode.CANCELLED)


@case("status_code_and_message")
def _():
    status = make("EchoStatus", code=2, message="test status message")
    error = failure(lambda: call("UnaryCall")(make("SimpleRequest", response_status=status), timeout=PATIENCE))
    expect((error.code(), error.details()), (grpc.StatusCode.UNKNOWN, status.message))
    request = make("StreamingOutputCallRequest", response_status=status)
    error = failure(lambda: list(call("FullDuplexCall")(iter([request]), timeout=PATIENCE)))
    expect((error.code(), error.details()), (grpc.StatusCode.UNKNOWN, status.message))


@case("special_status_message")
def _():
    status = make("EchoStatus", code=2,
                  message="\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n")
    error = failure(lambda: call("UnaryCall")(make("SimpleRequest", response_status=status), timeout=PATIENCE))
    expect((error.code(), error.details()), (grpc.StatusCode.UNKNOWN, status.message))


@case("unimplemented_method")
def _():
    error = failure(lambda: call("UnimplementedCall")(make("Empty"), timeout=PATIENCE))
    expect(error.code(), grpc.StatusCode.UNIMPLEMENTED)


@case("unimplemented_service")
def _():
    error = failure(lambda: call("EmptyCall", "grpc.testing.UnimplementedService")(make("Empty"), timeout=PATIENCE))
    expect(error.code(), grpc.StatusCode.UNIMPLEMENTED)


@case("custom_metadata")
def _():
    sent = [("x-grpc-test-echo-initial", "test_initial_metadata_value"),
            ("x-grpc-test-echo-trailing-bin", b"\xab\xab\xab")]
    request = make("SimpleRequest", response_size=314159, payload=payload(271828))
    response, ended = call("UnaryCall").with_call(request, metadata=sent, timeout=PATIENCE)
    expect(len(response.payload.body), 314159)
    expect([dict(ended.initial_metadata())[sent[0][0]], dict(ended.trailing_metadata())[sent[1][0]]],
           [sent[0][1], sent[1][1]])
    responses = call("FullDuplexCall")(iter([output_request(314159, 271828)]), metadata=sent, timeout=PATIENCE)
    expect([len(one.payload.body) for one in responses], [314159])
    expect([dict(responses.initial_metadata())[sent[0][0]], dict(responses.trailing_metadata())[sent[1][0]]],
           [sent[0][1], sent[1][1]])


@case("timeout_on_sleeping_server")
def _():
    responses = call("FullDuplexCall")(iter([output_request(31415, 27182, interval=5_000_000)]), timeout=0.5)
    expect(failure(lambda: list(responses)).code(), grpc.StatusCode.DEADLINE_EXCEEDED)


run()
