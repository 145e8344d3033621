#!/usr/bin/env python3
"""A gRPC server of shop.v1.Cart. usage: grpc_shop_server.py DESCRIPTORS REFLECTION PORT CERTIFICATE KEY

REFLECTION: v1, v1alpha or none; PORT: that of h2c, 0 for any. Messages are bytes.
Prints one line of JSON with the ports, {"h2c": …, "https": …}, and one for each call of its reflection."""

import json
import sys
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool
from grpc_reflection.v1alpha import reflection, reflection_pb2


def item(name):
    return b"\x0a" + bytes([len(name)]) + name


def get(request, context):
    context.set_trailing_metadata([("x-trailing", "last")])
    if request == item(b"missing"):
        context.abort(grpc.StatusCode.NOT_FOUND, "it is 100 % gone: ü")
    return item(b"got") + b"\x10\x07"


def watch(request, context):
    for name in (b"1", b"2", b"3"):
        yield item(name)
    if request == item(b"late"):
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "no fourth")


def fill(requests, context):
    return item(b"%d" % len(list(requests)))


def talk(requests, context):
    yield from requests


METHODS = {
    "Get": grpc.unary_unary_rpc_method_handler(get),
    "Watch": grpc.unary_stream_rpc_method_handler(watch),
    "Fill": grpc.stream_unary_rpc_method_handler(fill),
    "Talk": grpc.stream_stream_rpc_method_handler(talk),
}


def add_reflection(server, version, pool):
    servicer = reflection.ReflectionServicer(["shop.v1.Cart"], pool=pool)

    def info(requests, context):
        print("asked", flush=True)
        yield from servicer.ServerReflectionInfo(requests, context)

    handler = grpc.stream_stream_rpc_method_handler(
        info, reflection_pb2.ServerReflectionRequest.FromString,
        reflection_pb2.ServerReflectionResponse.SerializeToString)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(
        f"grpc.reflection.{version}.ServerReflection", {"ServerReflectionInfo": handler}),))


def main():
    descriptors, version, port = sys.argv[1:4]
    certificate, key = (open(name, "rb").read() for name in sys.argv[4:])
    pool = descriptor_pool.DescriptorPool()
    with open(descriptors, "rb") as file:
        for one in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
            pool.Add(one)
    server = grpc.server(futures.ThreadPoolExecutor(16))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("shop.v1.Cart", METHODS),))
    if version != "none":
        add_reflection(server, version, pool)
    ports = {"h2c": server.add_insecure_port("127.0.0.1:" + port),
             "https": server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(key, certificate)]))}
    server.start()
    print(json.dumps(ports), flush=True)
    server.wait_for_termination()


main()
