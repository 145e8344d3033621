"""The other half of websocket_server.py: WebSockets on streams of HTTP/2 (RFC 8441)."""

import asyncio
import json

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings
from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Message, Ping, Pong, TextMessage
from wsproto.extensions import PerMessageDeflate


class HTTP2Connection(asyncio.Protocol):
    """One connection. `shown` are the fields that /head tells of; `last` is the queue behind /noted and /last."""

    def __init__(self, shown, last):
        self.shown, self.last = shown, last
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        # Before the first flight: a client may not wait for another one.
        self.h2.local_settings = h2.settings.Settings(client=False, initial_values={
            h2.settings.SettingCodes.ENABLE_CONNECT_PROTOCOL: 1, h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 100})
        self.streams = {}

    def connection_made(self, transport):
        self.transport = transport
        self.h2.initiate_connection()
        self.flush()

    def connection_lost(self, _):
        for stream in list(self.streams.values()):
            stream.ended()

    def data_received(self, data):
        try:
            events = self.h2.receive_data(data)
        except h2.exceptions.ProtocolError:
            self.flush()
            return self.transport.close()
        for event in events:
            stream = self.streams.get(getattr(event, "stream_id", None))
            if isinstance(event, h2.events.RequestReceived):
                self.response(event.stream_id, dict(event.headers))
            elif isinstance(event, h2.events.DataReceived):
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                if stream and event.data:
                    stream.received(event.data)
            elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)) and stream:
                stream.flush()
                stream.ended()
        for stream in list(self.streams.values()):
            stream.flush()
        self.flush()

    def response(self, number, head):
        if head[":method"] != "CONNECT" or head.get(":protocol") != "websocket":
            return self.h2.send_headers(number, [(":status", "404")], end_stream=True)
        fields, extensions = [(":status", "200")], []
        if "chat" in head.get("sec-websocket-protocol", ""):
            fields.append(("sec-websocket-protocol", "chat"))
        if "permessage-deflate" in head.get("sec-websocket-extensions", ""):
            deflate = PerMessageDeflate()
            fields.append(("sec-websocket-extensions",
                           "permessage-deflate; " + deflate.accept(head["sec-websocket-extensions"])))
            extensions.append(deflate)
        self.h2.send_headers(number, fields)
        self.streams[number] = Stream(self, number, head, extensions)

    def flush(self):
        self.transport.write(self.h2.data_to_send())


class Stream:
    def __init__(self, connection, number, head, extensions):
        self.connection, self.number, self.path = connection, number, head[":path"]
        self.link = Connection(ConnectionType.SERVER, extensions)
        self.parts, self.waiting, self.closing, self.told = [], b"", False, None
        if self.path == "/head":
            self.send(json.dumps({name: head[name] for name in connection.shown if name in head}))
        elif self.path == "/ping":
            self.write(self.link.send(Ping(payload=b"\x00from the server\xff")))
        elif self.path == "/last":
            task = asyncio.ensure_future(asyncio.wait_for(connection.last.get(), 10))
            task.add_done_callback(self.tell)

    def tell(self, task):
        self.send(task.result())
        self.flush()
        self.connection.flush()

    def received(self, data):
        self.link.receive_data(data)
        for event in self.link.events():
            if isinstance(event, Message):
                self.parts.append(event.data)
                if event.message_finished:
                    self.message(type(event.data)().join(self.parts))
                    self.parts = []
            elif isinstance(event, Ping):
                self.write(self.link.send(event.response()))
            elif isinstance(event, Pong) and bytes(event.payload) == b"\x00from the server\xff":
                self.send("pong")
            elif isinstance(event, CloseConnection):
                self.told = f"{int(event.code)} {event.reason or ''}"
                if self.link.state is not ConnectionState.CLOSED:
                    self.write(self.link.send(event.response()))
                self.closing = True

    def message(self, message):
        if self.path != "/close":
            return self.send(message)
        code, _, reason = message.partition(" ")
        self.write(self.link.send(CloseConnection(code=int(code), reason=reason)))

    def send(self, message):
        kind = TextMessage if isinstance(message, str) else BytesMessage
        self.write(self.link.send(kind(data=message)))

    def write(self, data):
        self.waiting += data

    def flush(self):
        """Sends what the windows allow, and the end behind it once both close frames have passed."""
        session = self.connection.h2
        try:
            while self.waiting:
                room = min(session.local_flow_control_window(self.number), session.max_outbound_frame_size)
                if room <= 0:
                    return
                session.send_data(self.number, self.waiting[:room])
                self.waiting = self.waiting[room:]
            if self.closing:
                session.end_stream(self.number)
                self.ended()
        except h2.exceptions.ProtocolError:
            self.ended()

    def ended(self):
        if self.connection.streams.pop(self.number, None) and self.path == "/noted":
            self.connection.last.put_nowait(self.told or "1006 ")
