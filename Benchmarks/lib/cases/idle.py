"""Connections that did one request and now wait: memory for each."""

import time

from ..case import Case, Column, Target
from ..errors import BenchError

SETTLE = 3  # seconds after the last request, for a proxy to give back what an idle connection needs no more


def measure(bench, peer):
    count = bench.idle_connections
    with bench.running(peer, bench.origin.plain) as proxy:
        before = proxy.resident_kib()
        bench.client.ask("open", proxy.port, count, timeout=60, blame=proxy.process)
        time.sleep(SETTLE)
        after, peak = proxy.resident_kib(), proxy.peak_mib()
        closed = bench.client.ask("check", timeout=10)["closed"]
        if closed:
            raise BenchError(f"{peer.name} closed {closed} of {count} connections that should be idle")
        return {"each": (after - before) / count, "before": before / 1024, "after": after / 1024, "peak": peak}


CASES = [Case("idle", "idle TLS client connections after one request each", measure,
              [Column("each", "KiB/conn", 1), Column("before", "before MiB", 1), Column("after", "after MiB", 1),
               Column("peak", "peak MiB", 1)],
              [Target("each", 24)], quick_rounds=1)]
