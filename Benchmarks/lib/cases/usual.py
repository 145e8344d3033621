"""The mode that people run: the store and a log of JSON lines. nginx writes a log with the same facts beside it."""

import re

from .. import peers
from ..case import Case, Column, Target
from ..errors import BenchError
from .throughput import MARGIN, latencies, steady, window

CLIENTS = 10
RATE = 1000  # requests per second, of all clients together

LOG = """log_format facts escape=json '{"time":"$time_iso8601","client":"$remote_addr","method":"$request_method",'
        '"host":"$http_host","url":"$request_uri","protocol":"$server_protocol","status":$status,'
        '"request_bytes":$request_length,"response_bytes":$bytes_sent,"seconds":$request_time,'
        '"origin":"$upstream_addr","origin_status":"$upstream_status","connect":"$upstream_connect_time",'
        '"wait":"$upstream_header_time","response":"$upstream_response_time","connection":$connection,'
        '"requests":$connection_requests}';"""


class LoggingNginx(peers.Nginx):
    def prepare(self, setup):
        command = super().prepare(setup)
        with open(command[-1], encoding="utf-8") as file:
            text = file.read()
        path = setup.file("access.log")
        setup.file("nginx.conf", re.sub(r"access_log off;", lambda _: f"{LOG}\n    access_log {path} facts;", text))
        return command


def variant(peer):
    if peer.name == "nginx":
        return LoggingNginx()
    variant = peers.Shunt(peer.binary, options=(), log="json")
    variant.name = peer.name
    return variant


def measure(bench, peer):
    with bench.running(variant(peer), bench.origin.plain, False) as proxy:
        url = f"http://localhost:{proxy.port}/"
        load = steady(bench, url, round(bench.window + 2 * MARGIN))
        metrics = window(bench, proxy) | {"peak": proxy.peak_mib()}
        metrics |= latencies(bench.workspace.finish(load, bench.window + 15), peer)
        return metrics | {"p99rate": percentile(bench, url)}


def percentile(bench, url):
    """The 99th percentile in microseconds of requests that come at a steady rate."""
    path, seconds = bench.workspace.file("rate.tsv"), round(bench.window)
    bench.workspace.run(
        ["h2load", "--h1", "-t1", f"-c{CLIENTS}", f"--rps={RATE // CLIENTS}", f"-D{seconds}", f"--log-file={path}", url],
        "h2load.log", seconds + 15)
    with open(path, encoding="utf-8") as lines:
        times = sorted(int(line.split("\t")[2]) for line in lines)
    if len(times) < RATE * seconds / 2:
        raise BenchError(f"h2load made {len(times)} of {RATE * seconds} requests")
    return times[len(times) * 99 // 100]


CASES = [
    Case("usual", "store and JSON log on, plain to plain, beside nginx with a log of the same facts", measure,
         [Column("cpu", "CPU us/req", 1), Column("rate", "req/s"), Column("busy", "busy %"), Column("p50", "p50 us"),
          Column("p99", "p99 us"), Column("p99rate", f"p99 us at {RATE}/s"), Column("peak", "peak MiB", 1),
          Column("others", "others %")],
         [Target("cpu", 1.0, "nginx"), Target("p99rate", 900)], peers=("shunt", "nginx"), tools=("h2load",)),
]
