"""One switch for all: the time from `shunt use` until each of 20 nodes serves by the new profile, and until it returns."""

import contextlib
import glob
import json
import os
import pwd
import select
import shutil
import socket
import statistics
import subprocess
import time

from ..case import Case, Column, Target
from ..errors import BenchError
from ..workspace import tail

NODES = 20
SWITCHES = 200
WARMUP = 3
PROFILES = {name: {"kind": name, "routes": [{"path": "/*", "mock": {"text": name}}]} for name in ("local", "staging")}


def measure(bench, peer):
    with database(bench) as address:
        nodes = [start(bench, peer, address, number) for number in range(NODES)]
        try:
            connections = [socket.create_connection(("127.0.0.1", port)) for _, port, _ in nodes]
            served, returned = [], []
            for number in range(SWITCHES + WARMUP):
                wanted = "staging" if number % 2 == 0 else "local"
                _, _, folder = nodes[number % NODES]
                one, other = switch(peer, folder, connections, wanted)
                if number >= WARMUP:
                    served.append(one * 1000)
                    returned.append(other * 1000)
            for connection in connections:
                connection.close()
        finally:
            for process, _, _ in nodes:
                bench.workspace.stop(process)
    return {"p99": quantile(served, 0.99), "median": statistics.median(served), "returned": quantile(returned, 0.99)}


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def switch(peer, folder, connections, wanted):
    """Seconds from the command's start until each node has served by the new profile, and until it has returned."""
    begun = time.monotonic()
    command = subprocess.Popen([peer.binary, "use", wanted, "--wait"], cwd=folder, stdout=subprocess.PIPE, text=True)
    waiting, served = set(connections), None
    while waiting:
        if time.monotonic() - begun > 20:
            raise BenchError(f"{len(waiting)} nodes do not serve by {wanted}")
        for connection in waiting:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
        done = {connection for connection in waiting if body(connection) == wanted}
        waiting -= done
        served = time.monotonic() - begun
        # The nodes have the same two cores.
        time.sleep(0.001)
    output, _ = command.communicate(timeout=20)
    returned = time.monotonic() - begun
    if command.returncode != 0 or f"{NODES} of {NODES} nodes" not in output:
        raise BenchError(f"shunt use: {output}")
    return served, returned


def body(connection):
    received = b""
    while b"\r\n\r\n" not in received or not received.endswith((b"local", b"staging")):
        if not select.select([connection], [], [], 5)[0]:
            raise BenchError(f"a node gave no response: {received!r}")
        received += connection.recv(65536)
    return received.split(b"\r\n\r\n", 1)[1].decode()


def start(bench, peer, address, number):
    folder = bench.workspace.directory(f"node{number}")
    for name, profile in PROFILES.items():
        bench.workspace.file(f"node{number}/Profiles/{name}.json", json.dumps(profile))
    ready = os.path.join(folder, "ready.json")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(ready)
    port = bench.workspace.port()
    core = (bench.workspace.proxy_core, bench.workspace.load_core)[number % 2]
    process = bench.workspace.start(
        ["env", "-C", folder, peer.binary, "serve", "--port", str(port), "--admin-port", "0", "--ready-file", ready, "--log", "off",
         "--no-store", "--no-pages", "--workers", "1", "--profile", "local", "--cluster", address, "--node",
         f"node{number}"], f"node{number}.log", core)
    end = time.monotonic() + 30
    while not os.path.exists(ready):
        if process.poll() is not None or time.monotonic() > end:
            raise BenchError(f"node {number} does not start\n{tail(process)}")
        time.sleep(0.01)
    return process, port, folder


@contextlib.contextmanager
def database(bench):
    """A PostgreSQL server of its own; its user is not root, which it refuses."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs:
        raise BenchError("PostgreSQL is missing: apt-get install postgresql")
    folder = bench.workspace.directory("postgres")
    as_user = []
    if os.getuid() == 0:
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        os.chmod(bench.workspace.path, 0o755)
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
    data, port = os.path.join(folder, "data"), bench.workspace.port()
    shutil.rmtree(data, ignore_errors=True)
    subprocess.run(as_user + [f"{programs[-1]}/initdb", "-D", data, "-U", "shunt", "--auth=trust", "--locale=C"],
                   check=True, capture_output=True, cwd="/")
    process = bench.workspace.start(
        as_user + [f"{programs[-1]}/postgres", "-D", data, "-h", "", "-p", str(port), "-k", folder], "postgres.log",
        bench.workspace.load_core)
    address = f"postgres://shunt@/postgres?host={folder.replace('/', '%2F')}&port={port}"
    try:
        end = time.monotonic() + 30
        while subprocess.run([f"{programs[-1]}/pg_isready", "-q", "-h", folder, "-p", str(port)]).returncode != 0:
            if time.monotonic() > end:
                raise BenchError(f"PostgreSQL does not start\n{tail(process)}")
            time.sleep(0.05)
        yield address
    finally:
        bench.workspace.stop(process)


CASES = [Case("cluster", f"one switch for {NODES} nodes on this machine, {SWITCHES} times", measure,
              [Column("p99", "ms p99", 1), Column("median", "ms median", 1), Column("returned", "ms p99 returned", 1)],
              [Target("p99", 100)], rounds=1, quick_rounds=1, peers=("shunt",))]
