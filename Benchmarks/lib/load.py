"""Traffic of all sorts at once, with a look at the proxy's memory while it flows."""

import re
import subprocess
import time

from . import request
from .errors import BenchError

PATHS = ["/", "/v1/articles?page=2&limit=14", "/v1/cart/17", "/v1/cart/18?token=0123456789abcdef", "/search?q=blue+shoes",
         "/rewritten", "/16k.json", "/v1/articles/4", "/64k.json", "/v1/articles/5"]
BETWEEN_LOOKS = 0.25


def mixed(bench, proxy, count):
    """Sends about so many requests; gives the memory seen, in KiB, look by look, and how many were answered."""
    port = proxy.port
    sealed, plain = f"https://localhost:{port}", f"http://localhost:{port}"
    half, quarter = count // 2, count // 4
    form = bench.workspace.file("form", "name=J%C3%B6rg&password=hunter2hunter2&note=" + "x" * 900)
    fields = [part for name, value in request.FIELDS for part in ("-H", f"{name}: {value}")]
    loads = [
        ["h2load", "-t1", "-c8", "-m16", f"-n{half}", *fields, "-i", uris(bench, sealed)],
        ["h2load", "--h1", "-t1", "-c16", f"-n{count - half - quarter}", *fields, "-i", uris(bench, plain)],
        ["h2load", "--h1", "-t1", "-c8", f"-n{quarter}", *fields, "-H", "Content-Type: application/x-www-form-urlencoded",
         "-d", form, plain + "/v1/login"],
    ]
    running = [bench.workspace.start(command, f"load{number}.log", bench.workspace.load_core, clients_tls=True,
                                     stdout=subprocess.PIPE) for number, command in enumerate(loads)]
    seen = []
    while any(process.poll() is None for process in running):
        seen.append(proxy.resident_kib())
        time.sleep(BETWEEN_LOOKS)
    return seen, sum(answered(bench.workspace.finish(process, 10)) for process in running)


def uris(bench, base):
    name = "uris-" + base.partition(":")[0]
    return bench.workspace.file(name, "".join(base + path + "\n" for path in PATHS))


def answered(output):
    total, failed, errored = map(int, re.search(r"(\d+) total, .* (\d+) failed, (\d+) errored", output).groups())
    if failed or errored or not re.search(r"2xx, 0 3xx, 0 4xx, 0 5xx", output):
        raise BenchError(f"h2load saw trouble:\n{output[-800:]}")
    return total
