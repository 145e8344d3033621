"""A TLS client that is told what to do line by line on standard input and responses each line with one of JSON.

    await PORT TLS SECONDS    tries until a request is answered; says when that was, and how it was sealed
    full PORT SECONDS         a new connection per request, each with a full handshake
    resume PORT SECONDS       a new connection per request, each with the session of the one before
    names PORT FIRST COUNT    a new connection per request, each for a host of its own, named by its number
    open PORT COUNT           opens connections, one request on each, and keeps them
    check                     says how many of those are closed by now, and closes the rest
    stall PORT COUNT STREAMS WINDOW
                              opens connections of HTTP/2 that ask for a large body on each stream and never read
    check_stalled             says how many of those were reset by now, and closes the rest
    events PORT CONTROL       reads server-sent events on a stream of HTTP/2, telling the origin at CONTROL of each"""

import json
import os
import re
import resource
import select
import socket
import ssl
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import frames  # noqa: E402  (this file is run on its own)
from lib.events import COUNT as EVENTS  # noqa: E402
from lib.request import head  # noqa: E402

PATIENCE = 10

context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
modern = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
modern.check_hostname = False
modern.verify_mode = ssl.CERT_NONE
modern.set_alpn_protocols(["h2"])
kept = []
stalled = []


def connect(port, tls=True, session=None, context=context, name="localhost"):
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if tls:
        connection = context.wrap_socket(connection, server_hostname=name, session=session)
    return connection


def exchange(connection, request):
    """One request and its whole response: the status and the body's length."""
    connection.sendall(request)
    data = b""
    while b"\r\n\r\n" not in data:
        data += received(connection)
    fields, _, body = data.partition(b"\r\n\r\n")
    status = int(fields.split(b" ", 2)[1])
    length = re.search(rb"\r\ncontent-length: *(\d+)", fields, re.IGNORECASE)
    if not length:
        raise ConnectionError(f"a response without Content-Length: {fields!r}")
    length = int(length.group(1))
    while len(body) < length:
        body += received(connection)
    return status, length


def received(connection):
    part = connection.recv(65536)
    if not part:
        raise ConnectionError("closed in the middle of a response")
    return part


def await_response(port, tls, seconds):
    deadline = time.monotonic() + float(seconds)
    request = head(port, close=True)
    while True:
        try:
            with connect(int(port), tls == "tls") as connection:
                status, length = exchange(connection, request)
                at = time.monotonic_ns()
                sealed = [connection.version(), connection.cipher()[0]] if tls == "tls" else None
                return {"at": at, "status": status, "length": length, "sealed": sealed}
        except OSError as error:
            if time.monotonic() > deadline:
                return {"error": str(error)}
            time.sleep(0.0001)


def reconnect(port, seconds, resuming):
    deadline = time.monotonic() + float(seconds)
    request = head(port, close=True)
    connections = resumed = 0
    session = None
    if resuming:
        with connect(int(port)) as connection:
            exchange(connection, request)
            session = connection.session
        connections = 1
    while time.monotonic() < deadline:
        with connect(int(port), session=session) as connection:
            status, _ = exchange(connection, request)
            if status != 200:
                raise ConnectionError(f"status {status}")
            connections += 1
            resumed += connection.session_reused
            if resuming:
                session = connection.session  # came with the response: tickets follow the handshake
    return {"connections": connections, "resumed": resumed}


def names(port, first, count):
    request = head(port, close=True)
    for number in range(int(first), int(first) + int(count)):
        with connect(int(port), name=f"h{number}.bench.test") as connection:
            status, _ = exchange(connection, request)
            if status != 200:
                raise ConnectionError(f"status {status}")
    return {"connections": int(count)}


def open_many(port, count):
    request = head(port)
    for _ in range(int(count)):
        connection = connect(int(port))
        exchange(connection, request)
        kept.append(connection)
    return {"open": len(kept)}


def check():
    poll = select.poll()
    for connection in kept:
        poll.register(connection, select.POLLIN | select.POLLHUP)
    closed = len(poll.poll(0))
    for connection in kept:
        connection.close()
    kept.clear()
    return {"closed": closed}


def connect_h2(port, window):
    connection = connect(int(port), context=modern)
    if connection.selected_alpn_protocol() != "h2":
        raise ConnectionError("no h2 by ALPN")
    connection.sendall(frames.opening(window))
    return connection


def stall(port, count, streams, window):
    for _ in range(int(count)):
        connection = connect_h2(port, int(window))
        stalled.append(connection)
        connection.sendall(b"".join(frames.get(2 * number + 1, "/big") for number in range(int(streams))))
    return {"stalled": len(stalled)}


def check_stalled():
    poll = select.poll()
    for connection in stalled:
        poll.register(connection, select.POLLRDHUP)  # not POLLIN: there is always something to read
    closed = len(poll.poll(0))
    for connection in stalled:
        connection.close()
    stalled.clear()
    return {"closed": closed}


def events(port, control_port):
    delays = []
    with socket.create_connection(("127.0.0.1", int(control_port)), timeout=PATIENCE) as control:
        control.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        control.sendall(b"control\n")
        with connect_h2(port, 1 << 20) as connection:
            connection.sendall(frames.get(1, "/events"))
            buffered = bytearray()

            def receive(count):
                while len(buffered) < count:
                    buffered.extend(received(connection))
                taken = bytes(buffered[:count])
                del buffered[:count]
                return taken

            text = b""
            for kind, stream, payload in frames.read(receive):
                if kind in (frames.RST_STREAM, frames.GOAWAY):
                    raise ConnectionError(f"frame {kind} after {len(delays)} events")
                if kind != frames.DATA:
                    continue
                text += payload
                while b"\n\n" in text:
                    event, _, text = text.partition(b"\n\n")
                    delays.append((time.monotonic_ns() - int(event.removeprefix(b"data: "))) / 1000)
                    control.sendall(b".")
                if len(delays) == EVENTS:
                    break
    delays.sort()
    return {"median": statistics.median(delays), "p99": delays[len(delays) * 99 // 100], "worst": delays[-1]}


COMMANDS = {
    "await": await_response,
    "full": lambda port, seconds: reconnect(port, seconds, resuming=False),
    "resume": lambda port, seconds: reconnect(port, seconds, resuming=True),
    "names": names,
    "open": open_many,
    "check": check,
    "stall": stall,
    "check_stalled": check_stalled,
    "events": events,
}


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    for line in sys.stdin:  # until the bench is gone
        name, *arguments = line.split()
        try:
            response = COMMANDS[name](*arguments)
        except OSError as error:
            response = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(response), flush=True)


main()
