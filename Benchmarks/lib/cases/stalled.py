"""Streams that nobody reads from, whatever their windows are: memory."""

import time

from ..case import Case, Column, Target
from ..errors import BenchError
from ..frames import LARGEST_WINDOW, USUAL_WINDOW

CONNECTIONS = 100
STREAMS = 100
PATIENCE = 30  # seconds for all requests to reach the origin
SETTLE = 4  # then, for all that can be buffered to be there


def measure(window):
    return lambda bench, peer: stall(bench, peer, window)


def stall(bench, peer, window):
    with bench.running(peer, bench.origin.h2, client_h2=True) as proxy:
        before, asked = proxy.resident_kib(), bench.origin.requests()
        bench.client.ask("stall", proxy.port, CONNECTIONS, STREAMS, window, timeout=60, blame=proxy.process)
        end = time.monotonic() + PATIENCE
        questions, reached = 0, 0
        while reached < CONNECTIONS * STREAMS and time.monotonic() < end:
            time.sleep(0.2)
            questions += 1  # Each is a request, too.
            reached = bench.origin.requests() - asked - questions
        time.sleep(SETTLE)
        after, peak = proxy.resident_kib(), proxy.peak_mib()
        closed = bench.client.ask("check_stalled", timeout=10)["closed"]
        if closed:
            raise BenchError(f"{peer.name} closed {closed} of {CONNECTIONS} connections")
        return {"after": after / 1024, "before": before / 1024, "peak": peak, "reached": reached}


def case(name, title, window):
    return Case(name, f"{CONNECTIONS} connections of {STREAMS} streams that ask for 1 GiB each and never read, {title}",
                measure(window),
                [Column("after", "after MiB", 1), Column("before", "before MiB", 1), Column("peak", "peak MiB", 1),
                 Column("reached", "reached origin")],
                [Target("peak", 200)], rounds=1, peers=("shunt", "haproxy", "nghttpx"))


CASES = [
    case("h2-stalled", "with the largest windows", LARGEST_WINDOW),
    case("h2-windows", "with the usual windows, never widened", USUAL_WINDOW),
]
