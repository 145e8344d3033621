"""What a suite of tests waits for: engines in its process, and expectations on much traffic."""

import json
import os
import subprocess
import time

from ..case import Case, Column, Target
from ..errors import BenchError

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
EXCHANGES = 1_000_000
EXPECTATIONS = ["~c 5xx: 0..", "~m POST: 1..", "~d api: 0..", "~u cart: 0..", "~t json: 0.."]


def program(name):
    """A program of the tests, built for release beside the binary, with whose flags the module Testing is not found."""
    folder = os.path.join(ROOT, ".build", "bench")
    subprocess.run(["swift", "build", "-c", "release", "--scratch-path", folder, "--product", name], cwd=ROOT,
                   check=True, capture_output=True)
    return os.path.join(folder, "release", name)


def engines(bench, peer):
    """Starts of one engine after the other, and of 200 side by side."""
    done = subprocess.run([program("EngineStarter"), "200"], capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        raise BenchError("EngineStarter: " + (done.stdout + done.stderr)[-300:])
    figures = json.loads(done.stdout)
    if figures["ports"] != 200:
        raise BenchError("%s of 200 engines have a port of their own" % figures["ports"])
    return figures


def expectations(bench, peer):
    """Time and memory of five expectations over a store that was filled before."""
    store = bench.workspace.file("expectations.db")
    if not os.path.exists(store):
        subprocess.run([program("StoreWriter"), "fill", store, str(EXCHANGES)], check=True, capture_output=True)
    start = time.monotonic()
    process = subprocess.Popen([peer.binary, "expect", *EXPECTATIONS, "--store", store],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 2):
        raise BenchError("shunt expect: " + errors[-300:])
    return {"s": time.monotonic() - start, "peak": usage.ru_maxrss / 1024}


CASES = [
    Case("engines", "engines of ShuntTesting in one process: one after the other, and 200 side by side", engines,
         [Column("alone", "ms alone", 1), Column("each", "ms each of 200", 1)], [Target("alone", 20)],
         peers=("shunt",)),
    Case("expectations", "five expectations over 1,000,000 exchanges of a store", expectations,
         [Column("s", "s", 2), Column("peak", "peak MiB", 1)], [Target("s", 2), Target("peak", 100)],
         peers=("shunt",)),
]
