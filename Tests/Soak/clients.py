"""Clients of every kind, each a loop until `until`; they know what has to come for each request that they number."""
import asyncio
import random
import ssl
import time

import wire
from ledger import body, events


class Clients:
    def __init__(self, port, authority, ledger, until, seed):
        self.port, self.ledger, self.until = port, ledger, until
        self.random = random.Random(seed)
        self.tls = ssl.create_default_context(cafile=authority)
        self.tls_h2 = ssl.create_default_context(cafile=authority)
        self.tls_h2.set_alpn_protocols(["h2"])

    async def run(self):
        kinds = [self.h1] * 5 + [self.h1_tls] * 2 + [self.h2] * 3 + [self.socket] * 2 + [self.event_stream] * 2 + [
            self.aborting] * 2 + [self.slow] * 2 + [self.cut]
        await asyncio.gather(*(self.loop(kind) for kind in kinds))

    async def loop(self, kind):
        while time.monotonic() < self.until:
            try:
                await asyncio.wait_for(kind(), 120)
            except (wire.Cut, OSError, asyncio.TimeoutError) as error:
                # Each request has said of itself what that means; a connection alone may be refused by no one.
                if isinstance(error, asyncio.TimeoutError):
                    self.ledger.fail(f"{kind.__name__}: nothing happened for 120 s")
            await self.pause()

    async def pause(self, most=0.2):
        await asyncio.sleep(self.random.random() * most)

    async def connect(self, tls=None):
        return await asyncio.open_connection(
            "127.0.0.1" if tls is None else "localhost", self.port, ssl=tls, limit=1 << 20)

    def request(self, kind="echo", fields=""):
        """A number, its method and body, and the request's head."""
        number = self.ledger.number()
        method = "GET" if kind in ("events", "ws") else self.random.choice(["GET", "GET", "POST", "PUT"])
        data = b"" if method == "GET" else body(number)
        self.ledger.sends(number, method, data)
        if self.random.random() < 0.1 and kind == "echo":
            kind = "mock"
        head = f"{method} /{kind}/{number} HTTP/1.1\r\nHost: localhost:{self.port}\r\n{fields}"
        return number, method, data, head

    async def exchange(self, reader, writer, kind="echo", slowly=False):
        """One request and its response; false if the connection is not to be used again."""
        number, method, data, head = self.request(kind)
        began = time.monotonic()
        try:
            if data and number % 2:
                writer.write(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
                for at in range(0, len(data), 5000):
                    writer.write(wire.chunk(data[at:at + 5000]))
                    await writer.drain()
                    if slowly:
                        await asyncio.sleep(0.1)
                writer.write(b"0\r\n\r\n")
            else:
                length = f"Content-Length: {len(data)}\r\n" if data else ""
                writer.write(f"{head}{length}\r\n".encode() + data)
            try:
                await writer.drain()
            except OSError:
                # A response may be there nevertheless.
                pass
            first, fields = await self.final(reader)
            if slowly:
                await asyncio.sleep(self.random.random())
            raw = await wire.body(reader, fields, until_close=True)
        except (wire.Cut, OSError) as error:
            if kind != "cut":
                self.ledger.loses(number, began, f"{method} {error!r}")
            raise
        if kind == "cut" and fields.get("x-soak-origin"):
            self.ledger.fail(f"{number}: a response that was cut came as whole")
            return False
        self.ledger.gets(number, began, int(first.split(" ")[1]), fields, wire.decoded(fields, raw), len(raw))
        return fields.get("connection", "").lower() != "close"

    @staticmethod
    async def final(reader):
        while head := await wire.head(reader):
            if head[0].split(" ")[1] not in ("100", "103"):
                return head
        raise wire.Cut("closed before a response")

    async def h1(self, tls=None, kind="echo", slowly=False):
        reader, writer = await self.connect(tls)
        try:
            for _ in range(self.random.randrange(1, 40)):
                if time.monotonic() > self.until or not await self.exchange(reader, writer, kind, slowly):
                    return
                await self.pause()
        finally:
            writer.close()

    async def h1_tls(self):
        await self.h1(self.tls)

    async def slow(self):
        await self.h1(kind="slow", slowly=True)

    async def cut(self):
        await self.h1(kind="cut")

    async def aborting(self):
        """Leaves in the middle of its request or of the response."""
        reader, writer = await self.connect(self.random.choice([None, self.tls]))
        number, _, data, head = self.request(self.random.choice(["echo", "slow", "events"]))
        whole = f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data
        try:
            writer.write(whole[:self.random.randrange(1, len(whole) + 1)])
            await writer.drain()
            if self.random.random() < 0.5:
                await asyncio.wait_for(reader.read(self.random.randrange(1, 3000)), 0.3)
        except asyncio.TimeoutError:
            pass
        finally:
            if self.random.random() < 0.5:
                writer.transport.abort()
            else:
                writer.close()

    async def event_stream(self):
        reader, writer = await self.connect()
        number, _, _, head = self.request("events")
        began = time.monotonic()
        try:
            writer.write(f"{head}Accept: text/event-stream\r\n\r\n".encode())
            first, fields = await self.final(reader)
            data = await wire.body(reader, fields, until_close=True)
        except (wire.Cut, OSError) as error:
            self.ledger.loses(number, began, f"events {error!r}")
            raise
        finally:
            writer.close()
        status = int(first.split(" ")[1])
        if status != 200:
            return self.ledger.gets(number, began, status, fields, data)
        self.ledger.responses[number] = (200, len(data))
        self.ledger.counts["event streams"] += 1
        if data != b"".join(events(number)):
            self.ledger.fail(f"{number}: events are missing or wrong: {data[-80:]!r}")

    async def socket(self):
        reader, writer = await self.connect(self.random.choice([None, self.tls]))
        number, _, _, head = self.request("ws")
        began = time.monotonic()
        try:
            writer.write(
                f"{head}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
            first, fields = await self.final(reader)
            status = int(first.split(" ")[1])
            if status != 101:
                return self.ledger.gets(number, began, status, fields, await wire.body(reader, fields, True))
            self.ledger.counts["WebSockets"] += 1
            for at in range(self.random.randrange(1, 15)):
                text = f"{number}.{at} ".encode() * self.random.choice([1, 10, 200])
                writer.write(wire.frame(text, True))
                if (await wire.read_frame(reader))[1] != text:
                    self.ledger.fail(f"{number}: the WebSocket's message {at} came back as another")
                await self.pause()
            writer.write(wire.frame(b"\x03\xe8", True, 8))
            await wire.read_frame(reader)
        except (wire.Cut, OSError) as error:
            self.ledger.loses(number, began, f"WebSocket {error!r}")
            raise
        finally:
            writer.close()

    async def h2(self):
        """One connection with several streams at once, of which some are calls of gRPC."""
        reader, writer = await self.connect(self.tls_h2)
        link = wire.HTTP2(reader, writer, True)
        try:
            for _ in range(self.random.randrange(1, 12)):
                if link.failure or time.monotonic() > self.until:
                    return
                await asyncio.gather(*(self.stream(link) for _ in range(self.random.randrange(1, 6))))
                await self.pause()
        finally:
            writer.close()
            await link.task

    async def stream(self, link):
        number = self.ledger.number()
        is_grpc, began = self.random.random() < 0.3, time.monotonic()
        method = "POST" if is_grpc else self.random.choice(["GET", "GET", "POST", "PUT"])
        data = b"" if method == "GET" else body(number)
        self.ledger.sends(number, method, data)
        fields = [(":method", method), (":scheme", "https"), (":authority", f"localhost:{self.port}"),
                  (":path", f"/{'grpc' if is_grpc else 'echo'}/{number}")]
        if is_grpc:
            fields += [("content-type", "application/grpc"), ("te", "trailers")]
        stream, message = link.request(fields, ends=not data)
        try:
            if self.random.random() < 0.05:
                await self.pause(0.02)
                if not message.ended.is_set():
                    link.link.reset_stream(stream, error_code=8)
                    return link.flush()
            try:
                await link.send(stream, data)
            except wire.Cut:
                if not message.begun.is_set():
                    raise
            await message.ended.wait()
            # A response that came before the body was taken is whole nevertheless.
            if message.failure and not (message.fields and message.failure == "reset: 0"):
                raise wire.Cut(message.failure)
        except (wire.Cut, wire.h2.exceptions.ProtocolError) as error:
            return self.ledger.loses(number, began, f"{method} on HTTP/2{' of gRPC' * is_grpc}: {error!r}")
        finally:
            link.messages.pop(stream, None)
        status = int(message.fields[":status"])
        if is_grpc and message.fields.get("x-soak-origin"):
            self.ledger.counts["gRPC"] += 1
            if message.trailers.get("grpc-status") != "0" or message.trailers.get("x-soak-end") != str(number):
                return self.ledger.fail(f"{number}: gRPC without its trailers: {message.trailers}")
        elif is_grpc and status == 200:
            # An error of Shunt's own has the form of gRPC.
            status_grpc = message.fields.get("grpc-status")
            if status_grpc in ("7", "14") and (status_grpc == "7" or self.ledger.was_disturbed(began)):
                self.ledger.responses[number] = (200, len(message.data))
                return None
            return self.ledger.fail(f"{number}: gRPC status {status_grpc}: {message.fields}")
        self.ledger.gets(
            number, began, status, message.fields, wire.decoded(message.fields, message.data), len(message.data))
