"""An origin for uploads: reads a request's body over TLS to its end, forgets it, responds with its length.

Run as: sink.py PORT CERTIFICATE KEY"""

import re
import socket
import ssl
import sys
import threading


def main():
    port, certificate, key = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", int(port)), backlog=64) as listener:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(context, connection), daemon=True).start()


def serve(context, connection):
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with context.wrap_socket(connection, server_side=True) as secured:
            while response_one(secured):
                pass
    except OSError:
        pass


def response_one(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        part = connection.recv(16384)
        if not part:
            return False
        head += part
    head, _, start = head.partition(b"\r\n\r\n")
    length = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
    if length:
        left = int(length.group(1)) - len(start)
        body = str(skip(connection, left) + len(start)).encode()
    elif re.search(rb"\r\ntransfer-encoding: *chunked", head, re.IGNORECASE):
        body = str(skip_chunks(connection, start)).encode()
    else:
        body = b"0"
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s"
                       % (len(body), body))
    return True


def skip(connection, count):
    buffer = memoryview(bytearray(65536))
    left = count
    while left > 0:
        received = connection.recv_into(buffer, min(left, len(buffer)))
        if received == 0:
            raise ConnectionError
        left -= received
    return count


def skip_chunks(connection, buffered):
    total = 0
    while True:
        while b"\r\n" not in buffered:
            buffered += more(connection)
        line, _, buffered = buffered.partition(b"\r\n")
        size = int(line.split(b";")[0], 16)
        needed = size + 2
        if needed <= len(buffered):
            buffered = buffered[needed:]
        else:
            skip(connection, needed - len(buffered))
            buffered = b""
        if size == 0:
            return total
        total += size


def more(connection):
    part = connection.recv(16384)
    if not part:
        raise ConnectionError
    return part


main()
