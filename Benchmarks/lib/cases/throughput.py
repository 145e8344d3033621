"""Kept-alive connections, small responses: CPU per request."""

import re
import subprocess
import time

from .. import request, strace
from ..case import Case, Column, Target
from ..errors import BenchError

CONNECTIONS = 64
MARGIN = 0.5  # of load on either side of the window


def measure(client_tls, origin_tls):
    def measure(bench, peer):
        target = bench.origin.tls if origin_tls else bench.origin.plain
        with bench.running(peer, target, client_tls) as proxy:
            scheme = "https" if client_tls else "http"
            url = f"{scheme}://localhost:{proxy.port}{request.PATH}"
            bench.workspace.run(wrk(url, 1), "wrk.log", 15)
            load = steady(bench, url, round(bench.window + 2 * MARGIN))
            metrics = window(bench, proxy)
            metrics |= latencies(bench.workspace.finish(load, bench.window + 15), peer)
            metrics["peak"] = proxy.peak_mib()
            if bench.strace:
                load = steady(bench, url, 10)
                metrics["calls"] = strace.calls_per_request(bench, proxy)
                bench.workspace.stop(load)
            return metrics
    return measure


def steady(bench, url, seconds, more=None):
    load = bench.workspace.start(wrk(url, seconds, more or {}), "wrk.log", bench.workspace.load_core, clients_tls=True,
                                 stdout=subprocess.PIPE)
    time.sleep(MARGIN)
    return load


def window(bench, proxy):
    """CPU and requests between two moments of steady load. The origin counts: it sees what was really served."""
    before, meter = bench.origin.requests(), proxy.meter()
    time.sleep(bench.window)
    requests = bench.origin.requests() - before - 1
    meter.stop()
    if requests <= 0:
        raise BenchError("no request reached the origin")
    return {"cpu": meter.cpu * 1e6 / requests, "rate": requests / meter.seconds, "busy": meter.busy,
            "others": meter.others}


def wrk(url, seconds, more=None):
    fields = [part for name, value in [*request.FIELDS, *(more or {}).items()] for part in ("-H", f"{name}: {value}")]
    return ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", *fields, url]


def latencies(output, peer):
    for trouble in ("Socket errors", "Non-2xx"):
        if trouble in output:
            line = next(line.strip() for line in output.splitlines() if trouble in line)
            raise BenchError(f"wrk saw trouble with {peer.name}: {line}")
    units = {"us": 1, "ms": 1e3, "s": 1e6}
    found = {}
    for percent in ("50", "99"):
        value, unit = re.search(rf"^\s*{percent}%\s+([\d.]+)(us|ms|s)", output, re.MULTILINE).groups()
        found["p" + percent] = float(value) * units[unit]
    return found


COLUMNS = [Column("cpu", "CPU us/req", 1), Column("rate", "req/s"), Column("busy", "busy %"), Column("p50", "p50 us"),
           Column("p99", "p99 us"), Column("peak", "peak MiB", 1), Column("others", "others %"),
           Column("calls", "calls/req", 1)]


def case(name, title, client_tls, origin_tls, limit):
    return Case(name, f"{title}, {CONNECTIONS} connections kept alive, responses of 1 KiB",
                measure(client_tls, origin_tls), COLUMNS,
                [Target("cpu", limit, "nginx"), Target("cpu", 1.0, "haproxy")])


CASES = [
    case("tls-tls", "TLS to TLS", True, True, 0.85),
    case("tls-plain", "TLS to plain", True, False, 0.85),
    case("plain-plain", "plain to plain", False, False, 0.9),
]
