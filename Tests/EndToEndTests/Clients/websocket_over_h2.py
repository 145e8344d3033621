"""A WebSocket on a stream of HTTP/2 (RFC 8441), with as much of websockets' interface as the cases need."""

import contextlib
import os
import socket
import ssl
from urllib.parse import urlsplit

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings
import wsproto.events
from wsproto.connection import Connection, ConnectionType
from wsproto.extensions import PerMessageDeflate

PATIENCE = 20


class Closed(Exception):
    pass


class WebSocketOverHTTP2:
    def __init__(self, url, context, fields=(), subprotocols=(), compression=True, protocol="websocket"):
        parts = urlsplit(url)
        self._socket = socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if parts.scheme == "wss":
            context.set_alpn_protocols(["h2"])
            self._socket = context.wrap_socket(self._socket, server_hostname=parts.hostname)
            if self._socket.selected_alpn_protocol() != "h2":
                raise Closed("no h2 by ALPN")
        self._h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
        self._h2.initiate_connection()
        self._flush()
        while self._h2.remote_settings.enable_connect_protocol != 1:
            self._receive()
        self._deflate = PerMessageDeflate()
        head = [(":method", "CONNECT"), (":protocol", protocol), (":path", parts.path), (":authority", parts.netloc),
                (":scheme", "https" if parts.scheme == "wss" else "http"), ("sec-websocket-version", "13"), *fields]
        if subprotocols:
            head.append(("sec-websocket-protocol", ", ".join(subprotocols)))
        if compression:
            head.append(("sec-websocket-extensions", "permessage-deflate; client_max_window_bits"))
            self._deflate.offer()
        self._stream = self._h2.get_next_available_stream_id()
        self._messages, self._pongs, self._parts, self._ended = [], [], [], False
        self._link = self.close_code = self.close_reason = None
        self._h2.send_headers(self._stream, head)
        self._flush()
        while self._link is None:
            self._receive()

    def _open(self, head):
        if head[":status"] != "200":
            raise Closed(f"status {head[':status']}: {head}")
        self.accept = head.get("sec-websocket-accept")
        self.extension = head.get("sec-websocket-extensions")
        self.subprotocol = head.get("sec-websocket-protocol")
        if self.extension:
            self._deflate.finalize(self.extension)
        self._link = Connection(ConnectionType.CLIENT, [self._deflate] if self.extension else [])

    def send(self, message):
        kind = wsproto.events.TextMessage if isinstance(message, str) else wsproto.events.BytesMessage
        self._write(self._link.send(kind(data=message)))

    def recv(self):
        while not self._messages:
            if self.close_code is not None:
                raise Closed(f"{self.close_code} {self.close_reason}")
            self._receive()
        return self._messages.pop(0)

    def ping(self):
        payload = os.urandom(8)
        self._write(self._link.send(wsproto.events.Ping(payload=payload)))
        while payload not in self._pongs:
            self._receive()

    def close(self, code=1000, reason=""):
        self._write(self._link.send(wsproto.events.CloseConnection(code=code, reason=reason)))
        self.wait_closed()

    def wait_closed(self):
        """Until the other end has closed the WebSocket and its stream."""
        while self.close_code is None or not self._ended:
            self._receive()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def _write(self, data):
        while data:
            room = min(self._h2.local_flow_control_window(self._stream), self._h2.max_outbound_frame_size)
            if room <= 0:
                self._receive()
                continue
            self._h2.send_data(self._stream, data[:room])
            data = data[room:]
            self._flush()

    def _flush(self):
        self._socket.sendall(self._h2.data_to_send())

    def _receive(self):
        data = self._socket.recv(65536)
        if not data:
            raise Closed("the connection ended")
        for event in self._h2.receive_data(data):
            if isinstance(event, h2.events.ResponseReceived):
                self._open(dict(event.headers))
            elif isinstance(event, h2.events.DataReceived):
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                if event.data:
                    self._link.receive_data(event.data)
                    self._take()
            elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
                self._ended = True
                if self.close_code is None:
                    raise Closed("the stream ended without a close frame")
            elif isinstance(event, h2.events.ConnectionTerminated):
                raise Closed(f"GOAWAY {event.error_code}")
        self._flush()

    def _take(self):
        for event in self._link.events():
            if isinstance(event, wsproto.events.Message):
                self._parts.append(event.data)
                if event.message_finished:
                    self._messages.append(type(event.data)().join(self._parts))
                    self._parts = []
            elif isinstance(event, wsproto.events.Ping):
                self._write(self._link.send(event.response()))
            elif isinstance(event, wsproto.events.CloseConnection):
                self.close_code, self.close_reason = event.code, event.reason or ""
                if self._link.state is not wsproto.connection.ConnectionState.CLOSED:
                    self._write(self._link.send(event.response()))
                with contextlib.suppress(h2.exceptions.ProtocolError):  # it may be closed already
                    self._h2.end_stream(self._stream)
            elif isinstance(event, wsproto.events.Pong):
                self._pongs.append(bytes(event.payload))
