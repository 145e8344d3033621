"""What rewriting and recording cost: Shunt beside itself without, and a large body that is searched in vain."""

from .. import peers
from ..case import Case, Column, Target
from ..errors import BenchError
from .throughput import MARGIN, latencies, steady, window

PATH = "/rewritten"


def heads(client_tls, origin_tls, path=PATH):
    def measure(bench, peer):
        target = bench.origin.tls if origin_tls else bench.origin.plain
        on = requests(bench, peer, target, client_tls, path)
        off = requests(bench, peers.Shunt(peer.binary, {"rewrite": False}), target, client_tls, path)
        return {"ratio": on["cpu"] / off["cpu"], "on": on["cpu"], "off": off["cpu"], "p50": on["p50"],
                "p50off": off["p50"], "others": max(on["others"], off["others"])}
    return measure


def recording(path):
    def measure(bench, peer):
        on = plain(bench, peers.Shunt(peer.binary, options=()), path)
        off = plain(bench, peer, path)
        return {"ratio": on["cpu"] / off["cpu"], "on": on["cpu"], "off": off["cpu"], "p50": on["p50"],
                "p50off": off["p50"], "peak": on["peak"], "others": max(on["others"], off["others"])}
    return measure


def plain(bench, peer, path):
    with bench.running(peer, bench.origin.plain, False) as proxy:
        load = steady(bench, f"http://localhost:{proxy.port}{path}", round(bench.window + 2 * MARGIN))
        metrics = window(bench, proxy) | {"peak": proxy.peak_mib()}
        return metrics | latencies(bench.workspace.finish(load, bench.window + 15), peer)


def requests(bench, peer, target, client_tls, path):
    with bench.running(peer, target, client_tls) as proxy:
        scheme = "https" if client_tls else "http"
        own = f"{scheme}://localhost:{proxy.port}"
        fields = {"Origin": own, "Referer": own + "/cart?step=2", "Cookie": "session=0123456789abcdef; theme=dark"}
        load = steady(bench, own + path, round(bench.window + 2 * MARGIN), fields)
        metrics = window(bench, proxy)
        return metrics | latencies(bench.workspace.finish(load, bench.window + 15), peer)


def body(bench, peer):
    with bench.running(peers.Shunt(peer.binary, large={"rewrite": {"bodies": True}}), bench.origin.plain, False) as proxy:
        size = bench.origin.json_bytes
        meter = proxy.meter()
        output = bench.workspace.run(
            ["curl", "-sS", "--noproxy", "*", "--max-time", "120", "-w", "%{http_code} %{size_download} %{time_total}",
             "-o", "/dev/null", f"http://localhost:{proxy.port}/large.json"], "curl.log", 130)
        meter.stop()
        status, moved, seconds = output.split()
        if (status, int(moved)) != ("200", size):
            raise BenchError(f"curl got status {status} and {moved} of {size} bytes")
        return {"speed": size / meter.cpu / 1e6, "rate": size / float(seconds) / 1e6, "peak": proxy.peak_mib(),
                "others": meter.others}


COLUMNS = [Column("ratio", "on / off", 3), Column("on", "on us/req", 1), Column("off", "off us/req", 1),
           Column("p50", "p50 us"), Column("p50off", "p50 off"), Column("others", "others %")]

CASES = [
    Case("rewrite-usual", "head rewriting on and off, plain to plain, Origin, Referer and Cookie in the request",
         heads(False, False, "/"), COLUMNS, [Target("ratio", 1.1)], peers=("shunt",)),
    Case("rewrite-all", "head rewriting on and off, plain to plain, all fields there that can be rewritten: the worst case",
         heads(False, False), COLUMNS, [Target("ratio", 1.1)], peers=("shunt",)),
    Case("rewrite-tls", "the same, TLS to TLS", heads(True, True),
         COLUMNS, [Target("ratio", 1.1)], peers=("shunt",)),
    Case("store", "the traffic store on and off, plain to plain, responses of 1 KiB", recording("/"),
         [*COLUMNS, Column("peak", "peak MiB", 1)], [Target("ratio", 1.6), Target("peak", 100)], peers=("shunt",)),
    Case("store-varied", "the same with responses of which each has a field and a body of its own", recording("/varied"),
         [*COLUMNS, Column("peak", "peak MiB", 1)], [Target("peak", 100)], peers=("shunt",)),
    Case("rewrite-body", "100 MB of JSON searched for addresses, with none in it", body,
         [Column("speed", "MB per CPU s"), Column("rate", "MB/s"), Column("peak", "peak MiB", 1),
          Column("others", "others %")],
         [Target("speed", 200, at_least=True), Target("peak", 40)], peers=("shunt",)),
]
