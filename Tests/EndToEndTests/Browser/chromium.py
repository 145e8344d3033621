"""A headless Chromium behind chromedriver."""
import base64
import subprocess
import sys

from browser import Driven, Gone, trust  # noqa: F401


class Chromium(Driven):
    """A Chromium; scripts may use what its protocol has besides WebDriver."""

    def __init__(self, driver, browser, arguments=(), authority=None, **capabilities):
        """`authority`: a PEM file to be trusted besides the usual ones."""
        self.driver, self.browser, self.arguments, self.more = driver, browser, arguments, capabilities
        self.authority = authority
        super().__init__()

    def capabilities(self):
        options = {"binary": self.browser, "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
            *self.arguments]}
        return {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": options,
                **self.more}

    def start_driver(self):
        if self.authority:
            trust(self.home.name + "/.pki/nssdb", self.authority)
        # The port that one family has free may be taken in the other; chromedriver then ends.
        said = []
        for _ in range(5):
            process = self.spawn([self.driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for line in process.stdout:
                if "started successfully on port" in line:
                    self.port = int(line.rstrip().rstrip(".").rsplit(" ", 1)[-1])
                    return
                said.append(line)
        sys.exit("chromedriver did not start: " + "".join(said))

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
