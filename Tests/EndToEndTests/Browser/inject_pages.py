#!/usr/bin/env python3
"""Serves pages under several policies, opens each through Shunt in a headless Chromium, and says what ran there.

usage: inject_pages.py JSON, with the members
  driver: chromedriver's path;  browser: Chromium's path
  port: where this serves its pages;  site: the URL of Shunt, whose origin this is
Prints one line of JSON: for each page its name, the title, what its scripts left, and the console's messages.
"""
import http.server
import json
import sys
import threading

from chromium import Chromium

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
with Chromium(task["driver"], task["browser"]) as browser:
    results = []
    for name in PAGES:
        browser.go(task["site"] + "/" + name)
        seen = browser.run("""return {
            title: document.title, order: document.documentElement.dataset.order || "",
            color: getComputedStyle(document.body).color, own: window.own || 0,
            source: document.documentElement.outerHTML}""")
        seen["name"] = name
        seen["console"] = [message for message in browser.console() if "favicon" not in message]
        results.append(seen)
    print(json.dumps(results))
