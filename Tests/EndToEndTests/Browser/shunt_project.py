"""A Shunt in a project of its own, with two environments behind it, for scripts that look at its inspector."""
import base64
import hashlib
import http.server
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HOSTILE = {
    "/hostile/header": ("text/plain", b"x", {"X-Evil": "<img src=x onerror=\"window.hacked=1\">\u202egnp.exe".encode()}),
    "/hostile/page.html": ("text/html", b"<script>window.hacked=2</script><img src=x onerror='window.hacked=3'>", {}),
    "/hostile/picture.svg": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9' "
                             b"onload='window.hacked=4'><script>window.hacked=5</script><rect width='9' height='9'/></svg>", {}),
    "/hostile/deep.json": ("application/json", b"[" * 100_000 + b"]" * 100_000, {}),
    "/hostile/line.json": ("application/json", b'{"line":"' + b"x" * 900_000 + b'"}', {}),
    "/hostile/bytes.json": ("application/json", b'{"a":"\xff\xfe\x00"}', {}),
    "/hostile/marks.json": ("application/json", '{"\u202e\u0000__proto__":"\u2066<b>","constructor":1}'.encode(), {}),
    "/hostile/text": ("text/plain; charset=\"<script>\"", "a\u202eb\u0007c\u200b".encode(), {}),
}
BIG = 12345678901234567890
# Too long to be read in a moment; the second one ends too early.
MANY = json.dumps({"things": [{"number": number, "name": "Thing %d" % number} for number in range(150_000)]}).encode()
LONG = {"/many.json": MANY, "/ends-early.json": MANY[:-20_000]}


class Origin(http.server.ThreadingHTTPServer):
    """`name` is in its responses; `seen` are the Cookie fields that came."""
    request_queue_size = 256
    daemon_threads = True

    def __init__(self, name, responses=None):
        self.name, self.seen = name, []
        super().__init__(("127.0.0.1", 0), responses or Responses)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server_address[1]

    def handle_error(self, *_):
        """Connections that Shunt closes are none."""


class SelfSigned(Origin):
    """Over TLS, with a certificate that nothing trusts, made in a folder."""

    def __init__(self, name, folder):
        files = [str(pathlib.Path(folder, name + end)) for end in (".pem", ".key")]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2",
                        "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(*files)
        super().__init__(name)

    @property
    def url(self):
        return "https://localhost:%d" % self.server_address[1]

    def get_request(self):
        connection, address = super().get_request()
        # Its handshake is its own thread's.
        return self.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address


