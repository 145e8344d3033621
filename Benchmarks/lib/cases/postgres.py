"""The store in PostgreSQL beside the one in SQLite."""

import os
import re
import subprocess
import time

from ..case import Case, Column, Target
from ..errors import BenchError
from .testing import program

EXCHANGES = 240_000
WRITERS = 3
# What nodes offer together, and how long.
RATE, SECONDS = 5_000, 60


class Server:
    """A PostgreSQL of our own on a socket, without fsync, since the disk is not what is measured."""

    def __init__(self, folder):
        versions = [f"/usr/lib/postgresql/{number}/bin" for number in range(30, 12, -1)]
        programs = next((path for path in versions if os.path.exists(path + "/postgres")), None)
        if programs is None:
            raise BenchError("PostgreSQL's server is not installed")
        self.folder = folder
        os.makedirs(folder)
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.user:
            subprocess.run(["chown", "postgres", folder], check=True)
            os.chmod(folder, 0o755)
        data = folder + "/data"
        subprocess.run([*self.user, programs + "/initdb", "-D", data, "-U", "shunt", "--auth=trust", "-E", "UTF8",
                        "--locale=C", "--no-sync"], check=True, capture_output=True, cwd="/")
        self.process = subprocess.Popen(
            [*self.user, programs + "/postgres", "-D", data, "-h", "", "-k", folder, "-c", "fsync=off", "-c",
             "shared_buffers=256MB", "-c", "max_wal_size=4GB"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        for _ in range(100):
            made = subprocess.run(["psql", "-h", folder, "-U", "shunt", "-d", "postgres", "-c", "CREATE DATABASE shunt"],
                                  capture_output=True)
            if made.returncode == 0:
                return
            time.sleep(0.1)
        raise BenchError("PostgreSQL does not start: " + made.stderr.decode()[-300:])

    @property
    def address(self):
        return f"postgres://shunt@/shunt?host={self.folder.replace('/', '%2F')}"

    def stop(self):
        """Ends it; returns the CPU seconds of all its processes."""
        self.process.terminate()
        _, _, usage = os.wait4(self.process.pid, 0)
        return usage.ru_utime + usage.ru_stime


def measured(path, writers=1):
    """CPU microseconds that a recorder takes for an exchange, with so many of them at once."""
    count = EXCHANGES // writers
    running = [
        subprocess.Popen([program("StoreWriter"), "measure", path, str(count), "0"], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
        for _ in range(writers)
    ]
    outputs = [writer.communicate()[0] for writer in running]
    found = [re.search(r"recorder ([0-9.]+) us", output) for output in outputs]
    if not all(found) or not all(f"recorded {count}," in output for output in outputs):
        raise BenchError("StoreWriter: " + "".join(outputs)[-300:])
    return sum(float(match[1]) for match in found) / writers


def store(bench, peer):
    """Exchanges that are stored per second of the recorders' CPU, secrets replaced, and the server's CPU beside it."""
    number = len(os.listdir(bench.workspace.path))
    file = measured(bench.workspace.file(f"measured{number}.db"))
    server = Server(bench.workspace.file(f"postgres{number}"))
    try:
        own = measured(server.address, WRITERS)
    finally:
        seconds = server.stop()
    return {"sqlite": 1e6 / file, "postgres": 1e6 / own, "times": file / own, "server": seconds * 1e6 / EXCHANGES}


def rate(bench, peer):
    """Three nodes that offer so many exchanges a second together; nothing is to be lost, not even a body."""
    server = Server(bench.workspace.file(f"postgres{len(os.listdir(bench.workspace.path))}"))
    try:
        running = [
            subprocess.Popen([program("StoreWriter"), "pace", server.address, str(RATE // WRITERS + 1), str(SECONDS)],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for _ in range(WRITERS)
        ]
        outputs = [writer.communicate()[0] for writer in running]
    finally:
        seconds = server.stop()
    found = [re.search(r"recorded (\d+) of (\d+), lost (\d+), bodies (\d+)", output) for output in outputs]
    if not all(found):
        raise BenchError("StoreWriter: " + "".join(outputs)[-300:])
    recorded, lost = (sum(int(match[group]) for match in found) for group in (1, 3))
    return {"rate": recorded / SECONDS, "lost": lost + sum(int(match[4]) for match in found),
            "server": seconds * 1e6 / recorded}


CASES = [
    Case("store-postgres", "exchanges stored per CPU second of the recorder, three writing PostgreSQL, and one SQLite",
         store,
         [Column("sqlite", "SQLite", 0), Column("postgres", "PostgreSQL", 0), Column("times", "times SQLite", 2),
          Column("server", "server's CPU us each", 1)],
         [Target("times", 0.5, at_least=True)], peers=("shunt",)),
    Case("store-postgres-rate", f"{RATE} exchanges a second of three nodes into one PostgreSQL, for {SECONDS} s", rate,
         [Column("rate", "stored a second", 0), Column("lost", "lost exchanges and bodies", 0),
          Column("server", "server's CPU us each", 1)],
         [Target("lost", 0), Target("rate", RATE, at_least=True)], rounds=1, peers=("shunt",)),
]
