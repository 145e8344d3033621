"""Shaped networks: whether a link is as fast and as slow as it was asked to be, and what others notice of it."""

import contextlib
import http.client
import json
import os
import statistics
import subprocess
import time

from ..case import Case, Column, Target
from ..errors import BenchError

RATES = {50_000: 20_000, 1_000_000: 250_000, 10_000_000: 2_500_000, 100_000_000: 25_000_000}
LATENCY = 0.1
SHAPED = 1_000


@contextlib.contextmanager
def serving(bench, peer, profiles):
    """Shunt with these profiles and a folder of files; yields its port, and a function for its other commands."""
    folder = bench.workspace.directory("network")
    for name, profile in profiles.items():
        bench.workspace.file(f"network/profiles/{name}.json", json.dumps({"kind": "local", **profile}))
    ready = os.path.join(folder, "ready.json")
    with contextlib.suppress(FileNotFoundError):
        os.remove(ready)
    common = ["--profiles", os.path.join(folder, "profiles")]
    process = bench.workspace.start(
        [peer.binary, "serve", *common, "--profile", "plain", "--host", "127.0.0.1", "--port", "0", "--admin-port", "0",
         "--workers", "1", "--log", "off", "--no-store", "--ready-file", ready], "network.log",
        bench.workspace.proxy_core)
    try:
        end = time.monotonic() + 15
        while not os.path.exists(ready):
            if process.poll() is not None or time.monotonic() > end:
                raise BenchError("Shunt with shaped networks did not start")
            time.sleep(0.02)
        with open(ready, encoding="utf-8") as file:
            port = json.load(file)["port"]
        yield port, lambda *words: subprocess.run(
            [peer.binary, *words, *common], check=True, stdout=subprocess.DEVNULL)
    finally:
        bench.workspace.stop(process)


def get(connection, path, profile):
    """Seconds until the first byte of the response, and until the last."""
    begun = time.monotonic()
    connection.request("GET", path, headers={"Shunt-Profile": profile})
    response = connection.getresponse()
    first = time.monotonic() - begun
    length = len(response.read())
    if response.status != 200 or path[1:].isdigit() and length != int(path[1:]):
        raise BenchError(f"{path} of {profile}: {response.status} with {length} bytes")
    return first, time.monotonic() - begun


def link(bench, peer):
    """The worst deviations: of the throughput in percent, of a round trip in milliseconds."""
    for size in RATES.values():
        bench.workspace.file(f"network/files/{size}", "x" * size)
    profiles = {"plain": {"routes": [{"path": "/*", "files": "../files"}, {"path": "/ping", "mock": {"text": "pong"}}]},
                "latency": {"extends": "plain", "network": {"latency": f"{round(LATENCY * 1000)}ms"}}}
    for rate in RATES:
        profiles[f"r{rate}"] = {"extends": "plain", "network": {"down": f"{rate // 1000}kbit/s"}}
    with serving(bench, peer, profiles) as (port, _):
        worst = 0.0
        for rate, size in RATES.items():
            connection = http.client.HTTPConnection("127.0.0.1", port)
            get(connection, "/ping", f"r{rate}")
            _, seconds = get(connection, f"/{size}", f"r{rate}")
            worst = max(worst, abs(size * 8 / seconds / rate - 1) * 100)
        connection = http.client.HTTPConnection("127.0.0.1", port)
        get(connection, "/ping", "latency")
        trips = sorted(abs(get(connection, "/ping", "latency")[0] - LATENCY) * 1000 for _ in range(50))
    return {"percent": worst, "ms": statistics.median(trips), "ms99": trips[-1]}


def others(bench, peer):
    """What an unshaped connection notices of a thousand shaped ones that are all busy, at p99 and in milliseconds."""
    profiles = {"plain": {"routes": [{"path": "/ping", "mock": {"text": "pong"}},
                                     {"path": "/*", "files": "../files"}]},
                "slow": {"extends": "plain", "network": {"latency": "100ms", "down": "50kbit/s"}}}
    bench.workspace.file("network/files/long", "x" * 4_000_000)

    def trips(port):
        connection = http.client.HTTPConnection("127.0.0.1", port, source_address=("127.0.0.1", 0))
        times = sorted(get(connection, "/ping", "plain")[0] * 1000 for _ in range(3_000))
        return times[len(times) * 99 // 100]

    with serving(bench, peer, profiles) as (port, _):
        before = trips(port)
        busy = []
        for number in range(SHAPED):
            # A client of its own each, so that each has a link of its own.
            address = f"127.1.{number // 250}.{number % 250 + 1}"
            connection = http.client.HTTPConnection("127.0.0.1", port, source_address=(address, 0))
            connection.request("GET", "/long", headers={"Shunt-Profile": "slow"})
            busy.append(connection)
        with_others = trips(port)
        for connection in busy:
            connection.close()
    return {"delay": with_others - before, "alone": before, "among": with_others}


CASES = [
    Case("network-link", "a shaped link from 50 kbit/s to 100 Mbit/s, and round trips of 100 ms", link,
         [Column("percent", "rate off by %", 2), Column("ms", "median ms off", 2), Column("ms99", "worst ms off", 2)],
         [Target("percent", 3), Target("ms", 2)], peers=("shunt",)),
    Case("network-others", "an unshaped connection beside 1,000 busy shaped ones on one worker", others,
         [Column("delay", "more ms at p99", 2), Column("alone", "alone", 2), Column("among", "among them", 2)],
         [Target("delay", 1)], peers=("shunt",)),
]
