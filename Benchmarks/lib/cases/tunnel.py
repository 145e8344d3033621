"""Shunt as a forward proxy: what a tunnel costs beside one of haproxy in TCP mode, and what interception adds."""

import os
import sys

from ..case import Case, Column, Target
from ..errors import BenchError
from ..peers import HAProxy, Shunt

GIB = 1 << 30
HOST = "bench.shop.test"


class Relay(HAProxy):
    """haproxy that carries bytes and reads none of them."""

    def prepare(self, setup):
        configuration = setup.file("haproxy.cfg", f"""\
global
    nbthread 1
    maxconn 8000
defaults
    mode tcp
    timeout connect 5s
    timeout client 600s
    timeout server 600s
frontend clients
    bind 127.0.0.1:{setup.port} backlog 4096
    default_backend origin
backend origin
    server origin 127.0.0.1:{setup.target.port}
""")
        return ["haproxy", "-db", "-f", configuration]


def tunnel(bench, peer):
    origin = bench.origin.tls
    is_shunt = isinstance(peer, Shunt)
    with bench.running(peer if is_shunt else Relay(), origin) as proxy:
        way = ["--proxytunnel", "-x", f"http://127.0.0.1:{proxy.port}"] if is_shunt else ["--noproxy", "*"]
        port = origin.port if is_shunt else proxy.port
        size = bench.origin.big_bytes
        meter = proxy.meter()
        output = bench.workspace.run(
            ["curl", "-sS", "--http1.1", *way, "--max-time", "120", "--cacert", bench.certificates.ca,
             "-w", "%{http_code} %{http_connect} %{size_download} %{time_total}", "-o", "/dev/null",
             f"https://localhost:{port}/big"], "curl.log", 130)
        meter.stop()
        status, connected, moved, seconds = output.split()
        if status != "200" or is_shunt and connected != "200" or int(moved) != size:
            raise BenchError(f"curl got status {status}, {connected} for CONNECT, and moved {moved} of {size} bytes")
        return {"cpu": meter.cpu * GIB / size, "rate": size / float(seconds) / 1e6, "peak": proxy.peak_mib(),
                "others": meter.others}


def intercepted(bench, peer):
    """The same requests by the same client, through TLS at once and through a CONNECT that is intercepted."""
    named = Shunt(peer.binary, more=[{"host": HOST, "path": "/*"}])
    named.name = peer.name
    metrics = {}
    with bench.running(named, bench.origin.plain) as proxy:
        for mode, key in (("reverse", "reverse"), ("proxy", "cpu")):
            load(bench, proxy, mode, 1)
            meter = proxy.meter()
            count = load(bench, proxy, mode, bench.window)
            meter.stop()
            metrics[key] = meter.cpu * 1e6 / count
            metrics["rate"] = count / meter.seconds
        metrics["ratio"] = metrics["cpu"] / metrics["reverse"]
        metrics["others"] = meter.others
    return metrics


def load(bench, proxy, mode, seconds):
    program = os.path.join(os.path.dirname(__file__), "../proxied.py")
    output = bench.workspace.run([sys.executable, "-B", program, str(proxy.port), HOST, mode, str(seconds)],
                                 "proxied.log", seconds + 20)
    return int(output)


CASES = [
    Case("tunnel", "a large download in a tunnel, TLS between client and origin", tunnel,
         [Column("cpu", "CPU s/GiB", 2), Column("rate", "MB/s"), Column("peak", "peak MiB", 1), Column("others", "others %")],
         [Target("cpu", 1.0, "haproxy"), Target("peak", 40)], peers=("shunt", "haproxy")),
    Case("proxy-reverse", "requests in connections that are intercepted, beside the same at once", intercepted,
         [Column("cpu", "intercepted us", 1), Column("reverse", "reverse us", 1), Column("ratio", "ratio", 3),
          Column("rate", "requests/s"), Column("others", "others %")],
         [Target("ratio", 1.03)], peers=("shunt",)),
]
