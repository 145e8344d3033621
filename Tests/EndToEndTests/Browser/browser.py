"""Headless browsers behind one interface: what every script of this folder starts them with."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request


class Gone(Exception):
    """The page of a script or of an element is there no more."""


class Browser:
    """One browser with a home of its own; ends with all its processes where the block ends."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # Those that were started here, each with a group of its own.
        self.processes = []
        try:
            self.start()
        except BaseException:
            self.end()
            raise

    def spawn(self, command, **options):
        environment = dict(os.environ, HOME=self.home.name, **options.pop("env", {}))
        process = subprocess.Popen(command, env=environment, start_new_session=True, **options)
        self.processes.append(process)
        return process

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.leave()
        finally:
            self.end()

    def end(self):
        # With all processes of theirs. SIGTERM may be blocked.
        for process in reversed(self.processes):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        self.home.cleanup()

    def wait_for(self, script, *arguments, seconds=60):
        """What a script returns as soon as that is something; None if it never is."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                found = self.run(script, *arguments)
                if found:
                    return found
            except Gone:
                pass
            time.sleep(0.03)
        return None


class Driven(Browser):
    """A browser behind a program that speaks WebDriver."""

    def start(self):
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.start_driver()
        self.base = "/session/" + self.call("POST", "/session", {"capabilities": {"alwaysMatch": self.capabilities()}}
                                            )["sessionId"]

    def leave(self):
        self.session("DELETE", "")

    def call(self, method, path, content=None):
        request = urllib.request.Request("http://127.0.0.1:%d%s" % (self.port, path), method=method,
                                         data=None if content is None else json.dumps(content).encode())
        try:
            return json.load(self.opener.open(request, timeout=120))["value"]
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            # Chromium's own words for a stale element, where chromedriver has none.
            if json.loads(text)["value"]["error"] in (
                    "stale element reference", "no such element", "no such window",
                    "javascript error") or "does not belong to the document" in text:
                raise Gone(text[:2000])
            sys.exit("the driver: " + text[:2000])

    def session(self, method, path, content=None):
        return self.call(method, self.base + path, content)

    def go(self, url):
        self.session("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """What a script returns."""
        return self.session("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """What a script gives to the function that is its last argument."""
        return self.session("POST", "/execute/async", {"script": script, "args": list(arguments)})


def trust(database, authority=None):
    """Makes a certificate database of NSS, which trusts an authority."""
    os.makedirs(database, exist_ok=True)
    subprocess.run(["certutil", "-d", "sql:" + database, "-N", "--empty-password"], check=True)
    if authority:
        subprocess.run(
            ["certutil", "-d", "sql:" + database, "-A", "-t", "C,,", "-n", "shunt", "-i", authority], check=True)
