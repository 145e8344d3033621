"""One large body through TLS to TLS: CPU per GiB, and that memory does not grow with the body."""

from ..case import Case, Column, Target
from ..errors import BenchError

GIB = 1 << 30


def down(bench, peer):
    with bench.running(peer, bench.origin.tls) as proxy:
        return transfer(bench, proxy, ["-o", "/dev/null"], "/big", "size_download")


def up(bench, peer):
    with bench.running(peer, bench.origin.sink) as proxy:
        # Without Expect no proxy is asked for a 100 Continue, which they handle differently.
        upload = ["-T", bench.origin.big_file, "-H", "Expect:", "-o", "/dev/null"]
        return transfer(bench, proxy, upload, "/", "size_upload")


def transfer(bench, proxy, options, path, counted):
    size = bench.origin.big_bytes
    meter = proxy.meter()
    output = bench.workspace.run(
        ["curl", "-sS", "--http1.1", "--noproxy", "*", "--max-time", "120", "--cacert", bench.certificates.ca,
         "--resolve", f"localhost:{proxy.port}:127.0.0.1", "-w", "%{http_code} %{" + counted + "} %{time_total}",
         *options, f"https://localhost:{proxy.port}{path}"], "curl.log", 130)
    meter.stop()
    status, moved, seconds = output.split()
    if status != "200" or int(moved) != size:
        raise BenchError(f"curl got status {status} and moved {moved} of {size} bytes")
    return {"cpu": meter.cpu * GIB / size, "rate": size / float(seconds) / 1e6, "peak": proxy.peak_mib(),
            "others": meter.others}


COLUMNS = [Column("cpu", "CPU s/GiB", 2), Column("rate", "MB/s"), Column("peak", "peak MiB", 1),
           Column("others", "others %")]
TARGETS = [Target("cpu", 1.05, "haproxy"), Target("peak", 40)]

CASES = [
    Case("down", "a large download, TLS to TLS, one connection", down, COLUMNS, TARGETS),
    Case("up", "a large upload, TLS to TLS, one connection", up, COLUMNS, TARGETS),
]
