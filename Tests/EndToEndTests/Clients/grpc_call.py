#!/usr/bin/env python3
"""Calls a method of shop.v1.Cart and says what came of it. usage: grpc_call.py ADDRESS PATH ID"""

import sys

import grpc

address, path, name = sys.argv[1:]
channel = grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)])
count = 0
try:
    message = b"\x0a" + bytes([len(name)]) + name.encode()
    for _ in channel.unary_stream(path)(message, timeout=60):
        count += 1
    print(f"{count} messages, OK")
except grpc.RpcError as error:
    print(f"{count} messages, {error.code().name} {error.details()}")