class Responses(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append(self.headers.get("Cookie") or "")
        path = self.path.split("?")[0]
        status, kind, body, fields = 200, "application/json", None, {}
        if self.headers.get("Upgrade") == "websocket":
            return self.talk()
        if path.endswith("/endless"):
            return self.stream()
        if path in HOSTILE:
            kind, body, fields = HOSTILE[path]
        elif path.endswith(tuple(LONG)):
            body = next(long for name, long in LONG.items() if path.endswith(name))
        elif path == "/events":
            kind, body = "text/event-stream", b"event: price\ndata: {\"of\": \"A-1\"}\n\nid: 2\ndata: second\n\n"
        elif path == "/page":
            kind, body = "text/html", b"<!doctype html><title>page</title><p>A page at another port"
        elif path.endswith("/broken"):
            status, body = 500, b'{"error": "the database is away"}'
        elif path.endswith(("/moved", "/moved-on")):
            status, body = 302, b"{}"
            fields = {"Location": b"moved-on" if path.endswith("/moved") else b"arrived"}
        elif path.endswith("/missing"):
            status, body = 404, b'{"error": "no such thing"}'
        else:
            body = json.dumps({"environment": self.server.name, "cart": {
                "id": 7, "big": BIG, "total": 65.0, "coupon": None,
                "items": [{"sku": "A-%d" % number, "name": "Thing %d" % number} for number in range(4)]}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "session=%s; Path=/" % ("a1B2c3D4" * 4))
        for name, value in fields.items():
            self.send_header(name, value.decode("latin-1"))
        self.end_headers()
        for start in range(0, len(body), 1 << 20):
            # At once it could be more than the store's queue takes, which drops what it has no room for.
            if start:
                time.sleep(0.03)
            self.wfile.write(body[start:start + (1 << 20)])

    do_GET = do_POST = do_PUT = respond

    def talk(self):
        """A WebSocket that says three bytes and a letter, and closes."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        for name, value in [("Upgrade", "websocket"), ("Connection", "Upgrade"), (
                "Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"\x82\x04\x00\x01\x02a\x88\x02\x03\xe8")
        self.close_connection = True

    def stream(self):
        """Events at once, and one now and then until the client leaves."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        event = b"data: " + b"x" * 1000 + b"\n\n"
        try:
            self.wfile.write(event * 100)
            while True:
                self.wfile.write(event)
                time.sleep(0.3)
        except OSError:
            pass

    def log_message(self, *_):
        pass


class Project:
    """Profiles local, staging and production before two origins; ends with its Shunt where the block ends."""

    def __init__(self, shunt, options=()):
        self.shunt, self.options = shunt, list(options)
        self.folder = tempfile.TemporaryDirectory(prefix="shunt-inspector-")
        self.local, self.staging = Origin("local"), Origin("staging")
        profiles = pathlib.Path(self.folder.name, "Profiles")
        profiles.mkdir()
        site = pathlib.Path(self.folder.name, "site")
        site.mkdir()
        (site / "page.txt").write_text("a page")
        for name, profile in self.profiles().items():
            (profiles / (name + ".json")).write_text(json.dumps(profile))
        self.port, self.admin = 0, 0
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.process = None
        self.start()

    def profiles(self):
        return {
            "local": {"kind": "local", "extends": "staging", "routes": [
                {"host": "api.shop.test", "path": "/v1/promo", "mock": {"json": {"banner": None}}},
                {"host": "api.shop.test", "path": "/v1/cart/*", "origin": self.local.url},
                {"path": "/hostile/*", "origin": self.local.url},
                {"host": "api.shop.test", "path": "/v1/endless", "origin": self.local.url},
                {"host": "api.shop.test", "path": "/v1/socket", "origin": self.local.url},
                {"host": "api.shop.test", "path": "/v1/guarded/*", "origin": "http://127.0.0.1:10"},
                {"path": "/site/*", "files": "../site"},
                {"host": "api.shop.test", "path": "/v1/down/*", "origin": "http://127.0.0.1:9"}]},
            "staging": {"kind": "staging", "routes": [{"origin": self.staging.url}]},
            "production": {"kind": "production", "routes": [{"host": "shop.test", "origin": "http://127.0.0.1:10"}]},
        }

    def start(self):
        ready = pathlib.Path(self.folder.name, "ready.json")
        ready.unlink(missing_ok=True)
        self.log = open(self.folder.name + "/log", "w")
        self.process = subprocess.Popen(
            [self.shunt, "serve", "--port", str(self.port), "--admin-port", str(self.admin), "--pages-port", "0",
             "--profile", "local", "--ready-file", "ready.json", *self.options],
            cwd=self.folder.name, stdout=subprocess.DEVNULL, stderr=self.log)
        for _ in range(600):
            if ready.exists() and ready.read_text().endswith("\n"):
                facts = json.loads(ready.read_text())
                self.port, self.admin = facts["port"], int(facts["admin"].rsplit(":", 1)[1])
                return
            time.sleep(0.02)
        sys.exit("Shunt did not start: " + pathlib.Path(self.folder.name, "log").read_text())

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            self.process.kill()
            self.folder.cleanup()

    def command(self, *words):
        return subprocess.run([self.shunt, *words], cwd=self.folder.name, check=True, stdout=subprocess.PIPE,
                              text=True).stdout.strip()

    def route(self, route):
        """Puts one in front of those of the profile local."""
        path = pathlib.Path(self.folder.name, "Profiles/local.json")
        profile = json.loads(path.read_text())
        profile["routes"].insert(0, route)
        path.write_text(json.dumps(profile))
        self.command("reload")

    def link(self):
        return self.command("inspect", "--print")

    @property
    def site(self):
        return "http://127.0.0.1:%d" % self.admin

    def send(self, path, method="GET", body=None, host="api.shop.test", **fields):
        """Sends a request for a host through Shunt; its status."""
        fields["Host"] = host
        request = urllib.request.Request("http://127.0.0.1:%d%s" % (self.port, path), data=body, method=method,
                                         headers={name.replace("_", "-"): value for name, value in fields.items()})
        try:
            with self.opener.open(request, timeout=30) as response:
                response.read()
                return response.status
        except urllib.error.HTTPError as error:
            # A client that leaves before the body has come is one more failure.
            with error:
                error.read()
            return error.code

    def stream(self, path):
        """A request whose response does not end before it is closed."""
        request = urllib.request.Request("http://127.0.0.1:%d%s" % (self.port, path), headers={"Host": "api.shop.test"})
        return self.opener.open(request, timeout=30)

    def socket(self, path):
        """Opens a WebSocket, and reads until it is closed."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(("GET %s HTTP/1.1\r\nHost: api.shop.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n" % (
                                    path, base64.b64encode(os.urandom(16)).decode())).encode())
            while connection.recv(4096):
                pass

    def api(self, path, body=None):
        """Asks the admin interface with the token."""
        token = json.loads(pathlib.Path(self.folder.name, ".shunt/%d.json" % self.port).read_text())["token"]
        request = urllib.request.Request(self.site + path, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Authorization": "Bearer " + token, "Content-Type": "application/json"})
        return json.load(self.opener.open(request, timeout=30))

    def recorded_path(self, path):
        """Waits until an exchange with that path is in the store."""
        for _ in range(500):
            if any(path in exchange["url"] for exchange in self.api("/v1/traffic?limit=20")["exchanges"]):
                return
            time.sleep(0.02)
        sys.exit("the store has not got " + path)

    def recorded(self, count):
        """Waits until so many exchanges are in the store."""
        for _ in range(500):
            if self.api("/v1/traffic/stats")["total"]["count"] >= count:
                return
            time.sleep(0.02)
        sys.exit("the store has not got %d exchanges" % count)
