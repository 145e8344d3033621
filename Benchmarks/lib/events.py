"""An origin of server-sent events: writes each one with the time when it did, and waits for word that it has come.

Run as: events.py PORT. A connection that begins with a line "control" gives that word, a byte for each event; the others
are answered with the events, or, with `Connection: close` in the request, with nothing."""

import queue
import socket
import sys
import threading
import time

COUNT = 500
controls = queue.Queue()


def main():
    with socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=64) as listener:
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=serve, args=(connection,), daemon=True).start()


def serve(connection):
    head = b""
    try:
        while b"\n" not in head or (head.startswith(b"GET") and b"\r\n\r\n" not in head):
            part = connection.recv(4096)
            if not part:
                return
            head += part
        if head.startswith(b"control"):
            controls.put(connection)  # whoever responds next closes it
        elif b"/events" in head.split(b"\r\n")[0]:
            with connection:
                response(connection)
        else:
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    except OSError:
        pass


def response(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
                       b"Transfer-Encoding: chunked\r\n\r\n")
    with controls.get(timeout=5) as control:
        for _ in range(COUNT):
            event = b"data: %d\n\n" % time.monotonic_ns()
            connection.sendall(b"%x\r\n%s\r\n" % (len(event), event))
            if not control.recv(1):
                return
    connection.sendall(b"0\r\n\r\n")


if __name__ == "__main__":
    main()
