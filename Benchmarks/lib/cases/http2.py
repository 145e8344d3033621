"""Many streams on few connections, small responses: CPU per request."""

import re
import subprocess
import time

from .. import request, strace
from ..case import Case, Column, Target
from ..errors import BenchError
from .throughput import MARGIN, window

CONNECTIONS = 32
STREAMS = 32
AGREED = ("TLS Protocol: TLSv1.3", "Cipher: TLS_AES_128_GCM_SHA256", "Application protocol: h2")


def measure(origin_h2):
    def measure(bench, peer):
        target = bench.origin.h2 if origin_h2 else bench.origin.plain
        with bench.running(peer, target, client_h2=True) as proxy:
            url = f"https://localhost:{proxy.port}{request.PATH}"
            bench.workspace.run(h2load(url, 1), "h2load.log", 20)
            load = steady(bench, url, round(bench.window + 2 * MARGIN))
            metrics = window(bench, proxy)
            metrics |= said(bench.workspace.finish(load, bench.window + 20), peer)
            metrics["peak"] = proxy.peak_mib()
            if bench.strace:
                load = steady(bench, url, 10)
                metrics["calls"] = strace.calls_per_request(bench, proxy)
                bench.workspace.stop(load)
            return metrics
    return measure


def steady(bench, url, seconds):
    load = bench.workspace.start(h2load(url, seconds), "h2load.log", bench.workspace.load_core, clients_tls=True,
                                 stdout=subprocess.PIPE)
    time.sleep(MARGIN)
    return load


def h2load(url, seconds):
    fields = [part for name, value in request.FIELDS for part in ("-H", f"{name}: {value}")]
    return ["h2load", "-t1", f"-c{CONNECTIONS}", f"-m{STREAMS}", f"-D{seconds}", *fields, url]


def said(output, peer):
    """What h2load found; an error where it was not what was to be measured."""
    for wanted in AGREED:
        if wanted not in output:
            raise BenchError(f"{peer.name}: h2load does not say “{wanted}”\n{output[-800:]}")
    failed, errored = re.search(r"(\d+) failed, (\d+) errored", output).groups()
    bad = [int(count) for count in re.search(r"2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", output).groups()]
    if any(map(int, (failed, errored))) or any(bad):
        raise BenchError(f"h2load saw trouble with {peer.name}:\n{output[-800:]}")
    value, unit = re.search(r"^time for request:\s+\S+\s+\S+\s+([\d.]+)(us|ms|s)", output, re.MULTILINE).groups()
    return {"mean": float(value) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]}


COLUMNS = [Column("cpu", "CPU us/req", 1), Column("rate", "req/s"), Column("busy", "busy %"),
           Column("mean", "mean us"), Column("peak", "peak MiB", 1), Column("others", "others %"),
           Column("calls", "calls/req", 1)]


def case(name, title, origin_h2, peers):
    return Case(name, f"{title}, {CONNECTIONS} connections of {STREAMS} streams, responses of 1 KiB", measure(origin_h2),
                COLUMNS, [Target("cpu", 1.0, "best")], peers=peers, tools=("h2load",))


CASES = [
    case("h2-plain", "HTTP/2 in TLS to plain HTTP/1.1", False, ("shunt", "nginx", "haproxy", "nghttpx", "h2o")),
    # Neither nginx nor h2o of Debian 12 speaks HTTP/2 to an origin.
    case("h2-h2", "HTTP/2 in TLS to HTTP/2 in TLS", True, ("shunt", "haproxy", "nghttpx")),
]
