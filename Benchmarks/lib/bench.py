"""What a case works with: a proxy that runs, a client to talk to it, and how long to look."""

import contextlib
import json
import os
import select
import subprocess
import sys
import time

from . import accounting
from .errors import BenchError
from .origin import ANSWER_LENGTH
from .peers import Setup
from .workspace import tail

SEALED = ["TLSv1.3", "TLS_AES_128_GCM_SHA256"]


class Bench:
    def __init__(self, workspace, certificates, origin, window, idle_connections, strace, soak_count=2_000_000, export_count=100_000):
        self.workspace = workspace
        self.certificates = certificates
        self.origin = origin
        self.window = window
        self.idle_connections = idle_connections
        self.strace = strace
        self.soak_count = soak_count
        self.export_count = export_count
        self.started_once = set()
        self.client = Client(workspace)

    @contextlib.contextmanager
    def running(self, peer, target, client_tls=True, own_ca=False, client_h2=False, **options):
        """The proxy, freshly started and ready, with `started_in` the seconds to its first response.

        `options` are those of subprocess.Popen."""
        setup = Setup(self.workspace, self.certificates, peer, target, client_tls, own_ca, client_h2)
        command = peer.prepare(setup)
        self.client.send("await", setup.port, "tls" if client_tls else "plain", 10)
        begun = time.monotonic_ns()
        process = self.workspace.start(command, f"{peer.name}.log", self.workspace.proxy_core, **options)
        try:
            response = self.client.response(15, blame=process)
            if target not in (self.origin.sink, self.origin.events) and (response["status"], response["length"]) != (200, ANSWER_LENGTH):
                raise BenchError(f"{peer.name} answered {response['status']} with {response['length']} bytes\n"
                                 + tail(process))
            if response["sealed"] not in (None, SEALED):
                raise BenchError(f"{peer.name} agreed on {response['sealed']}, not on {SEALED}")
            yield Proxy(process, self.workspace.proxy_core, setup.port, (response["at"] - begun) / 1e9)
        finally:
            self.workspace.stop(process)


class Proxy:
    def __init__(self, process, core, port, started_in):
        self.process = process
        self.pid = process.pid
        self.core = core
        self.port = port
        self.started_in = started_in

    def meter(self):
        return Meter(self)

    def resident_kib(self):
        return accounting.resident_kib(self.pid)

    def peak_mib(self):
        return accounting.resident_kib(self.pid, peak=True) / 1024


class Meter:
    """CPU and time from here to `stop`."""

    def __init__(self, proxy):
        self._proxy = proxy
        self._begun = self._now()

    def _now(self):
        return time.monotonic(), accounting.cpu_seconds(self._proxy.pid), accounting.core_seconds(self._proxy.core)

    def stop(self):
        self.seconds, self.cpu, core = (now - then for now, then in zip(self._now(), self._begun))
        self.busy = 100 * self.cpu / self.seconds
        self.others = max(0, 100 * (core - self.cpu) / self.seconds)  # percent of the core that went elsewhere


class Client:
    """client.py, running on the load core."""

    def __init__(self, workspace):
        self._workspace = workspace
        self._start()

    def _start(self):
        program = os.path.join(os.path.dirname(__file__), "client.py")
        self.process = self._workspace.start([sys.executable, "-B", program], "client.log",
                                             self._workspace.load_core, clients_tls=True,
                                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, name, *arguments, timeout, blame=None):
        self.send(name, *arguments)
        return self.response(timeout, blame)

    def send(self, name, *arguments):
        self.process.stdin.write((" ".join(map(str, (name, *arguments))) + "\n").encode())
        self.process.stdin.flush()

    def response(self, timeout, blame=None):
        """`blame` is the process whose log says more when there is no good response."""
        blame = blame or self.process
        ready, _, _ = select.select([self.process.stdout], [], [], timeout)
        line = self.process.stdout.readline() if ready else b""
        response = json.loads(line) if line else {"error": "the client gave no response: " + tail(self.process)}
        if "error" in response:
            self._workspace.stop(self.process)  # a new one cannot respond late, and keeps no connections
            self._start()
            raise BenchError(f"{response['error']}\n{tail(blame)}")
        return response
