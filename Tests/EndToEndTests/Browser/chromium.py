"""A headless Chromium behind chromedriver: what every script of this folder starts it with."""
import base64
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


class Chromium:
    """One browser with a home of its own; ends with all its processes where the block ends."""

    def __init__(self, driver, browser, arguments=(), authority=None, **capabilities):
        """`authority`: a PEM file to be trusted besides the usual ones."""
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        if authority:
            self.trust(authority)
        # Leftovers are found and ended by their group.
        self.start(driver)
        try:
            self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            options = {"binary": browser, "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
                *arguments]}
            self.base = "/session/" + self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": options,
                **capabilities}}})["sessionId"]
        except BaseException:
            self.end()
            raise

    def trust(self, authority):
        store = "sql:" + self.home.name + "/.pki/nssdb"
        os.makedirs(self.home.name + "/.pki/nssdb")
        subprocess.run(["certutil", "-d", store, "-N", "--empty-password"], check=True)
        subprocess.run(["certutil", "-d", store, "-A", "-t", "C,,", "-n", "shunt", "-i", authority], check=True)

    def start(self, driver):
        # The port that one family has free may be taken in the other; chromedriver then ends.
        said = []
        for _ in range(5):
            self.driver = subprocess.Popen(
                [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env=dict(os.environ, HOME=self.home.name), start_new_session=True)
            for line in self.driver.stdout:
                if "started successfully on port" in line:
                    self.port = int(line.rstrip().rstrip(".").rsplit(" ", 1)[-1])
                    return
                said.append(line)
            self.driver.wait()
        sys.exit("chromedriver did not start: " + "".join(said))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.session("DELETE", "")
        finally:
            self.end()

    def end(self):
        # With all browsers of its own. SIGTERM may be blocked.
        os.killpg(self.driver.pid, signal.SIGKILL)
        self.driver.wait()
        self.home.cleanup()

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
            sys.exit("chromedriver: " + text[:2000])

    def session(self, method, path, content=None):
        return self.call(method, self.base + path, content)

    def go(self, url):
        self.session("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """What a script returns."""
        return self.session("POST", "/execute/sync", {"script": script, "args": list(arguments)})

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

    def console(self):
        return [entry["message"] for entry in self.session("POST", "/se/log", {"type": "browser"})]

    def protocol(self, command, **parameters):
        """A command of the DevTools protocol."""
        return self.session("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height, scale=1):
        self.protocol("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                      mobile=False)

    def prefer(self, **features):
        """`prefers_color_scheme="dark"` and the like."""
        self.protocol("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def keys(self, text):
        """Types, as at a keyboard."""
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.session("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def screenshot(self, file):
        with open(file, "wb") as output:
            output.write(base64.b64decode(self.session("GET", "/screenshot")))
