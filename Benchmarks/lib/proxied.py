"""Sends requests over kept connections, opened at once or by CONNECT, and prints how many got their response.

usage: proxied.py PORT HOST reverse|proxy SECONDS"""

import socket
import ssl
import sys
import time

CONNECTIONS = 32
LIMIT = 20


def main():
    port, host, mode, seconds = int(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # What it costs to verify is the client's affair.
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connections = [connect(port, host, mode, context) for _ in range(CONNECTIONS)]
    request = f"GET /v1/articles HTTP/1.1\r\nHost: {host}\r\nAccept: application/json\r\n\r\n".encode()
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for connection in connections:
            connection.sendall(request)
        for connection in connections:
            receive(connection)
        count += len(connections)
    print(count)


def connect(port, host, mode, context):
    plain = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if mode == "proxy":
        plain.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += plain.recv(1) or sys.exit("CONNECT got no response")
        if b" 200 " not in head.split(b"\r\n")[0]:
            sys.exit(f"CONNECT got {head!r}")
    return context.wrap_socket(plain, server_hostname=host)


def receive(connection):
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65536) or sys.exit("a connection was closed")
    head, _, body = received.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 "):
        sys.exit(f"a request got {head!r}")
    length = next(int(line.partition(b":")[2]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(body) < length:
        body += connection.recv(65536) or sys.exit("a connection was closed")


main()
