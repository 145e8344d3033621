"""Files of this machine: CPU per request for small ones, per GiB for a large one. nginx looks for compressed copies, too."""

import os
import re
import subprocess

from .. import peers
from ..case import Case, Column, Target
from ..errors import BenchError
from ..origin import response_body
from .bulk import GIB
from .throughput import latencies, wrk


def site(bench):
    """A folder with a file of each size, and what the harness looks for when a proxy starts."""
    for name, size in [("1k.json", 1 << 10), ("1m.json", 1 << 20), ("1g.bin", GIB)]:
        path = bench.workspace.file("site/" + name)
        if not os.path.exists(path):
            with open(path, "wb") as file:
                file.write(os.urandom(min(size, 1 << 20)))
                file.truncate(size)
    return os.path.dirname(os.path.dirname(bench.workspace.file("site/v1/articles", response_body())))


class FilesNginx(peers.Nginx):
    """The same, with `sendfile`."""

    def __init__(self, folder):
        self.folder = folder

    def prepare(self, setup):
        command = super().prepare(setup)
        path = command[-1]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        location = f"location / {{ root {self.folder}; sendfile on; gzip_static on; default_type application/json; }}"
        text = re.sub(r"location / \{.*?\n        \}", lambda _: location, text, flags=re.DOTALL)
        setup.file("nginx.conf", text)
        return command


def variant(bench, peer):
    folder = site(bench)
    if peer.name == "nginx":
        return FilesNginx(folder)
    variant = peers.Shunt(peer.binary, route={"files": folder, "fallthrough": True})
    variant.name = peer.name
    return variant


def requests(path, tls):
    def measure(bench, peer):
        return served(bench, peer, variant(bench, peer), path, tls)
    return measure


def served(bench, peer, variant, path, tls):
    """What the proxy itself responds, as wrk counts it."""
    with bench.running(variant, bench.origin.plain, tls) as proxy:
        url = f"{'https' if tls else 'http'}://localhost:{proxy.port}/{path}"
        bench.workspace.run(wrk(url, 1), "wrk.log", 15)
        meter = proxy.meter()
        load = bench.workspace.start(wrk(url, round(bench.window)), "wrk.log", bench.workspace.load_core,
                                     clients_tls=True, stdout=subprocess.PIPE)
        output = bench.workspace.finish(load, bench.window + 15)
        meter.stop()
        count = int(re.search(r"(\d+) requests in", output).group(1))
        return {"cpu": meter.cpu * 1e6 / count, "rate": count / meter.seconds, "busy": meter.busy,
                "peak": proxy.peak_mib(), "others": meter.others} | latencies(output, peer)


def down(bench, peer):
    with bench.running(variant(bench, peer), bench.origin.plain, False) as proxy:
        url = f"http://localhost:{proxy.port}/1g.bin"
        command = ["curl", "-sS", "--noproxy", "*", "--max-time", "120", "-o", "/dev/null", "-w",
                   "%{http_code} %{size_download} %{time_total}", url]
        bench.workspace.run(command, "curl.log", 130)
        meter = proxy.meter()
        status, moved, seconds = bench.workspace.run(command, "curl.log", 130).split()
        meter.stop()
        if status != "200" or int(moved) != GIB:
            raise BenchError(f"curl got status {status} and {moved} bytes")
        return {"cpu": meter.cpu, "rate": GIB / float(seconds) / 1e6, "peak": proxy.peak_mib(), "others": meter.others}


COLUMNS = [Column("cpu", "CPU us/req", 1), Column("rate", "req/s"), Column("busy", "busy %"), Column("p50", "p50 us"),
           Column("p99", "p99 us"), Column("peak", "peak MiB", 1), Column("others", "others %")]
PEERS = ("shunt", "nginx")


def case(name, title, path, tls):
    return Case(name, title + ", 64 connections kept alive", requests(path, tls), COLUMNS,
                [Target("cpu", 1.0, "nginx")], peers=PEERS)


CASES = [
    case("files-1k", "a file of 1 KiB, plain", "1k.json", False),
    case("files-1k-tls", "a file of 1 KiB, TLS", "1k.json", True),
    case("files-1m", "a file of 1 MiB, plain", "1m.json", False),
    case("files-1m-tls", "a file of 1 MiB, TLS", "1m.json", True),
    Case("files-down", "a file of 1 GiB, plain, one connection", down,
         [Column("cpu", "CPU s/GiB", 2), Column("rate", "MB/s"), Column("peak", "peak MiB", 1),
          Column("others", "others %")], [Target("cpu", 1.05, "nginx"), Target("peak", 40)], peers=PEERS),
]
