"""A temporary directory, free loopback ports, and processes that are gone when the bench is."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from .errors import BenchError


class Workspace:
    def __init__(self, proxy_core, load_core):
        self.proxy_core = proxy_core
        self.load_core = load_core
        self.path = tempfile.mkdtemp(prefix="shunt-bench-")
        self.environment = dict(os.environ)
        self._running = []
        self._handed_out = set()

    def file(self, name, text=None):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def directory(self, name):
        path = os.path.join(self.path, name)
        os.makedirs(path, exist_ok=True)
        return path

    def port(self):
        while True:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            if port not in self._handed_out:
                self._handed_out.add(port)
                return port

    def start(self, command, log, core, clients_tls=False, **options):
        """Starts a process on one core, in a session of its own, its output in a log file.

        The core is inherited: this thread moves there, starts the process and moves back, so nothing but the
        process itself is part of its start. `clients_tls` pins cipher and curve, see Certificates."""
        environment = dict(os.environ)
        if clients_tls:
            environment = self.environment
        output = open(self.file(log), "wb")
        own = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {core})
        try:
            options.setdefault("stdin", subprocess.DEVNULL)
            options.setdefault("stdout", output)
            options.setdefault("stderr", output)
            process = subprocess.Popen(command, env=environment, cwd=self.path,
                                       start_new_session=True, **options)
        finally:
            os.sched_setaffinity(0, own)
            output.close()
        process.log = self.file(log)
        self._running.append(process)
        return process

    def run(self, command, log, timeout):
        """Runs a load generator on the load core and gives back what it printed."""
        process = self.start(command, log, self.load_core, clients_tls=True, stdout=subprocess.PIPE)
        return self.finish(process, timeout)

    def finish(self, process, timeout):
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise BenchError(f"{process.args[0]} did not end within {timeout:.0f} s\n{tail(process)}") from None
        finally:
            self.stop(process)
        if process.returncode != 0:
            raise BenchError(f"{process.args[0]} ended with status {process.returncode}\n{tail(process)}")
        return output.decode()

    def stop(self, process):
        """Asks the process to end, then makes it and whatever it started."""
        if process not in self._running:
            return
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=3)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        process.wait()
        self._running.remove(process)

    def close(self, keep=False):
        for process in list(reversed(self._running)):
            self.stop(process)
        if not keep:
            for _ in range(3):
                shutil.rmtree(self.path, ignore_errors=True)
                if not os.path.exists(self.path):
                    break
                time.sleep(0.1)


def tail(process, lines=8):
    with open(process.log, encoding="utf-8", errors="replace") as log:
        return "".join(log.readlines()[-lines:])
