#!/usr/bin/env python3
"""Serves pages under several policies, opens each through Shunt in a headless Chromium, and says what ran there.

usage: inject_pages.py JSON, with the members
  driver: chromedriver's path;  browser: Chromium's path
  port: where this serves its pages;  site: the URL of Shunt, whose origin this is
Prints one line of JSON: for each page its name, the title, what its scripts left, and the console's messages.
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
OWN = "<script%s>window.own = (window.own || 0) + 1</script>"
# The policy's field, then what stands in the head.
PAGES = {
    "none": (None, OWN % ""),
    "self": ("default-src 'self'", ""),
    "nothing": ("default-src 'none'", ""),
    "nonce": ("script-src 'nonce-abc123'; style-src 'nonce-abc123'", OWN % " nonce=abc123"),
    "hash": ("script-src 'sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='; style-src 'self'", ""),
    "strict-dynamic": ("script-src 'strict-dynamic' 'nonce-n1'; style-src 'none'", OWN % " nonce=n1"),
    "unsafe-inline": ("script-src 'unsafe-inline'; style-src 'unsafe-inline'", OWN % ""),
    "two": ("script-src 'nonce-x', script-src 'self'; style-src 'self'", ""),
    "meta": (None, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self'\">"),
    "meta-escaped": (None, "<meta content='script-src &#39;none&#39;; style-src &#39;none&#39;' "
                           "http-equiv=content-security-policy>"),
    "trusted-types": ("require-trusted-types-for 'script'; script-src 'self'; style-src 'self'", ""),
    "sandbox": ("sandbox", ""),
    "sandbox-scripts": ("sandbox allow-scripts; script-src 'none'; style-src 'none'", ""),
}


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.strip("/")
        policy, head = PAGES.get(name, (None, ""))
        body = ("<!doctype html><html><head><title>%s</title>%s</head><body><p>x</p></body></html>"
                % (name, head)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if policy:
            self.send_header("Content-Security-Policy", policy)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


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
    results = []
    for name in PAGES:
        call("POST", base + "/url", {"url": task["site"] + "/" + name})
        seen = call("POST", base + "/execute/sync", {"args": [], "script": """return {
            title: document.title, order: document.documentElement.dataset.order || "",
            color: getComputedStyle(document.body).color, own: window.own || 0,
            source: document.documentElement.outerHTML}"""})
        seen["name"] = name
        seen["console"] = [entry["message"] for entry in call("POST", base + "/se/log", {"type": "browser"})
                           if "favicon" not in entry["message"]]
        results.append(seen)
    print(json.dumps(results))
    call("DELETE", base)
finally:
    # With all browsers of its own. SIGTERM may be blocked.
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    home.cleanup()
