"""The origin: an nginx of its own on the load core, and a sink for uploads. Both also count."""

import json
import os
import re
import sys
import time
import urllib.request
from dataclasses import dataclass

from .errors import BenchError
from .workspace import tail

ANSWER_LENGTH = 1024


@dataclass(frozen=True)
class Target:
    """Where a proxy is to send its requests."""
    tls: bool
    port: int
    h2: bool = False


def response_body():
    """JSON of exactly 1,024 bytes."""
    items = [{"id": number, "name": f"article {number}", "price": 1990 + number, "stock": True}
             for number in range(14)]
    shell = {"items": items, "note": ""}
    shell["note"] = "x" * (ANSWER_LENGTH - len(json.dumps(shell)))
    return json.dumps(shell)


CONFIGURATION = """\
daemon off;
{user}
worker_processes 1;
worker_rlimit_nofile 16384;
pid {directory}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 8192; }}
http {{
    access_log off;
    default_type application/json;
    {temporary}
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    tcp_nodelay on;
    ssl_certificate {certificates.certificate};
    ssl_certificate_key {certificates.key};
    ssl_protocols TLSv1.3;
    ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
    ssl_ecdh_curve X25519;
    ssl_session_cache shared:sessions:10m;
    server {{
        listen 127.0.0.1:{plain} backlog=4096;
        listen 127.0.0.1:{tls} ssl backlog=4096;
        listen 127.0.0.1:{h2} ssl http2 backlog=4096;
        add_header Cache-Control "private, max-age=0";
        add_header X-Request-Cost 1;
        location / {{ return 200 '{body}'; }}
        location = /varied {{
            add_header Cache-Control "private, max-age=0";
            add_header X-Request-Id $request_id;
            return 200 '{varied}';
        }}
        location = /rewritten {{
            add_header Location "http://localhost:{plain}/next?page=2";
            add_header Link "<http://localhost:{plain}/style.css>; rel=preload, <https://cdn.example/a.js>; rel=preload";
            add_header Set-Cookie "session=0123456789abcdef; Domain=localhost; Path=/; Secure; HttpOnly; SameSite=None";
            add_header Set-Cookie "theme=dark; Path=/; Expires=Wed, 01 Jan 2098 00:00:00 GMT";
            add_header Strict-Transport-Security "max-age=31536000; includeSubDomains";
            add_header Content-Security-Policy "default-src 'self' https://localhost:{tls}; upgrade-insecure-requests";
            add_header Access-Control-Allow-Origin "https://localhost:{tls}";
            return 200 '{body}';
        }}
        location = /large.json {{ alias {json}; }}
        location = /16k.json {{ alias {some[16]}; }}
        location = /64k.json {{ alias {some[64]}; }}
        location = /huge {{ default_type application/octet-stream; alias {huge}; }}
        location = /big {{ default_type application/octet-stream; alias {big}; }}
    }}
    server {{
        listen 127.0.0.1:{fresh} ssl backlog=4096;
        keepalive_timeout 0;
        ssl_session_tickets off;
        ssl_session_cache off;
        location / {{ return 200 '{body}'; }}
    }}
    server {{
        listen 127.0.0.1:{status};
        location = /status {{ stub_status; }}
    }}
}}
"""


def varied_body():
    """As many bytes, but never the same twice."""
    return response_body().replace("x" * 32, "${request_id}", 1)


def write_json(path, size):
    """A list of articles with addresses of others; returns how long it is."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("[")
        number = 0
        while file.tell() < size:
            file.write(",\n".join(json.dumps({
                "id": n, "name": f"article {n}", "price": 1990 + n % 100, "tags": ["new", "sale"], "stock": n % 3 == 0,
                "image": f"https://images.example/{n}/large.jpg", "description": "It is blue, and it is light. " * 4})
                for n in range(number, number + 1000)) + ",\n")
            number += 1000
        file.write("null]\n")
        return file.tell()


class Origin:
    def __init__(self, workspace, certificates, big_bytes):
        directory = workspace.directory("origin")
        self.big_bytes = big_bytes
        self.big_file = workspace.file("origin/big")
        with open(self.big_file, "wb") as file:
            file.truncate(big_bytes)
        self.huge_bytes = 2 * big_bytes
        self.huge_file = workspace.file("origin/huge")
        with open(self.huge_file, "wb") as file:
            file.truncate(self.huge_bytes)
        some = {kib: workspace.file(f"origin/{kib}k.json", json.dumps(["x" * 50] * (kib * 1024 // 54)))
                for kib in (16, 64)}
        json_file = workspace.file("origin/large.json")
        self.json_bytes = write_json(json_file, 100_000_000)
        plain, tls, h2, fresh, status = (workspace.port() for _ in range(5))
        self.fresh = Target(True, fresh)  # a full handshake for every request
        self.plain, self.tls, self.h2 = Target(False, plain), Target(True, tls), Target(True, h2, h2=True)
        self.status_url = f"http://127.0.0.1:{status}/status"
        configuration = workspace.file("origin/nginx.conf", CONFIGURATION.format(
            user=nginx_user(), directory=directory, temporary=nginx_temporary(directory), certificates=certificates,
            plain=plain, tls=tls, h2=h2, fresh=fresh, status=status, body=response_body(), varied=varied_body(), big=self.big_file, json=json_file,
            huge=self.huge_file, some=some))
        self.process = workspace.start(["nginx", "-e", "stderr", "-p", directory, "-c", configuration],
                                       "origin.log", workspace.load_core)
        self.sink = Target(True, workspace.port())
        sink = os.path.join(os.path.dirname(__file__), "sink.py")
        workspace.start([sys.executable, sink, str(self.sink.port), certificates.certificate, certificates.key],
                        "sink.log", workspace.load_core, clients_tls=True)
        self.events = Target(False, workspace.port())
        events = os.path.join(os.path.dirname(__file__), "events.py")
        workspace.start([sys.executable, events, str(self.events.port)], "events.log", workspace.load_core)
        self._await()

    def requests(self):
        """How many requests the origin has responded, this question included."""
        with urllib.request.urlopen(self.status_url, timeout=5) as response:
            text = response.read().decode()
        return int(re.search(r"^\s*\d+ \d+ (\d+)", text, re.MULTILINE).group(1))

    def _await(self):
        deadline = time.monotonic() + 10
        while True:
            try:
                self.requests()
                return
            except OSError as error:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise BenchError(f"the origin did not start: {error}\n{tail(self.process)}") from None
                time.sleep(0.02)


def nginx_user():
    return "user root;" if os.geteuid() == 0 else ""


def nginx_temporary(directory):
    kinds = {"client_body": "body", "proxy": "proxy", "fastcgi": "fastcgi", "uwsgi": "uwsgi", "scgi": "scgi"}
    return " ".join(f"{kind}_temp_path {directory}/{name};" for kind, name in kinds.items())
