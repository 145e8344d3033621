"""Server-sent events, the next one written when the one before has come: how long each is on its way."""

from ..case import Case, Column, Target


def measure(bench, peer):
    with bench.running(peer, bench.origin.events, client_h2=True) as proxy:
        return bench.client.ask("events", proxy.port, bench.origin.events.port, timeout=60, blame=proxy.process)


CASES = [
    Case("sse-latency", "server-sent events, HTTP/2 in TLS to plain HTTP/1.1, from write to read, 500 of them", measure,
         [Column("median", "median us"), Column("p99", "p99 us"), Column("worst", "worst us")],
         [Target("median", 5000)], peers=("shunt", "nginx", "haproxy", "nghttpx", "h2o")),
]
