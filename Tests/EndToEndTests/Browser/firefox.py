"""A headless Firefox, by Marionette: its own protocol on a socket, which needs no driver."""
import json
import pathlib
import socket
import subprocess
import time

from browser import Browser, Gone, trust

PREFERENCES = {
    # Chooses a port, and writes it into the profile.
    "marionette.port": 0,
    "network.proxy.type": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.disabledForTesting": True,
    "browser.startup.page": 0,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}


class Firefox(Browser):
    def __init__(self, browser, authority=None, profile=".config/mozilla/firefox/test.default", prepare=None):
        """
        `authority`: a PEM file to be trusted besides the usual ones;  `profile`: its folder in the home
        `prepare`: is called with the home, where a profile with a certificate database is, before the start
        """
        self.browser, self.authority, self.folder, self.prepare = browser, authority, profile, prepare
        super().__init__()

    def start(self):
        profile = pathlib.Path(self.home.name, self.folder)
        trust(str(profile), self.authority)
        (profile / "user.js").write_text("".join(
            "user_pref(%s, %s);\n" % (json.dumps(name), json.dumps(value)) for name, value in PREFERENCES.items()))
        if self.prepare:
            self.prepare(self.home.name)
        process = self.spawn([self.browser, "--headless", "--marionette", "--no-remote", "--profile", str(profile)],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"MOZ_CRASHREPORTER_DISABLE": "1"})
        told = profile / "MarionetteActivePort"
        while not (told.exists() and told.read_text()):
            if process.poll() is not None:
                raise SystemExit("Firefox did not start")
            time.sleep(0.05)
        self.socket = socket.create_connection(("127.0.0.1", int(told.read_text())), timeout=120)
        self.input, self.number = self.socket.makefile("rb"), 0
        self.message()
        self.command("NewSession", capabilities={})

    def message(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.input.read(1)
            if not byte:
                raise SystemExit("Firefox has ended")
            length += byte
        return json.loads(self.input.read(int(length[:-1])))

    def command(self, command, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, "WebDriver:" + command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.message()
        if error:
            raise Gone(json.dumps(error)[:2000])
        return result["value"] if isinstance(result, dict) and set(result) == {"value"} else result

    def leave(self):
        self.command("DeleteSession")

    def go(self, url):
        self.command("Navigate", url=url)

    def run(self, script, *arguments):
        return self.command("ExecuteScript", script=script, args=list(arguments))

    def run_async(self, script, *arguments):
        return self.command("ExecuteAsyncScript", script=script, args=list(arguments))
