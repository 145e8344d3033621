"""What sealing costs: a sealed store beside one in the clear, and files beside `age`, all on one core."""

import os
import subprocess
import time

from .. import peers
from ..case import Case, Column, Target
from ..errors import BenchError
from .throughput import MARGIN, steady, window

SIZE = 1 << 30


def store(bench, peer):
    """CPU per request with a store in the clear, and with a sealed one right after it."""
    recipient, _ = keys(bench, peer)
    cpu = []
    for options in ((), ("--seal-to", recipient)):
        with bench.running(peers.Shunt(peer.binary, options=options), bench.origin.plain, False) as proxy:
            traffic = steady(bench, f"http://localhost:{proxy.port}/", round(bench.window + 2 * MARGIN))
            cpu.append(window(bench, proxy)["cpu"])
            peak = proxy.peak_mib()
            bench.workspace.finish(traffic, bench.window + 15)
    return {"times": cpu[1] / cpu[0], "clear": cpu[0], "sealed": cpu[1], "peak": peak}


def files(bench, peer):
    """The time of a file of 1 GiB through Shunt as a share of that through age."""
    recipient, identity = keys(bench, peer)
    plain = bench.workspace.file("plain")
    with open(plain, "wb") as file:
        block = os.urandom(1 << 20)
        for _ in range(SIZE >> 20):
            file.write(block)
    figures = {"peak": 0}
    sealed, opened = plain + ".age", plain + ".out"
    for name, ours, theirs in (
        ("seal", [peer.binary, "seal", "--to", recipient, "-o", sealed, plain],
         ["age", "-r", recipient, "-o", sealed, plain]),
        ("unseal", [peer.binary, "unseal", "-i", identity, "-o", opened, sealed],
         ["age", "-d", "-i", identity, "-o", opened, sealed]),
    ):
        # An output that is replaced would be freed within the measured time.
        output = theirs[theirs.index("-o") + 1]
        age, _ = elapsed(bench, theirs)
        os.unlink(output)
        own, peak = elapsed(bench, ours)
        figures |= {name: age / own, f"{name}_rate": SIZE / own / (1 << 20)}
        figures["peak"] = max(figures["peak"], peak)
    for path in (plain, sealed, opened):
        os.unlink(path)
    return figures


def keys(bench, peer):
    identity = os.path.join(bench.workspace.path, "identity.txt")
    if not os.path.exists(identity):
        subprocess.run([peer.binary, "keys", "new", identity], check=True, capture_output=True)
    shown = subprocess.run([peer.binary, "keys", "show", identity], check=True, capture_output=True, text=True)
    return shown.stdout.strip(), identity


def elapsed(bench, command):
    """Seconds on the proxy's core, and peak memory in MiB."""
    start = time.monotonic()
    process = subprocess.Popen(command, preexec_fn=lambda: os.sched_setaffinity(0, {bench.workspace.proxy_core}))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise BenchError(f"{command[0]} ended with {process.returncode}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


CASES = [
    Case("store-sealed", "CPU per request with a sealed store, as times that with one in the clear", store,
         [Column("times", "times", 2), Column("clear", "µs clear", 1), Column("sealed", "µs sealed", 1),
          Column("peak", "peak MiB", 1)], [Target("times", 1.25)], peers=("shunt",), is_usual=False),
    Case("seal", "a file of 1 GiB, throughput as a share of age's", files,
         [Column("seal", "seal", 2), Column("unseal", "unseal", 2), Column("seal_rate", "MiB/s"),
          Column("unseal_rate", "MiB/s back"), Column("peak", "peak MiB", 1)],
         [Target("seal", 0.8, at_least=True), Target("unseal", 0.8, at_least=True), Target("peak", 32)],
         peers=("shunt",), is_usual=False, tools=("age",)),
]
