"""What the traffic store costs over time, beside mitmdump, with a large body, and on the way out."""

import json
import os
import sqlite3
import sys
import threading
import time
from statistics import median

from .. import load, peers
from ..case import Case, Column, Target
from ..errors import BenchError
from .bulk import transfer
from .throughput import MARGIN, latencies, steady, window

TENTHS = 10
STORE = ".shunt/traffic.db"


def beside(bench, peer):
    """CPU per request of one that keeps heads and bodies."""
    recording = peers.Shunt(peer.binary, options=()) if isinstance(peer, peers.Shunt) else peer
    with bench.running(recording, bench.origin.plain, False) as proxy:
        traffic = steady(bench, f"http://localhost:{proxy.port}/", round(bench.window + 2 * MARGIN))
        metrics = window(bench, proxy) | {"peak": proxy.peak_mib()}
        return metrics | latencies(bench.workspace.finish(traffic, bench.window + 15), peer)


def soak(bench, peer):
    """Many exchanges of all sorts through one process, whose memory is looked at all the time."""
    count = bench.soak_count
    recording = peers.Shunt(peer.binary, options=("--store-size", "256m"), log="json")
    reading, writing = os.pipe()
    with bench.running(recording, bench.origin.plain, client_h2=True, stderr=writing) as proxy:
        os.close(writing)
        acknowledged = Acknowledged(reading)
        store = os.path.join(bench.workspace.directory(recording.name), STORE)
        usual, served, meter = [], 1, proxy.meter()
        for tenth in range(TENTHS):
            seen, some = load.mixed(bench, proxy, count // TENTHS)
            usual.append(median(seen) / 1024)
            served += some
            meter.stop()
            print(f"  {tenth + 1}: {served:,} served, {meter.seconds:.0f} s, "
                  f"{usual[-1]:.1f} MiB, at most {max(seen) / 1024:.1f}", file=sys.stderr, flush=True)
        rate, peak = served / meter.seconds, proxy.peak_mib()
        bench.workspace.stop(proxy.process)
    numbers, unlogged = acknowledged.finish()
    kept = Kept(store)
    return {"flat": max(usual[2:]) / usual[1], "peak": peak, "second": usual[1], "last": usual[-1],
            "rate": rate, "served": served, "acknowledged": numbers,
            "missing": abs(kept.newest - numbers - unlogged) + kept.gaps, "damages": kept.damages,
            "lost": served - kept.newest, "kept": kept.count, "size": kept.size / (1 << 20)}


class Acknowledged:
    """Reads the log, where each exchange has its number once it is on disk."""

    def __init__(self, descriptor):
        self.descriptor, self.numbers, self.unlogged, self.wrong = descriptor, 0, 0, None
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        with open(self.descriptor, "rb", buffering=1 << 20) as lines:
            for line in lines:
                if b'"id":' in line[:60]:
                    self.numbers += 1
                elif b'"dropped"' in line[:60]:
                    self.unlogged += json.loads(line)["lines"]
                elif b'"event":"store"' in line[:80]:
                    self.wrong = self.wrong or line.decode(errors="replace").strip()

    def finish(self):
        self.thread.join()
        if self.wrong:
            print(f"  said: {self.wrong}", file=sys.stderr)
        return self.numbers, self.unlogged


class Kept:
    """What another reader finds in the store."""

    def __init__(self, path):
        self.size = sum(os.path.getsize(path + end) for end in ("", "-wal") if os.path.exists(path + end))
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
            oldest, self.newest, self.count = store.execute("SELECT min(id), max(id), count(*) FROM exchange").fetchone()
            # The oldest go first, so that none may be missing in between.
            self.gaps = self.newest - oldest + 1 - self.count
            self.damages = 0 if store.execute("PRAGMA integrity_check").fetchall() == [("ok",)] else 1
        store.close()


def large(direction):
    def measure(bench, peer):
        recording = peers.Shunt(peer.binary, options=())
        target = bench.origin.tls if direction == "down" else bench.origin.sink
        with bench.running(recording, target) as proxy:
            if direction == "down":
                return transfer(bench, proxy, "1.1", ["-o", "/dev/null"], "/huge", "size_download", bench.origin.huge_bytes)
            upload = ["-T", bench.origin.huge_file, "-H", "Expect:", "-o", "/dev/null"]
            return transfer(bench, proxy, "1.1", upload, "/", "size_upload", bench.origin.huge_bytes)
    return measure


def export(bench, peer):
    """Everything of a store with many exchanges as one archive."""
    count = bench.export_count
    recording = peers.Shunt(peer.binary, options=("--store-size", "4g"))
    with bench.running(recording, bench.origin.plain, client_h2=True) as proxy:
        load.mixed(bench, proxy, count)
        bench.workspace.stop(proxy.process)
    directory = bench.workspace.directory(recording.name)
    store, archive = os.path.join(directory, STORE), os.path.join(directory, "all.har")
    # The most memory of all children is the question, so it is asked by one that has no others.
    code = ("import json, resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
            "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
            "print(json.dumps([used.ru_maxrss, used.ru_utime + used.ru_stime]))")
    begun = time.monotonic()
    output = bench.workspace.run([sys.executable, "-c", code, recording.binary, "export", "--har", "--store", store,
                                  "-o", archive], "export.log", 300)
    peak, cpu = json.loads(output)
    kept = Kept(store)
    size = os.path.getsize(archive)
    os.unlink(archive)
    return {"peak": peak / 1024, "cpu": cpu * 1e6 / kept.count, "seconds": time.monotonic() - begun, "count": kept.count,
            "size": size / (1 << 20)}


CASES = [
    Case("store-mitm", "heads and bodies of 1 KiB kept, plain to plain, beside mitmdump -w", beside,
         [Column("cpu", "CPU us/req", 1), Column("rate", "req/s"), Column("busy", "busy %"), Column("p50", "p50 us"),
          Column("peak", "peak MiB", 1), Column("others", "others %")],
         [Target("cpu", 1 / 15, "mitmdump")], peers=("shunt", "mitmdump")),
    Case("store-down", "2 GiB with the store on, TLS to TLS", large("down"),
         [Column("peak", "peak MiB", 1), Column("cpu", "CPU s/GiB", 2), Column("rate", "MB/s"),
          Column("others", "others %")], [Target("peak", 100)], rounds=1, peers=("shunt",)),
    Case("store-up", "the same upwards", large("up"),
         [Column("peak", "peak MiB", 1), Column("cpu", "CPU s/GiB", 2), Column("rate", "MB/s"),
          Column("others", "others %")], [Target("peak", 100)], rounds=1, peers=("shunt",)),
    Case("har-export", "a store of 100,000 exchanges as one HTTP Archive", export,
         [Column("peak", "peak MiB", 1), Column("cpu", "CPU us/exchange", 1), Column("seconds", "s", 1),
          Column("count", "exchanges"), Column("size", "archive MiB")], [Target("peak", 64)], rounds=1, peers=("shunt",),
         tools=("h2load",)),
    Case("soak", "exchanges of all sorts, HTTP/2 and HTTP/1.1, a store of 256 MiB; a figure for each tenth", soak,
         [Column("flat", "later / 2nd tenth", 3), Column("peak", "peak MiB", 1), Column("second", "2nd MiB", 1),
          Column("last", "last MiB", 1), Column("rate", "req/s"), Column("served", "served"),
          Column("acknowledged", "acknowledged"), Column("missing", "missing"), Column("damages", "damages"),
          Column("lost", "not kept"), Column("kept", "in the store"), Column("size", "store MiB")],
         [Target("flat", 1.1), Target("peak", 100), Target("missing", 0), Target("damages", 0)], rounds=1,
         peers=("shunt",), tools=("h2load",), is_usual=False),
]
