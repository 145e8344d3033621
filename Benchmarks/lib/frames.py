"""As much of HTTP/2 as a client needs that asks and does not read, or reads one response (RFC 9113, RFC 7541)."""

import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS = 1, 4
LARGEST_WINDOW = (1 << 31) - 1
USUAL_WINDOW = 65535
INITIAL_WINDOW = 4  # the setting


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def opening(window):
    """What a client begins with that grants each stream, and all of them together, so many bytes."""
    begin = PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW, window))
    return begin + (frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", window - USUAL_WINDOW)) if window > USUAL_WINDOW else b"")


def get(stream, path):
    """A GET of https://localhost, its fields as literals that leave the table as it is."""
    block = b"\x82\x87\x04" + text(path) + b"\x01" + text("localhost")
    return frame(HEADERS, END_STREAM | END_HEADERS, stream, block)


def text(value):
    encoded = value.encode()
    assert len(encoded) < 127
    return bytes([len(encoded)]) + encoded


def read(receive):
    """The frames that come, as (kind, stream, payload); `receive` gives exactly so many bytes."""
    while True:
        head = receive(9)
        yield head[3], struct.unpack(">I", head[5:])[0] & LARGEST_WINDOW, receive(int.from_bytes(head[:3], "big"))
