"""What was sent and what came, by the number of each request: clients and origins write, `check` compares."""
import collections
import contextlib
import hashlib
import math
import random
import time


def digest(data):
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def content(number, origin):
    """The body with which an origin responds to a request: it tells of both, so that no other one passes for it."""
    draw = random.Random(number)
    length = draw.choice([0, 1, 20, 200, 1000, 1000, 5000, draw.randrange(60_000)])
    line = f"{origin} responds to {number};".encode()
    return (line * (length // len(line) + 1))[:length]


def events(number):
    """The events of a stream, as bytes."""
    return [f"id: {at}\ndata: {number}.{at}\n\n".encode() for at in range(number % 12)] + [
        f"event: end\ndata: {number}\n\n".encode()]


def body(number):
    """The body of a request."""
    draw = random.Random(-1 - number)
    return draw.randbytes(draw.choice([1, 30, 300, 1000, 4000, draw.randrange(40_000)]))


class Ledger:
    def __init__(self):
        self.last = 0
        self.sent = {}
        self.arrived = collections.defaultdict(list)
        # Status and length of each response that came whole.
        self.responses = {}
        self.counts = collections.Counter()
        self.wrong = []
        # When the last disturbance ended; while there is one, never.
        self.disturbed_until, self.disturbing = -math.inf, 0

    def number(self):
        self.last += 1
        return self.last

    def fail(self, text):
        self.wrong.append(text)
        if len(self.wrong) < 40:
            print(f"soak: wrong: {text}", flush=True)

    @contextlib.contextmanager
    def disturbance(self):
        """Origins are away meanwhile, and for a moment more, in which connections that broke are noticed."""
        self.disturbing += 1
        try:
            yield
        finally:
            self.disturbing -= 1
            self.disturbed_until = time.monotonic() + 1

    def was_disturbed(self, began):
        """Whether origins were away at any time since then."""
        return self.disturbing > 0 or self.disturbed_until >= began

    # Clients

    def sends(self, number, method, data=b""):
        self.sent[number] = (method, digest(data))

    def gets(self, number, began, status, fields, data, length=None):
        """A whole response came; `data` is decoded, `length` counts the bytes as they came."""
        self.responses[number] = (status, len(data) if length is None else length)
        self.counts[status] += 1
        method, sum_sent = self.sent[number]
        origin = fields.get("x-soak-origin")
        if origin:
            if data != content(number, origin):
                self.fail(f"{number}: the body is not that of {origin}: {len(data)} bytes, {data[:60]!r}")
            if fields.get("x-soak-sum") != sum_sent:
                self.fail(f"{number}: {origin} got another body than was sent")
        elif status == 200 and data != b"mocked":
            self.fail(f"{number}: 200 without an origin: {data[:80]!r}")
        elif status == 403 and b"is read-only" in data and (method != "GET" or b"a WebSocket" in data):
            pass
        elif status in (502, 503, 504):
            if not self.was_disturbed(began):
                self.fail(f"{number}: {status}, while all origins were there: {data[:200]!r}")
        elif status != 200:
            self.fail(f"{number}: {status}: {data[:200]!r}")

    def loses(self, number, began, why):
        """No whole response came, and the client had not given up."""
        self.counts["lost"] += 1
        if not self.was_disturbed(began):
            self.fail(f"{number}: no whole response, while all origins were there: {why}")

    # Origins

    def arrives(self, number, origin, method, data):
        self.arrived[number].append((origin, method, digest(data)))

    def check(self):
        for number, arrivals in self.arrived.items():
            method, sum_sent = self.sent[number]
            for origin, seen, sum_seen in arrivals:
                if (seen, sum_seen) != (method, sum_sent):
                    self.fail(f"{number}: {origin} got {seen} {sum_seen}, sent was {method} {sum_sent}")
            if len(arrivals) > 1 and method not in ("GET", "HEAD"):
                self.fail(f"{number}: {method} reached origins {len(arrivals)} times: {arrivals}")
