"""A headless Chromium with a page, and its DevTools as a page of their own."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from websockets.sync.client import connect

opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def until(question):
    for _ in range(600):
        response = question()
        if response:
            return response
        time.sleep(0.05)
    sys.exit("the browser did not get ready")


def page(port, url):
    request = urllib.request.Request("http://127.0.0.1:%s/json/new?%s" % (port, url), method="PUT")
    return json.load(opener.open(request, timeout=30))


class Console:
    """What is asked of a page, and what it complains of."""

    def __init__(self, socket):
        self.socket, self.number, self.complaints = socket, 0, []
        self.ask("Runtime.enable")

    def ask(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            if message.get("id") == self.number:
                return message.get("result", message)
            said = message.get("params", {})
            if message["method"] == "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(said["exceptionDetails"])[:1000])
            elif message["method"] == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
                self.complaints.append(json.dumps(said["args"])[:1000])

    def run(self, expression):
        response = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in response:
            sys.exit(json.dumps(response["exceptionDetails"])[:2000])
        return response["result"].get("value")


@contextlib.contextmanager
def network_panel(browser, *arguments):
    """The consoles of the Network panel and of the page that it shows."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        process = subprocess.Popen(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
             "--no-first-run", "--user-data-dir=" + home, "--remote-debugging-port=0", "--remote-allow-origins=*",
             *arguments, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=home),
            start_new_session=True)
        try:
            told = pathlib.Path(home, "DevToolsActivePort")
            port = until(lambda: told.exists() and told.read_text().split("\n")[0])
            shown = page(port, "about:blank")
            address = "127.0.0.1:%s/devtools/" % port
            tools = page(
                port, "http://%sdevtools_app.html?ws=%spage/%s%%26panel=network" % (address, address, shown["id"]))
            with connect(tools["webSocketDebuggerUrl"], max_size=None, proxy=None) as socket, \
                    connect(shown["webSocketDebuggerUrl"], max_size=None, proxy=None) as other:
                console = Console(socket)
                until(lambda: console.run("!!document.querySelector('.root-view > *')"))
                console.complaints.clear()
                yield console, Console(other)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
