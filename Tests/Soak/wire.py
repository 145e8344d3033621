"""HTTP/1.1 and HTTP/2 in a few lines, for clients and origins alike; nothing here forgives an error."""
import asyncio
import gzip

import h2.config
import h2.connection
import h2.events


class Cut(Exception):
    """The other end closed before the message was whole."""


async def head(reader):
    """The first line and the fields, names in small letters; None at the end of the connection."""
    try:
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise Cut(f"within a head: {error.partial[:80]!r}") from None
        return None
    except OSError as error:
        raise Cut(repr(error)) from None
    first, *lines = text[:-4].split("\r\n")
    return first, {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}


async def body(reader, fields, until_close=False):
    """As it came, without its framing."""
    try:
        if fields.get("transfer-encoding") == "chunked":
            data = b""
            while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                data += (await reader.readexactly(size + 2))[:-2]
            while await reader.readuntil(b"\r\n") != b"\r\n":
                pass
            return data
        if "content-length" in fields:
            return await reader.readexactly(int(fields["content-length"]))
        return await reader.read() if until_close else b""
    except (asyncio.IncompleteReadError, OSError) as error:
        raise Cut(f"within a body: {error!r}") from None


def decoded(fields, data):
    return gzip.decompress(data) if fields.get("content-encoding") == "gzip" else data


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data) if data else b""


def masked(data, mask=b"\1\2\3\4"):
    return bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))


def frame(data, is_client, opcode=1):
    """A WebSocket frame."""
    size = len(data)
    length = bytes([size | (0x80 if is_client else 0)]) if size < 126 else \
        bytes([126 | (0x80 if is_client else 0)]) + size.to_bytes(2, "big")
    return bytes([0x80 | opcode]) + length + (b"\1\2\3\4" + masked(data) if is_client else data)


async def read_frame(reader):
    try:
        first, second = await reader.readexactly(2)
        size = second & 0x7F
        if size == 126:
            size = int.from_bytes(await reader.readexactly(2), "big")
        mask = await reader.readexactly(4) if second & 0x80 else None
        data = await reader.readexactly(size)
    except (asyncio.IncompleteReadError, OSError) as error:
        raise Cut(f"within a WebSocket: {error!r}") from None
    return first & 0xF, masked(data, mask) if mask else data


class Message:
    """What came on one stream."""

    def __init__(self):
        self.fields, self.trailers, self.data = {}, {}, b""
        self.begun, self.ended = asyncio.Event(), asyncio.Event()
        self.failure = None


class HTTP2:
    """One connection of HTTP/2, either end. `accepted` is called for each request with its stream and message."""

    def __init__(self, reader, writer, is_client, accepted=None):
        self.reader, self.writer, self.accepted = reader, writer, accepted
        self.link = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=is_client, header_encoding="utf-8"))
        self.messages, self.room = {}, asyncio.Event()
        self.failure = None
        self.link.initiate_connection()
        self.flush()
        self.task = asyncio.create_task(self.run())

    def flush(self):
        self.writer.write(self.link.data_to_send())

    async def run(self):
        try:
            while data := await self.reader.read(65536):
                for event in self.link.receive_data(data):
                    self.handle(event)
                self.flush()
            self.end("the connection ended")
        except asyncio.CancelledError:
            self.end("this end closed it")
        except Exception as error:  # whatever it is ends the connection, and is told to each stream
            self.end(repr(error))

    def end(self, why):
        self.failure = self.failure or why
        for message in self.messages.values():
            if not message.ended.is_set():
                message.failure = why
                message.begun.set()
                message.ended.set()
        self.room.set()
        self.writer.close()

    def handle(self, event):
        number = getattr(event, "stream_id", None)
        message = self.messages.get(number)
        if isinstance(event, h2.events.RequestReceived):
            message = self.messages[number] = Message()
            message.fields = dict(event.headers)
            asyncio.create_task(self.accepted(self, number, message))
        elif isinstance(event, h2.events.ResponseReceived):
            message.fields = dict(event.headers)
            message.begun.set()
        elif isinstance(event, h2.events.TrailersReceived):
            message.trailers = dict(event.headers)
        elif isinstance(event, h2.events.DataReceived):
            self.link.acknowledge_received_data(event.flow_controlled_length, number)
            message.data += event.data
        elif isinstance(event, h2.events.StreamEnded):
            message.ended.set()
        elif isinstance(event, h2.events.StreamReset):
            if message:
                message.failure = f"reset: {event.error_code}"
                message.begun.set()
                message.ended.set()
            self.room.set()
        elif isinstance(event, h2.events.WindowUpdated):
            self.room.set()
        elif isinstance(event, h2.events.ConnectionTerminated):
            self.failure = f"GOAWAY {event.error_code}"

    def request(self, fields, ends):
        number = self.link.get_next_available_stream_id()
        self.messages[number] = Message()
        self.link.send_headers(number, fields, end_stream=ends)
        self.flush()
        return number, self.messages[number]

    async def send(self, number, data, ends=True):
        """Within the windows."""
        while data:
            message = self.messages[number]
            if message.failure:
                raise Cut(message.failure)
            room = min(self.link.local_flow_control_window(number), self.link.max_outbound_frame_size, len(data))
            if room > 0:
                self.link.send_data(number, data[:room], end_stream=ends and room == len(data))
                data = data[room:]
                self.flush()
            else:
                self.room.clear()
                await self.room.wait()
                if self.failure:
                    raise Cut(self.failure)
