#!/usr/bin/env python3
"""Both ends of WebSockets, by the package `websockets`.

serve: listens on a free port, prints it, responds to each message with itself, and "burst N SIZE" with N messages.
talk URL SEED COUNT: sends random messages in random fragments, compressed or not, and prints each as JSON.
many URL COUNT SIZE: sends that many messages and reads as many.
hold URL: says "hello", prints the response, waits for a line on standard input, says "bye" and closes with 1000.
"""
import asyncio
import json
import random
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory, ServerPerMessageDeflateFactory


async def echo(connection):
    async for message in connection:
        if isinstance(message, str) and message.startswith("burst "):
            _, count, size = message.split()
            for number in range(int(count)):
                await connection.send(f"{number}:" + "x" * int(size))
        else:
            await connection.send(message)


async def listen():
    extensions = [ServerPerMessageDeflateFactory()]
    async with serve(echo, "127.0.0.1", 0, max_size=None, extensions=extensions) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().create_future()


def pieces(data, chance):
    """The message, in one or in several pieces."""
    if chance.random() < 0.5 or len(data) < 2:
        return data
    cuts = sorted(chance.randrange(len(data)) for _ in range(chance.randrange(1, 5)))
    return [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]


async def talk(url, seed, count):
    chance = random.Random(seed)
    extension = chance.choice([
        None,
        ClientPerMessageDeflateFactory(),
        ClientPerMessageDeflateFactory(server_no_context_takeover=True, client_no_context_takeover=True),
        ClientPerMessageDeflateFactory(server_max_window_bits=9, client_max_window_bits=9),
    ])
    sent = []
    options = {"compression": None, "extensions": [extension] if extension else None}
    async with connect(url, max_size=None, **options) as connection:
        for _ in range(count):
            size = int(10 ** chance.uniform(0, 5))
            words = " ".join(chance.choice(["alpha", "beta", "gamma", "käse", "{}"]) for _ in range(size // 5))
            message = words if chance.random() < 0.6 else chance.randbytes(size)
            sent.append({"text": message} if isinstance(message, str) else {"hex": message.hex()})
            if chance.random() < 0.2:
                await connection.ping(b"p")
            await connection.send(pieces(message, chance))
            assert await connection.recv() == message
    print(json.dumps(sent))


async def many(url, count, size):
    async with connect(url, max_size=None) as connection:
        for number in range(count):
            await connection.send(f"{number}:" + "x" * size)
            await connection.recv()


async def hold(url):
    async with connect(url) as connection:
        await connection.send("hello")
        print(await connection.recv(), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        await connection.send("bye")
        await connection.recv()


if __name__ == "__main__":
    arguments = sys.argv[2:]
    asyncio.run({
        "serve": listen,
        "talk": lambda: talk(arguments[0], int(arguments[1]), int(arguments[2])),
        "many": lambda: many(arguments[0], int(arguments[1]), int(arguments[2])),
        "hold": lambda: hold(arguments[0]),
    }[sys.argv[1]]())
