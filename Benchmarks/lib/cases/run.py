"""`shunt run -- true`: the time that Shunt adds to a command, and the memory of Shunt's process at its peak."""

import os
import subprocess
import time

from ..case import Case, Column, Target
from ..errors import BenchError


def measure(bench, peer):
    folder = os.path.join(bench.workspace.path, "run")
    os.makedirs(os.path.join(folder, "Profiles"), exist_ok=True)
    with open(os.path.join(folder, "Profiles", "local.json"), "w") as file:
        file.write('{ "kind": "local", "routes": [{ "host": "api.shop.test", "mock": { "text": "hello" } }] }')
    command = [peer.binary, "run", "--certs", os.path.join(folder, "certs"), "--"]
    with_shunt, status = elapsed(command + ["true"], folder)
    alone, _ = elapsed(["true"], folder)
    if status != 0:
        raise BenchError(f"`shunt run -- true` ended with {status}")
    # A command that prints its parent's memory: what Shunt has while the command runs, at its peak so far.
    read = "awk '/VmHWM/ { print $2 }' /proc/$PPID/status"
    peak = subprocess.run(command + ["sh", "-c", read], cwd=folder, capture_output=True, text=True).stdout
    return {"ms": (with_shunt - alone) * 1000, "peak": int(peak) / 1024}


def elapsed(command, folder):
    start = time.monotonic()
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL)
    return time.monotonic() - start, done.returncode


CASES = [Case("run", "shunt run -- true, without the time of true", measure,
              [Column("ms", "ms", 1), Column("peak", "peak MiB", 1)], [Target("ms", 150)], rounds=10, quick_rounds=3,
              peers=("shunt",))]
