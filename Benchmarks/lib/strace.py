"""System calls per request. Tracing slows a proxy down several times over, so this is a window of its own."""

import signal
import time

from .accounting import tree
from .errors import BenchError


def calls_per_request(bench, proxy, seconds=1.0):
    """To be called while load runs."""
    summary = bench.workspace.file("strace.txt", "")
    pids = tree(proxy.pid)
    attach = [part for pid in pids for part in ("-p", str(pid))]
    tracer = bench.workspace.start(["strace", "-f", "-c", "-q", "-o", summary, *attach], "strace.log",
                                   bench.workspace.load_core)
    try:
        await_attached(pids)
        before = bench.origin.requests()
        time.sleep(seconds)
        tracer.send_signal(signal.SIGINT)
        requests = bench.origin.requests() - before - 1
        tracer.wait(timeout=5)
    finally:
        bench.workspace.stop(tracer)
    return total(summary) / max(1, requests)


def await_attached(pids):
    deadline = time.monotonic() + 5
    while any(tracer_of(pid) == 0 for pid in pids):
        if time.monotonic() > deadline:
            raise BenchError("strace could not attach to the proxy")
        time.sleep(0.005)


def tracer_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("TracerPid:"))


def total(summary):
    with open(summary, encoding="ascii", errors="replace") as file:
        for line in file:
            fields = line.split()
            if fields and fields[-1] == "total":
                return int(fields[3])
    return 0
