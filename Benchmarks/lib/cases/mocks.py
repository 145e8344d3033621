"""Mocks: CPU per request beside a proxied one, with ten and with 10,000 of them, and the start with 10,000."""

from .. import peers, request
from ..case import Case, Column, Target
from .files import served

TEXT = "lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor " * 12


def mocks(count, text):
    """Routes with bodies of their own."""
    return [{"method": "GET", "path": f"/mocks/{number}/item",
             "mock": {"json": {"id": number, "tags": ["a", "b"], "price": {"amount": number * 1.5}, "text": text}}}
            for number in range(count)]


def requests(bench, peer):
    many, ten = (served(bench, peer, peers.Shunt(peer.binary, more=mocks(count, TEXT)), "mocks/7/item", False)
                 for count in (10_000, 10))
    proxied = served(bench, peer, peer, request.PATH.lstrip("/"), False)
    return {"ratio": ten["cpu"] / proxied["cpu"], "mock": ten["cpu"], "proxied": proxied["cpu"],
            "growth": many["cpu"] / ten["cpu"], "others": max(many["others"], ten["others"], proxied["others"])}


def start(bench, peer):
    variant = peers.Shunt(peer.binary, more=mocks(10_000, TEXT[:200]))
    with bench.running(variant, bench.origin.plain, False) as proxy:
        return {"ms": proxy.started_in * 1000, "peak": proxy.peak_mib()}


CASES = [
    Case("mocks", "a mock of 1 KiB and a proxied request, plain, 64 connections kept alive", requests,
         [Column("ratio", "mock / proxied", 3), Column("mock", "mock us/req", 1), Column("proxied", "proxied us/req", 1),
          Column("growth", "10,000 / 10", 3), Column("others", "others %")],
         [Target("ratio", 0.7), Target("growth", 1.05)], peers=("shunt",)),
    Case("mocks-start", "start with 10,000 mocks with bodies, to the first answered request", start,
         [Column("ms", "ms", 1), Column("peak", "peak MiB", 1)], [Target("ms", 200)], rounds=10, quick_rounds=3,
         peers=("shunt",)),
]
