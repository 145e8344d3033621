"""Recordings: CPU per request beside a mock, opening one of 10,000 entries, and writing one."""

import json
import os
import time

from .. import peers, request
from ..case import Case, Column, Target
from ..origin import response_body
from .files import served
from .mocks import TEXT, mocks
from .throughput import latencies, steady

COUNT = 10_000


class Replaying(peers.Shunt):
    """Shunt with a recording, whose bodies are the mocks' own."""

    def prepare(self, setup):
        command = super().prepare(setup)
        # The first is what the harness asks for until a proxy responds.
        texts = {request.PATH: response_body()}
        texts |= {f"/mocks/{number}/item": json.dumps(body(number)) for number in range(COUNT - 1)}
        entries = [{"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1,
                    "request": {"method": "GET", "url": f"http://localhost{path}", "headers": []},
                    "response": {"status": 200, "headers": [{"name": "Content-Type", "value": "application/json"}],
                                 "content": {"mimeType": "application/json", "text": text}}}
                   for path, text in texts.items()]
        setup.file("Recordings/bench.har", json.dumps({"log": {"version": "1.2", "entries": entries}}))
        setup.file("profiles/bench.json", json.dumps({"kind": "local", "routes": [{"recording": "bench"}]}))
        return command


def body(number):
    return {"id": number, "tags": ["a", "b"], "price": {"amount": number * 1.5}, "text": TEXT}


def requests(bench, peer):
    replayed = served(bench, peer, Replaying(peer.binary), "mocks/7/item", False)
    mocked = served(bench, peer, peers.Shunt(peer.binary, more=mocks(10, TEXT)), "mocks/7/item", False)
    return {"ratio": replayed["cpu"] / mocked["cpu"], "replayed": replayed["cpu"], "mock": mocked["cpu"],
            "others": max(replayed["others"], mocked["others"])}


def start(bench, peer):
    with bench.running(Replaying(peer.binary), bench.origin.plain, False) as proxy:
        return {"ms": proxy.started_in * 1000, "peak": proxy.peak_mib()}


class Recorded(peers.Shunt):
    """Shunt that writes a recording beside the store."""

    def __init__(self, binary):
        super().__init__(binary, options=("--record", "bench"))

    def prepare(self, setup):
        self.file = setup.file("Recordings/bench.har")
        # What an earlier turn has recorded; the new one would be added to it.
        if os.path.exists(self.file):
            os.unlink(self.file)
        return super().prepare(setup)


def record(bench, peer):
    on, off = written(bench, Recorded(peer.binary)), written(bench, peers.Shunt(peer.binary, options=()))
    return {"ratio": on["cpu"] / off["cpu"], "on": on["cpu"], "off": off["cpu"], "p50": on["p50"], "p50off": off["p50"],
            "behind": on["behind"], "peak": on["peak"], "others": max(on["others"], off["others"])}


def written(bench, shunt):
    """CPU per request until all of them are in the file: it is written behind the responses."""
    with bench.running(shunt, bench.origin.plain, False) as proxy:
        before, meter = bench.origin.requests(), proxy.meter()
        load = steady(bench, f"http://localhost:{proxy.port}/", bench.window)
        output = bench.workspace.finish(load, bench.window + 15)
        ended = time.monotonic()
        grown = ended
        if isinstance(shunt, Recorded):
            size, end = -1, ended + 60
            # Shunt looks for new exchanges ten times a second.
            while time.monotonic() < min(grown + 1, end):
                if os.path.getsize(shunt.file) != size:
                    size, grown = os.path.getsize(shunt.file), time.monotonic()
                time.sleep(0.05)
        meter.stop()
        requests = bench.origin.requests() - before - 1
        return latencies(output, shunt) | {"cpu": meter.cpu * 1e6 / requests, "behind": grown - ended,
                                           "peak": proxy.peak_mib(), "others": meter.others}


CASES = [
    Case("replay", "a recording of 10,000 entries and a mock of 1 KiB, plain, 64 connections kept alive", requests,
         [Column("ratio", "recording / mock", 3), Column("replayed", "recording us/req", 1),
          Column("mock", "mock us/req", 1), Column("others", "others %")], [Target("ratio", 1.1)], peers=("shunt",)),
    Case("replay-start", "start with a recording of 10,000 entries, to the first answered request", start,
         [Column("ms", "ms", 1), Column("peak", "peak MiB", 1)], [Target("ms", 200), Target("peak", 60)], rounds=10,
         quick_rounds=3, peers=("shunt",)),
    Case("record", "a recording that is written beside the store, and the store alone, plain to plain", record,
         [Column("ratio", "record / store", 3), Column("on", "record us/req", 1), Column("off", "store us/req", 1),
          Column("p50", "p50 us"), Column("p50off", "p50 store"), Column("behind", "s behind", 1),
          Column("peak", "peak MiB", 1), Column("others", "others %")], [Target("ratio", 1.4), Target("peak", 100)],
         peers=("shunt",)),
]
