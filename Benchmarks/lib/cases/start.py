"""From exec to the first answered request over TLS. Shunt signs its leaf with the CA that its first start made."""

from ..case import Case, Column, Target


def measure(bench, peer):
    if peer.name not in bench.started_once:
        with bench.running(peer, bench.origin.plain, own_ca=True):
            bench.started_once.add(peer.name)  # the CA is there from now on, and the binary in the page cache
    with bench.running(peer, bench.origin.plain, own_ca=True) as proxy:
        return {"ms": proxy.started_in * 1000, "peak": proxy.peak_mib()}


CASES = [Case("start", "from exec to the first answered request, TLS to plain", measure,
              [Column("ms", "ms", 1), Column("peak", "peak MiB", 1)], [Target("ms", 60)], rounds=10, quick_rounds=3)]
