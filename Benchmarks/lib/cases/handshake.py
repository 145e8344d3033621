"""A new connection for every request: what accepting, the handshake, one request and closing cost together."""

import time

from ..case import Case, Column, Target


def measure(command):
    def measure(bench, peer):
        with bench.running(peer, bench.origin.plain) as proxy:
            def phase(seconds):
                return bench.client.ask(command, proxy.port, seconds, timeout=seconds + 20, blame=proxy.process)
            seconds = bench.window / 2
            phase(0.5)
            meter = proxy.meter()
            done = phase(seconds)
            time.sleep(0.05)  # the proxy's side of the last close
            meter.stop()
            connections = done["connections"]
            fresh = 1 if command == "resume" else 0  # the first has no session to resume
            return {"cpu": meter.cpu * 1e6 / connections, "rate": connections / seconds,
                    "resumed": 100 * done["resumed"] / (connections - fresh), "peak": proxy.peak_mib(),
                    "others": meter.others}
    return measure


# One client after the other leaves the proxy waiting half of the time, which makes this the most easily disturbed
# case: many short turns, so that what disturbs one disturbs its neighbours too.
ROUNDS = 8

COLUMNS = [Column("cpu", "CPU us/conn", 1), Column("rate", "conn/s"), Column("resumed", "resumed %", 1),
           Column("peak", "peak MiB", 1), Column("others", "others %")]

CASES = [
    Case("handshake", "a full handshake and one request per connection, TLS to plain", measure("full"), COLUMNS,
         [Target("cpu", 1.1, "nginx")], rounds=ROUNDS),
    Case("resumption", "a resumed handshake and one request per connection, TLS to plain", measure("resume"), COLUMNS,
         [Target("resumed", 98, at_least=True)], rounds=ROUNDS),
]
