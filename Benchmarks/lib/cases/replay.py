"""Recordings: CPU per request beside a mock, and opening one of 10,000 entries."""

import json

from .. import peers
from ..case import Case, Column, Target
from .files import served
from .mocks import TEXT, mocks

COUNT = 10_000


class Replaying(peers.Shunt):
    """Shunt with a recording, whose bodies are the mocks' own."""

    def prepare(self, setup):
        command = super().prepare(setup)
        entries = [{"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1,
                    "request": {"method": "GET", "url": f"http://localhost/mocks/{number}/item", "headers": []},
                    "response": {"status": 200, "headers": [{"name": "Content-Type", "value": "application/json"}],
                                 "content": {"mimeType": "application/json", "text": json.dumps(body(number))}}}
                   for number in range(COUNT)]
        setup.file("Recordings/bench.har", json.dumps({"log": {"version": "1.2", "entries": entries}}))
        with open(setup.file("profiles/bench.json")) as file:
            profile = json.load(file)
        profile["routes"].append({"path": "/mocks/*", "recording": "bench"})
        setup.file("profiles/bench.json", json.dumps(profile))
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


CASES = [
    Case("replay", "a recording of 10,000 entries and a mock of 1 KiB, plain, 64 connections kept alive", requests,
         [Column("ratio", "recording / mock", 3), Column("replayed", "recording us/req", 1),
          Column("mock", "mock us/req", 1), Column("others", "others %")], [Target("ratio", 1.1)], peers=("shunt",)),
    Case("replay-start", "start with a recording of 10,000 entries, to the first answered request", start,
         [Column("ms", "ms", 1), Column("peak", "peak MiB", 1)], [Target("ms", 200), Target("peak", 60)], rounds=10,
         quick_rounds=3, peers=("shunt",)),
]
