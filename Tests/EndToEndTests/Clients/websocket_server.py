#!/usr/bin/env python3
"""WebSocket servers: HTTP/1.1 by websockets, HTTP/2 (RFC 8441) by h2 and wsproto.

usage: websocket_server.py CERTIFICATE KEY

Both have permessage-deflate. Prints one line of JSON with the ports: {"http": …, "https": …, "h2c": …, "h2": …}.

    /echo        what comes goes back
    /close       the first message, "CODE REASON", is how it is closed
    /noted       the same, and how the client closed it is noted
    /last        what was noted last, as "CODE REASON"
    /head        the fields of the handshake, as JSON
    /ping        pings, and tells that a pong came back"""

import asyncio
import json
import ssl
import sys

import websockets
from websockets.asyncio.server import serve

from websocket_h2_server import HTTP2Connection

last = asyncio.Queue()
SHOWN = ("x-test", "cookie", "sec-websocket-protocol", "sec-websocket-version", "upgrade", "connection")


async def classic(connection):
    path = connection.request.path
    try:
        if path == "/last":
            await connection.send(await asyncio.wait_for(last.get(), 10))
        elif path == "/head":
            fields = connection.request.headers
            await connection.send(json.dumps({name: fields[name] for name in SHOWN if name in fields}))
        elif path == "/ping":
            await (await connection.ping(b"\x00from the server\xff"))
            await connection.send("pong")
        async for message in connection:
            if path == "/close":
                code, _, reason = message.partition(" ")
                await connection.close(int(code), reason)
            else:
                await connection.send(message)
    except websockets.ConnectionClosed:
        pass
    if path == "/noted":
        await connection.wait_closed()
        last.put_nowait(f"{connection.close_code} {connection.close_reason}")


async def main():
    certificate, key = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    options = {"subprotocols": ["chat"], "max_size": None, "ping_interval": None}
    plain = await serve(classic, "127.0.0.1", 0, **options)
    sealed = await serve(classic, "127.0.0.1", 0, ssl=context, **options)

    sealed_h2 = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    sealed_h2.load_cert_chain(certificate, key)
    sealed_h2.set_alpn_protocols(["h2"])
    loop = asyncio.get_running_loop()
    servers = {"http": plain, "https": sealed}
    for name, seal in (("h2c", None), ("h2", sealed_h2)):
        servers[name] = await loop.create_server(lambda: HTTP2Connection(SHOWN, last), "127.0.0.1", 0, ssl=seal)
    print(json.dumps({name: server.sockets[0].getsockname()[1] for name, server in servers.items()}), flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
