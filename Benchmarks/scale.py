#!/usr/bin/env python3
"""What a fleet of Shunts on one PostgreSQL needs, by arithmetic: it measures nothing and opens no connection.

usage: Benchmarks/scale.py [NODES EXCHANGES_PER_SECOND] [--json]        without figures the table of docs/scale.md

Every assumption is a constant at the top, with where it comes from. The queueing of a switch and of heartbeats is
simulated, event by event, with a fixed seed, so that the same figures come out each time.
"""
import heapq
import json
import math
import random
import sys

# Measured, on this repository's benchmark machine (Benchmarks/README.md), or counted from the format of the store.
HEAD_BYTES = 1400          # heads of a request and its response, as received and as sent, by differences
FACT_BYTES = 260           # a row's numbers, its URL and its share of the facts that exchanges have in common
BODY_BYTES = 4096          # of a mean JSON response, as it came; equal bodies are stored once
BODY_SHARE = 0.35          # of bodies that are not stored yet
CPU_PER_EXCHANGE = 30e-6   # seconds of a Shunt's processor for an exchange that is relayed and handed to the store
# PostgreSQL's own figures (documentation: Database Page Layout, Write-Ahead Log Internals, LISTEN/NOTIFY).
TUPLE_OVERHEAD = 28        # header and line pointer of a row
INDEX_ENTRY = 40           # of a B-tree, with its share of inner pages and of free room
INDEXES = 4                # id, host, status, time
WAL_FACTOR = 1.25          # what is written to the log for a byte of COPY, checkpoints with full pages included
COMMIT_SECONDS = 0.002     # an fsync of a good network disk
# From the literature: what one server takes in by COPY, in batches, with indexes. Between 100,000 narrow rows a second
# (TimescaleDB's and Citus' published ingest figures, 2017 to 2021, 16 to 32 cores) and a tenth of that for wide ones.
POSTGRES_ROWS = 60_000
POSTGRES_WAL = 400e6       # bytes a second that one server keeps up with, with a replica
POSTGRES_CONNECTIONS = 500 # processes beyond which work is lost to switching between them, without a pooler
NOTIFY_PER_BACKEND = 12e-6 # seconds of a server's processor to wake one listener and let it read the queue
# What nodes do.
CONNECTIONS_PER_NODE = 2   # one writes, one listens
HEARTBEAT_SECONDS = 5
BATCH_SECONDS = 0.25       # a node writes what has come so long
BATCH_ROWS = 2000          # or so many
RETENTION_DAYS = 7
SWITCHES_PER_HOUR = 60     # of all people together


def stored_bytes():
    """Of one exchange, without indexes."""
    return HEAD_BYTES + FACT_BYTES + TUPLE_OVERHEAD + BODY_BYTES * BODY_SHARE


def switch(nodes, seed=1):
    """The time until all nodes have a new profile: 50 %, 99 % and the last one, in milliseconds.

    One NOTIFY wakes the listening backends one after the other on eight cores; each node then reads the state in one
    round trip, which takes a core, too.
    """
    chance = random.Random(seed)
    cores = [0.0] * 8
    heapq.heapify(cores)
    ready = []
    for _ in range(nodes):
        free = heapq.heappop(cores) + NOTIFY_PER_BACKEND
        heapq.heappush(cores, free)
        ready.append(free + chance.lognormvariate(math.log(0.0005), 0.5))
    done = []
    for asked in sorted(ready):
        begin = max(asked, heapq.heappop(cores))
        heapq.heappush(cores, begin + 60e-6)
        done.append(begin + 60e-6 + chance.lognormvariate(math.log(0.0005), 0.5))
    done.sort()
    return [1000 * done[min(nodes - 1, int(nodes * share))] for share in (0.5, 0.99, 1)]


def commits(nodes, rate, seed=1):
    """Commits a second of all nodes, simulated for ten seconds: a batch goes when it is old or full."""
    chance = random.Random(seed)
    per_node = rate / nodes
    count, seconds = 0, 10
    for _ in range(min(nodes, 200)):
        time = chance.random() * BATCH_SECONDS
        while time < seconds:
            # Time until a batch is full; an idle node writes nothing.
            full = BATCH_ROWS / per_node
            if per_node * BATCH_SECONDS < 1:
                time += chance.expovariate(per_node) + BATCH_SECONDS
            else:
                time += min(BATCH_SECONDS, full)
            count += 1
    return count / seconds * nodes / min(nodes, 200)


def figures(nodes, rate):
    row = stored_bytes()
    index = INDEXES * INDEX_ENTRY
    day = 86_400
    wal = rate * (row + index) * WAL_FACTOR
    median, p99, last = switch(nodes)
    heartbeats = nodes / HEARTBEAT_SECONDS
    writes = commits(nodes, rate)
    found = {
        "nodes": nodes, "exchanges_s": rate, "bytes_per_exchange": round(row + index),
        "shunt_cores": rate * CPU_PER_EXCHANGE, "connections": nodes * CONNECTIONS_PER_NODE,
        "commits_s": writes, "wal_mb_s": wal / 1e6, "tb_per_day": rate * (row + index) * day / 1e12,
        "tb_kept": rate * (row + index) * day * RETENTION_DAYS / 1e12,
        "index_tb_kept": rate * index * day * RETENTION_DAYS / 1e12,
        "rows_kept_billions": rate * day * RETENTION_DAYS / 1e9,
        "heartbeats_s": heartbeats, "notified_s": SWITCHES_PER_HOUR / 3600 * nodes,
        "switch_ms": [median, p99, last],
        "otlp_mb_s": rate * 2 * 650 / 1e6,
    }
    limits = []
    if rate > POSTGRES_ROWS:
        limits.append("rows")
    if wal > POSTGRES_WAL:
        limits.append("log")
    if found["connections"] > POSTGRES_CONNECTIONS:
        limits.append("connections")
    if writes * COMMIT_SECONDS > 16:
        limits.append("commits")
    if found["tb_kept"] > 20:
        limits.append("disk")
    found["beyond"] = limits
    return found


def table(rows):
    heads = ["nodes", "exchanges/s", "Shunt cores", "connections", "commits/s", "log MB/s", "TB a day", "TB in 7 days",
             "of it indexes", "heartbeats/s", "switch p99", "beyond one server"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "--:|" * (len(heads) - 1) + "---|"]
    for one in rows:
        lines.append("| " + " | ".join([
            f"{one['nodes']:,}", f"{one['exchanges_s']:,}", f"{one['shunt_cores']:.2g}", f"{one['connections']:,}",
            f"{one['commits_s']:,.0f}", f"{one['wal_mb_s']:.3g}", f"{one['tb_per_day']:.3g}", f"{one['tb_kept']:.3g}",
            f"{one['index_tb_kept']:.2g}", f"{one['heartbeats_s']:.3g}", f"{one['switch_ms'][1]:.1f} ms",
            ", ".join(one["beyond"]) or "nothing"]) + " |")
    return "\n".join(lines)


STEPS = [(1, 100), (3, 1_000), (20, 5_000), (30, 10_000), (100, 20_000), (250, 50_000), (1_000, 100_000)]

if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--json"]
    if given and (len(given) != 2 or not all(word.isdigit() and int(word) > 0 for word in given)):
        sys.exit(__doc__)
    rows = [figures(*step) for step in ([tuple(map(int, given))] if given else STEPS)]
    print(json.dumps(rows, indent=2) if "--json" in sys.argv else table(rows))
