#!/usr/bin/env python3
"""A small shop in one environment: pages on one port, their API on another.

It is as strict as real ones are: it knows itself by one address only, redirects to it, names it in its pages, takes
logins from its own pages only, and its API lets no other site's pages read responses.

usage: sample_app.py NAME (http HOST | https HOST CERT KEY) [--no-cors]
Prints one line of JSON once it listens: the ports. GET /seen on either port tells the Cookie fields it was sent.
"""
import html
import http.server
import json
import os
import ssl
import sys
import threading
import time
import urllib.parse
from http.cookies import SimpleCookie

name, scheme, host = sys.argv[1:4]
has_cors = "--no-cors" not in sys.argv
seen = []

PAGE = """<!doctype html><html><head><meta charset="utf-8"><title>{name}</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="{pages}/style.css"></head><body>
<h1 id="environment">{name}</h1><p id="user">{user}</p><p id="me">...</p>
<form method="post" action="{pages}/login"><input name="user" id="name"><button id="login">log in</button></form>
<script>
const api = "{escaped_api}";
const csrf = (document.cookie.match(/(?:^|; )csrf=([^;]*)/) || [])[1] || "";
async function start() {{
  if (csrf) {{
    const response = await fetch(api + "/session", {{method: "POST", credentials: "include",
      headers: {{"Content-Type": "application/json", "X-CSRF": csrf}}, body: JSON.stringify({{csrf}})}});
    if (!response.ok) throw new Error("session: " + response.status);
  }}
  const me = await (await fetch(api + "/me", {{credentials: "include"}})).json();
  return me.environment + ":" + me.user + ":" + csrf;
}}
start().then(text => document.getElementById("me").textContent = text,
             error => document.getElementById("me").textContent = "failed: " + error);
</script></body></html>"""


class Base(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def cookies(self):
        field = self.headers.get("Cookie", "")
        seen.append(field)
        return {key: morsel.value for key, morsel in SimpleCookie(field).items()}

    def content(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()

    def send(self, status, kind="text/plain", text="", fields=()):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for field in fields:
            self.send_header(*field)
        self.end_headers()
        self.wfile.write(body)

    def tell_seen(self):
        if self.path == "/seen":
            self.send(200, "application/json", json.dumps(seen))
        return self.path == "/seen"


def secure():
    return "; Secure" if scheme == "https" else ""


class Pages(Base):
    def do_GET(self):
        if self.tell_seen():
            return
        user = self.cookies().get("sid", "nobody")
        if self.path == "/style.css":
            return self.send(200, "text/css", "body { background: url(%s/paper.png) }" % address["pages"])
        if self.path == "/paper.png":
            return self.send(200, "image/png", "")
        self.send(200, "text/html; charset=utf-8", PAGE.format(
            name=name, user=html.escape(user), pages=address["pages"],
            escaped_api=address["api"].replace("/", "\\/")), [
            ("Content-Security-Policy", "default-src 'self' 'unsafe-inline' data: {pages} {api}; form-action {pages}; "
             "upgrade-insecure-requests; report-uri https://reports.example/csp".format(**address)),
            ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"), ("Alt-Svc", 'h3=":443"'),
            ("Cache-Control", "no-store")])

    def do_POST(self):
        self.cookies()
        form = urllib.parse.parse_qs(self.content())
        if self.headers.get("Origin") != address["pages"] or not self.headers.get("Referer", "").startswith(
                address["pages"] + "/"):
            return self.send(403, text="from a strange page: %s" % self.headers.get("Origin"))
        user = form.get("user", ["nobody"])[0]
        self.send(302, fields=[
            ("Location", address["pages"] + "/"),
            ("Set-Cookie", "sid=%s-%s; Path=/; HttpOnly; SameSite=Lax%s" % (name, user, secure())),
            ("Set-Cookie", "csrf=%s-token-%s; Path=/; SameSite=Lax%s; Expires=Wed, 01 Jan 2098 00:00:00 GMT" % (
                name, user, secure()))])


class API(Base):
    def cors(self):
        if not has_cors:
            return []
        if self.headers.get("Origin") != address["pages"]:
            return [("Vary", "Origin")]
        return [("Access-Control-Allow-Origin", address["pages"]), ("Access-Control-Allow-Credentials", "true"),
                ("Vary", "Origin")]

    def do_OPTIONS(self):
        if not has_cors:
            return self.send(405)
        self.send(204, fields=self.cors() + [
            ("Access-Control-Allow-Methods", "GET, POST"), ("Access-Control-Allow-Headers", "content-type, x-csrf")])

    def do_GET(self):
        if self.tell_seen():
            return
        user = self.cookies().get("api_sid", "nobody")
        self.send(200, "application/json", json.dumps({"environment": name, "user": user}), self.cors())

    def do_POST(self):
        self.cookies()
        csrf = json.loads(self.content())["csrf"]
        if self.headers.get("X-CSRF") != csrf:
            return self.send(403, fields=self.cors())
        site = "SameSite=None; Secure" if scheme == "https" else "SameSite=Lax"
        user = csrf.rsplit("-", 1)[-1]
        self.send(200, text="ok", fields=self.cors() + [
            ("Set-Cookie", "api_sid=%s-%s; Path=/; HttpOnly; %s" % (name, user, site))])


def serve(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if scheme == "https":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[4], sys.argv[5])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


ports = {"pages": serve(Pages), "api": serve(API)}
address = {part: "%s://%s:%d" % (scheme, host, port) for part, port in ports.items()}
print(json.dumps(ports), flush=True)
# Lives for as long as whoever started it.
parent = os.getppid()
while os.getppid() == parent:
    time.sleep(0.5)
