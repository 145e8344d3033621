"""One large body through TLS to TLS: CPU per GiB, and that memory does not grow with the body."""

from ..case import Case, Column, Target
from ..errors import BenchError

GIB = 1 << 30


def down(version):
    def measure(bench, peer):
        with bench.running(peer, bench.origin.tls, client_h2=version == "2") as proxy:
            return transfer(bench, proxy, version, ["-o", "/dev/null"], "/big", "size_download")
    return measure


def up(version):
    def measure(bench, peer):
        with bench.running(peer, bench.origin.sink, client_h2=version == "2") as proxy:
            # Without Expect no proxy is asked for a 100 Continue, which they handle differently.
            upload = ["-T", bench.origin.big_file, "-H", "Expect:", "-o", "/dev/null"]
            return transfer(bench, proxy, version, upload, "/", "size_upload")
    return measure


def transfer(bench, proxy, version, options, path, counted, size=None):
    size = size or bench.origin.big_bytes
    meter = proxy.meter()
    output = bench.workspace.run(
        ["curl", "-sS", "--http2" if version == "2" else "--http1.1", "--noproxy", "*", "--max-time", "120", "--cacert", bench.certificates.ca,
         "--resolve", f"localhost:{proxy.port}:127.0.0.1", "-w", "%{http_code} %{http_version} %{" + counted + "} %{time_total}",
         *options, f"https://localhost:{proxy.port}{path}"], "curl.log", 130)
    meter.stop()
    status, spoken, moved, seconds = output.split()
    if (status, spoken) != ("200", version) or int(moved) != size:
        raise BenchError(f"curl got status {status} in HTTP/{spoken} and moved {moved} of {size} bytes")
    return {"cpu": meter.cpu * GIB / size, "rate": size / float(seconds) / 1e6, "peak": proxy.peak_mib(),
            "others": meter.others}


COLUMNS = [Column("cpu", "CPU s/GiB", 2), Column("rate", "MB/s"), Column("peak", "peak MiB", 1),
           Column("others", "others %")]
TARGETS = [Target("cpu", 1.05, "haproxy"), Target("peak", 40)]
H2_TARGETS = [Target("cpu", 1.1, "nghttpx"), Target("peak", 48)]
H2_PEERS = ("shunt", "nginx", "haproxy", "nghttpx", "h2o")

CASES = [
    Case("down", "a large download, TLS to TLS, one connection", down("1.1"), COLUMNS, TARGETS),
    Case("up", "a large upload, TLS to TLS, one connection", up("1.1"), COLUMNS, TARGETS),
    Case("h2-down", "a large download on one stream of HTTP/2, TLS to TLS", down("2"), COLUMNS, H2_TARGETS, peers=H2_PEERS),
    Case("h2-up", "a large upload on one stream of HTTP/2, TLS to TLS", up("2"), COLUMNS, H2_TARGETS, peers=H2_PEERS),
]
