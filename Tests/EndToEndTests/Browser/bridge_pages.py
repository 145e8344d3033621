#!/usr/bin/env python3
"""Serves pages of a hybrid app, opens each through Shunt in a headless Chromium, and says what its calls gave.

usage: bridge_pages.py JSON, with the members
  driver: chromedriver's path;  browser: Chromium's path
  port: where this serves its pages;  site: the URL of Shunt, whose origin this is
  native: whether a native bridge is there, as in the real app
Prints one line of JSON: for each page its name, what its calls gave, and the console's messages.
"""
import http.server
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.request

task = json.loads(sys.argv[1])

# Each page: its policy, what stands in front of its script, the script, and how many reports it causes. A script's value
# or its promise is the result. Scripts stand in the head: the bridge has to be there before them.
WEBKIT = """
    const { session, log, pay, router } = webkit.messageHandlers;
    const failure = await pay.postMessage({}).catch(error => error.message);
    return [await session.postMessage({ user: { name: "ann" } }), typeof log.postMessage("x"), failure,
        await router.postMessage({ action: "cart", id: 7 }), await router.postMessage({ action: "user" }),
        "missing" in webkit.messageHandlers];
"""
ANDROID = """
    let failure;
    try { Bank.fail() } catch (error) { failure = error.message }
    const start = performance.now();
    const slow = Bank.slow();
    return [Bank.version(), Bank.balance(JSON.stringify({ account: "a<b>" }), "EUR"), Bank.profile(), failure, slow,
        performance.now() - start >= 50, Bank.count(), Bank.count(), typeof Bank.log("x")];
"""
PROMPT = """
    return [prompt("bank://version"), prompt("bank://session?for=ann", "old"), prompt("bank://nothing")];
"""
EVENTS = """
    window.app = {};
    const pushed = new Promise(resolve => { app.onPush = (...args) => resolve(args) });
    const resumed = new Promise(resolve => document.addEventListener("resume", event => resolve(event.detail)));
    const posted = new Promise(resolve => addEventListener("message", event => resolve(event.data)));
    const called = new Promise(resolve => { window.callback7 = (...args) => resolve(args) });
    const returned = typeof Bank.later("callback7");
    return [await pushed, await resumed, await posted, await called, returned];
"""
NATIVE = """
    const { session, log, pay, never } = webkit.messageHandlers;
    never.postMessage("page ends first");
    dispatchEvent(new Event("pagehide"));
    const failure = await pay.postMessage(1).catch(error => error.message);
    return [await session.postMessage({ user: { name: "ann" } }), typeof log.postMessage("x"), failure,
        Bank.version(), Bank.balance("a", "EUR"), prompt("bank://version"), session === webkit.messageHandlers.session,
        "missing" in webkit.messageHandlers];
"""
META = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-n'\">"
PAGES = {
    "webkit": (None, "<html><head>", WEBKIT, 5),
    "android": (None, "<html><head>", ANDROID, 8),
    "prompt": (None, "<html><head>", PROMPT, 3),
    "events": (None, "<html><head>", EVENTS, 5),
    "nonce": ("default-src 'none'; script-src 'nonce-n'", "<html><head>", WEBKIT, 5),
    "hash": ("default-src 'self'; script-src 'sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' 'nonce-n'",
             "<html><head>", ANDROID, 8),
    "meta": (None, "<html><head>" + META, WEBKIT, 5),
    "headless": (None, "", PROMPT, 3),
    "base": (None, "<head><base href='http://elsewhere.invalid/'>", PROMPT, 3),
    # The charset stands behind the script.
    "charset": (None, "<html><head><meta charset=utf-8>", "return ['\u00e4', prompt('bank://version')]", 1),
} if not task["native"] else {"record": (None, "<html><head>", NATIVE, 7)}


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.strip("/")
        policy, head, script, _ = PAGES.get(name, (None, "", "", 0))
        body = ("<!doctype html>%s<script nonce=n>window.finished = (async () => {%s})()</script><p>x"
                % (head, script)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        if policy:
            self.send_header("Content-Security-Policy", policy)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# What an app's native side gives its pages: an object without properties of its own, as WKWebView has it.
BRIDGE = """
    class Handler { constructor(act) { this.act = act } postMessage(message) { return this.act(message) } }
    const handlers = {
        session: new Handler(async message => ({ token: "real-" + message.user.name })),
        log: new Handler(() => undefined),
        never: new Handler(() => new Promise(() => {})),
        pay: new Handler(async () => { throw new Error("really declined") }),
    };
    window.webkit = { messageHandlers: handlers };
    class Bank {
        #version = "9.1";
        version() { return this.#version }
        balance(account, currency) { return "5 " + currency }
    }
    window.Bank = new Bank();
    window.prompt = text => "real " + text;
"""
# When all reports are through; the result is there before, mostly.
WAIT = """
    const [count, done] = arguments;
    const isReport = entry => entry.name.includes("/__shunt/bridge/");
    let seen = 0;
    const observer = new PerformanceObserver(list => {
        seen += list.getEntries().filter(isReport).length;
        if (seen >= count) { observer.disconnect(); finished.then(done, error => done("failed: " + error)) }
    });
    observer.observe({ type: "resource", buffered: true });
"""

server = http.server.ThreadingHTTPServer(("127.0.0.1", task["port"]), Pages)
threading.Thread(target=server.serve_forever, daemon=True).start()
home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
driver = subprocess.Popen([task["driver"], "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, HOME=home.name), start_new_session=True)
port = None
while port is None:
    line = driver.stdout.readline()
    if not line:
        sys.exit("chromedriver did not start")
    if "started successfully on port" in line:
        port = int(line.rstrip().rstrip(".").rsplit(" ", 1)[-1])
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(method, path, content=None):
    request = urllib.request.Request("http://127.0.0.1:%d%s" % (port, path), method=method,
                                     data=None if content is None else json.dumps(content).encode())
    try:
        return json.load(opener.open(request, timeout=60))["value"]
    except urllib.error.HTTPError as error:
        sys.exit("chromedriver: " + error.read().decode()[:2000])


try:
    session = call("POST", "/session", {"capabilities": {"alwaysMatch": {
        "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": {
            "binary": task["browser"],
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--no-proxy-server"]}}}})["sessionId"]
    base = "/session/" + session
    call("POST", base + "/timeouts", {"script": 20000})
    if task["native"]:
        call("POST", base + "/goog/cdp/execute", {
            "cmd": "Page.addScriptToEvaluateOnNewDocument", "params": {"source": "{%s}" % BRIDGE}})
    results = []
    for name, (_, _, _, count) in PAGES.items():
        call("POST", base + "/url", {"url": task["site"] + "/" + name})
        result = call("POST", base + "/execute/async", {"args": [count], "script": WAIT})
        scripts = call("POST", base + "/execute/sync", {"args": [], "script": "return document.scripts.length"})
        results.append({"name": name, "result": result, "scripts": scripts, "console": [
            entry["message"] for entry in call("POST", base + "/se/log", {"type": "browser"})
            if "favicon" not in entry["message"]]})
    print(json.dumps(results))
    call("DELETE", base)
finally:
    # With all browsers of its own. SIGTERM may be blocked.
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    home.cleanup()
