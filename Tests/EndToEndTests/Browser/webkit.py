"""WebKitGTK's MiniBrowser behind WebKitWebDriver, on a display that nobody sees."""
import os
import pathlib
import subprocess
import time

from browser import Driven


class WebKit(Driven):
    """A browser that accepts every certificate: its authorities are the system's."""

    def __init__(self, driver, browser):
        self.driver, self.browser = driver, browser
        super().__init__()

    def capabilities(self):
        return {"acceptInsecureCerts": True,
                "webkitgtk:browserOptions": {"binary": self.browser, "args": ["--automation"]}}

    def start_driver(self):
        reader, writer = os.pipe()
        self.spawn(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
                   pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with open(reader) as told:
            display = told.readline().strip()
        driver = self.spawn(
            [self.driver, "--port=0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"DISPLAY": ":" + display, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "NO_AT_BRIDGE": "1",
                 "DBUS_SESSION_BUS_ADDRESS": "disabled:", "GSETTINGS_BACKEND": "memory", "GIO_USE_VFS": "local",
                 "LIBGL_ALWAYS_SOFTWARE": "1", "XDG_RUNTIME_DIR": self.home.name, "GIO_USE_PROXY_RESOLVER": "dummy"})
        self.port = None
        while self.port is None:
            if driver.poll() is not None:
                raise SystemExit("WebKitWebDriver did not start")
            self.port = listening_port(driver.pid)
            time.sleep(0.05)


def listening_port(process):
    """The port of IPv4 that a process listens at: the driver does not say which one it chose."""
    own = set()
    for link in pathlib.Path("/proc/%d/fd" % process).iterdir():
        try:
            own.add(os.readlink(link))
        except OSError:
            pass
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and "socket:[%s]" % fields[9] in own:
            return int(fields[1].split(":")[1], 16)
    return None
