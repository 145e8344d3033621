"""Origins in this process: HTTP/1.1, and with a certificate HTTP/2, too. They write down what reaches them."""
import asyncio
import base64
import gzip
import hashlib
import ssl

import wire
from ledger import content, digest, events


class Origin:
    def __init__(self, name, ledger, certificate=None):
        self.name, self.ledger, self.certificate = name, ledger, certificate
        self.port, self.server, self.writers = 0, None, set()

    @property
    def url(self):
        return f"https://localhost:{self.port}" if self.certificate else f"http://127.0.0.1:{self.port}"

    async def start(self):
        context = None
        if self.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.certificate)
            context.set_alpn_protocols(["h2", "http/1.1"])
        self.server = await asyncio.start_server(
            self.accept, "localhost" if self.certificate else "127.0.0.1", self.port, ssl=context,
            reuse_address=True, limit=1 << 20)
        self.port = self.server.sockets[0].getsockname()[1]

    async def restart(self, seconds):
        """Away for so long, with all its connections."""
        with self.ledger.disturbance():
            self.server.close()
            for writer in list(self.writers):
                writer.transport.abort()
            await asyncio.sleep(seconds)
            await self.start()

    async def accept(self, reader, writer):
        self.writers.add(writer)
        try:
            tls = writer.get_extra_info("ssl_object")
            if tls and tls.selected_alpn_protocol() == "h2":
                await wire.HTTP2(reader, writer, False, self.respond_h2).task
            else:
                while await self.respond(reader, writer):
                    pass
        except (wire.Cut, OSError):
            pass
        finally:
            self.writers.discard(writer)
            writer.close()

    def fields(self, data):
        return [("x-soak-origin", self.name), ("x-soak-sum", digest(data))]

    async def respond(self, reader, writer):
        """To one request; false at the end of the connection."""
        head = await wire.head(reader)
        if head is None:
            return False
        (method, target, _), fields = head[0].split(" "), head[1]
        _, kind, number = target.split("/")
        number = int(number)
        data = await wire.body(reader, fields)
        self.ledger.arrives(number, self.name, method, data)
        own = "".join(f"{name}: {value}\r\n" for name, value in self.fields(data))
        if kind == "ws":
            await self.talk(reader, writer, fields)
            return False
        if kind == "events":
            writer.write(
                f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n{own}\r\n".encode())
            for event in events(number):
                writer.write(wire.chunk(event))
                await writer.drain()
                await asyncio.sleep(0.02 * (number % 7))
            writer.write(b"0\r\n\r\n")
            return True
        answer = content(number, self.name)
        if number % 5 == 0:
            answer, own = gzip.compress(answer, 1), own + "Content-Encoding: gzip\r\n"
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{own}"
        if kind == "cut":
            writer.write(f"{head}Content-Length: {len(answer) + 1}\r\n\r\n".encode() + answer)
            return False
        if number % 3 == 0:
            writer.write(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
            for at in range(0, len(answer), 7000):
                writer.write(wire.chunk(answer[at:at + 7000]))
                await writer.drain()
                if kind == "slow":
                    await asyncio.sleep(0.05)
            writer.write(b"0\r\n\r\n")
        else:
            writer.write(f"{head}Content-Length: {len(answer)}\r\n\r\n".encode() + answer)
        await writer.drain()
        return True

    async def talk(self, reader, writer, fields):
        """A WebSocket that says what it hears."""
        key = fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        writer.write(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"X-Soak-Origin: {self.name}\r\nSec-WebSocket-Accept: {accept}\r\n\r\n".encode())
        while True:
            opcode, data = await wire.read_frame(reader)
            writer.write(wire.frame(data, False, opcode))
            await writer.drain()
            if opcode == 8:
                return

    async def respond_h2(self, link, stream, message):
        await message.ended.wait()
        if message.failure:
            return
        _, kind, number = message.fields[":path"].split("/")
        self.ledger.arrives(int(number), self.name, message.fields[":method"], message.data)
        is_grpc = kind == "grpc"
        fields = [(":status", "200"), ("content-type", "application/grpc" if is_grpc else "text/plain")]
        answer = content(int(number), self.name)
        if kind == "events":
            fields[1] = ("content-type", "text/event-stream")
        try:
            # Others go on, or end by other means.
            ends = kind not in ("grpc", "cut", "events")
            link.link.send_headers(stream, fields + self.fields(message.data), end_stream=ends and not answer)
            for part in events(int(number)) if kind == "events" else [answer]:
                await link.send(stream, part, ends=ends)
            if kind == "events":
                link.link.end_stream(stream)
            elif kind == "cut":
                link.link.reset_stream(stream, error_code=2)
            elif is_grpc:
                link.link.send_headers(stream, [("grpc-status", "0"), ("x-soak-end", number)], end_stream=True)
            link.flush()
        except (wire.Cut, wire.h2.exceptions.ProtocolError):
            pass
        finally:
            link.messages.pop(stream, None)
