#!/usr/bin/env python3
"""A client that asks mocks of shop.v1.Cart what they are made of. usage: grpc_reflection_client.py ADDRESS

See cases.py for what it prints."""

import sys

import grpc
from google.protobuf import descriptor_pool, message_factory
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from cases import case, expect, run

PATIENCE = 60
channel = grpc.insecure_channel(sys.argv[1], options=[("grpc.enable_http_proxy", 0)])
database = ProtoReflectionDescriptorDatabase(channel)
pool = descriptor_pool.DescriptorPool(database)


@case("services")
def _():
    expect(list(database.get_services()), ["shop.v1.Cart"])


@case("a call by what the mock says of itself")
def _():
    method = pool.FindServiceByName("shop.v1.Cart").FindMethodByName("Get")
    request = message_factory.GetMessageClass(method.input_type)(id="a7")
    answer = channel.unary_unary("/shop.v1.Cart/Get", lambda message: message.SerializeToString(),
                                 message_factory.GetMessageClass(method.output_type).FromString)
    item = answer(request, timeout=PATIENCE)
    expect((item.id, item.price), ("first", 7))


@case("symbols and files that are not there")
def _():
    for find, name in ((pool.FindMessageTypeByName, "shop.v1.None"), (pool.FindFileByName, "none.proto")):
        try:
            find(name)
        except KeyError:
            continue
        raise AssertionError(f"{name} is there")
    expect(list(database.FindAllExtensionNumbers("shop.v1.Item")), [])


@case("many questions on one stream, in both versions")
def _():
    kinds = [{"list_services": ""}, {"file_containing_symbol": "shop.v1.Item"}, {"file_by_filename": "shop.proto"}]
    for version in ("v1", "v1alpha"):
        ask = channel.stream_stream(f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
                                    lambda message: message.SerializeToString(),
                                    reflection_pb2.ServerReflectionResponse.FromString)
        questions = [reflection_pb2.ServerReflectionRequest(host="h", **kind) for kind in kinds * 100]
        answers = list(ask(iter(questions), timeout=PATIENCE))
        expect([answer.original_request for answer in answers], questions)
        expect({answer.valid_host for answer in answers}, {"h"})
        expect([answer.WhichOneof("message_response") for answer in answers],
               ["list_services_response", "file_descriptor_response", "file_descriptor_response"] * 100)
        expect(len(answers[1].file_descriptor_response.file_descriptor_proto) > 5, True)
        expect(len(answers[4].file_descriptor_response.file_descriptor_proto), 1)


run()
