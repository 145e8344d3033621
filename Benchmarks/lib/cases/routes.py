"""What many routes cost: Shunt with thousands of them beside itself with one."""

from .. import peers
from ..case import Case, Column, Target
from .rewriting import plain


def routes(count):
    """Routes that no request of the load is for: a third by host, a third by domain, a third by path."""
    kinds = [lambda n: {"host": f"h{n}.shop.test"}, lambda n: {"host": f"*.s{n}.shop.test"},
             lambda n: {"path": f"/api/v1/p{n}/*"}]
    return [kinds[n % 3](n) for n in range(count)]


def requests(bench, peer):
    many = plain(bench, peers.Shunt(peer.binary, more=routes(9_999)), "/")
    one = plain(bench, peer, "/")
    return {"ratio": many["cpu"] / one["cpu"], "many": many["cpu"], "one": one["cpu"], "peak": many["peak"],
            "others": max(many["others"], one["others"])}


def hosts(count):
    def measure(bench, peer):
        # Each host has an origin of its own, so that each is an address that responses may name.
        more = [{"host": f"h{n}.shop.test", "origin": f"https://o{n}.example"} for n in range(count)]
        with bench.running(peers.Shunt(peer.binary, more=more), bench.origin.plain, False) as proxy:
            many = (proxy.started_in * 1000, proxy.peak_mib())
        with bench.running(peer, bench.origin.plain, False) as proxy:
            one = (proxy.started_in * 1000, proxy.peak_mib())
        return {"memory": many[1] - one[1], "time": many[0] - one[0], "ms": many[0]}
    return measure


HOST_COLUMNS = [Column("memory", "more MiB", 1), Column("time", "more ms"), Column("ms", "start ms")]

CASES = [
    Case("routes", "a request with 10,000 routes and with one, plain to plain", requests,
         [Column("ratio", "many / one", 3), Column("many", "many us/req", 1), Column("one", "one us/req", 1),
          Column("peak", "peak MiB", 1), Column("others", "others %")], [Target("ratio", 1.05)], peers=("shunt",)),
    Case("hosts", "start with 4,000 routes of a host and an origin each, and with one route", hosts(4_000),
         HOST_COLUMNS, [Target("memory", 40), Target("time", 300)], peers=("shunt",)),
    Case("hosts-10k", "the same with 10,000", hosts(10_000), HOST_COLUMNS, [Target("ms", 1_000)], peers=("shunt",)),
]
