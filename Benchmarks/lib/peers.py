"""The proxies side by side. Each: one worker, no log, an ample pool of kept origin connections, TLS 1.3 with
AES-128-GCM and X25519, the origin's certificate verified, session tickets on, everything else as it comes."""

import json
import os
import shutil

from .errors import BenchError
from .origin import nginx_temporary, nginx_user


MITMPROXY = os.path.join(os.path.dirname(__file__), "../../.build/mitmproxy/bin")


class Nginx:
    name = "nginx"
    version_command = ["nginx", "-v"]

    def missing(self):
        return None if shutil.which("nginx") else "nginx"

    def prepare(self, setup):
        directory = setup.directory
        scheme = "https" if setup.target.tls else "http"
        configuration = setup.file("nginx.conf", f"""\
daemon off;
{nginx_user()}
worker_processes 1;
worker_rlimit_nofile 16384;
pid {directory}/nginx.pid;
error_log stderr error;
events {{ worker_connections 8192; }}
http {{
    access_log off;
    {nginx_temporary(directory)}
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    client_max_body_size 0;
    upstream origin {{
        server 127.0.0.1:{setup.target.port};
        keepalive 512;
        keepalive_requests 1000000000;
        keepalive_timeout 600s;
    }}
    server {{
        listen 127.0.0.1:{setup.port} {"ssl" if setup.client_tls else ""} {"http2" if setup.client_h2 else ""} backlog=4096;
        ssl_certificate {setup.certificates.certificate};
        ssl_certificate_key {setup.certificates.key};
        ssl_protocols TLSv1.3;
        ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
        ssl_ecdh_curve X25519;
        ssl_session_cache shared:sessions:10m;
        ssl_session_tickets on;
        location / {{
            proxy_pass {scheme}://origin;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Connection "";
            proxy_ssl_protocols TLSv1.3;
            proxy_ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
            proxy_ssl_verify on;
            proxy_ssl_trusted_certificate {setup.certificates.ca};
            proxy_ssl_name localhost;
            proxy_ssl_server_name on;
        }}
    }}
}}
""")
        return ["nginx", "-e", "stderr", "-p", directory, "-c", configuration]


class HAProxy:
    name = "haproxy"
    version_command = ["haproxy", "-v"]

    def missing(self):
        return None if shutil.which("haproxy") else "haproxy"

    def prepare(self, setup):
        bind = f"ssl crt {setup.certificates.both}" if setup.client_tls else ""
        if setup.client_h2:
            bind += " alpn h2,http/1.1"
        server = f"ssl verify required ca-file {setup.certificates.ca} sni str(localhost) verifyhost localhost"
        if setup.target.h2:
            server += " alpn h2"
        configuration = setup.file("haproxy.cfg", f"""\
global
    nbthread 1
    maxconn 8000
    ssl-default-bind-options ssl-min-ver TLSv1.3
    ssl-default-bind-ciphersuites TLS_AES_128_GCM_SHA256
    ssl-default-bind-curves X25519
    ssl-default-server-options ssl-min-ver TLSv1.3
    ssl-default-server-ciphersuites TLS_AES_128_GCM_SHA256
defaults
    mode http
    timeout connect 5s
    timeout client 600s
    timeout server 600s
    timeout http-keep-alive 600s
    http-reuse always
frontend clients
    bind 127.0.0.1:{setup.port} {bind} backlog 4096
    default_backend origin
backend origin
    server origin 127.0.0.1:{setup.target.port} {server if setup.target.tls else ""}
""")
        return ["haproxy", "-db", "-f", configuration]


class Nghttpx:
    name = "nghttpx"
    version_command = ["nghttpx", "--version"]

    def missing(self):
        return None if shutil.which("nghttpx") else "nghttpx"

    def prepare(self, setup):
        target = setup.target
        backend = f"127.0.0.1,{target.port};;proto={'h2' if target.h2 else 'http/1.1'}"
        if target.tls:
            backend += ";tls;sni=localhost"
        listen = f"127.0.0.1,{setup.port}" + ("" if setup.client_tls else ";no-tls")
        return ["nghttpx", "--conf=/dev/null", "--workers=1", f"--frontend={listen}", f"--backend={backend}",
                f"--cacert={setup.certificates.ca}", "--backlog=4096", "--errorlog-file=/dev/stderr", "--log-level=ERROR",
                "--tls-min-proto-version=TLSv1.3", "--tls13-ciphers=TLS_AES_128_GCM_SHA256",
                "--tls13-client-ciphers=TLS_AES_128_GCM_SHA256", "--ecdh-curves=X25519",
                setup.certificates.key, setup.certificates.certificate]


class H2O:
    name = "h2o"
    version_command = ["h2o", "--version"]

    def missing(self):
        return None if shutil.which("h2o") else "h2o"

    def prepare(self, setup):
        user = "user: root" if os.geteuid() == 0 else ""
        scheme = "https" if setup.target.tls else "http"
        configuration = setup.file("h2o.conf", f"""\
{user}
num-threads: 1
max-connections: 8000
error-log: /dev/stderr
http2-idle-timeout: 600
http2-max-concurrent-requests-per-connection: 128
listen:
  host: 127.0.0.1
  port: {setup.port}
  ssl:
    certificate-file: {setup.certificates.certificate}
    key-file: {setup.certificates.key}
    minimum-version: TLSv1.3
proxy.ssl.cafile: {setup.certificates.ca}
proxy.timeout.keepalive: 600000
proxy.preserve-host: ON
hosts:
  "*":
    paths:
      "/":
        proxy.reverse.url: "{scheme}://localhost:{setup.target.port}/"
""")
        return ["h2o", "--mode=worker", "--conf", configuration]


class Mitmdump:
    """With what `make setup-bench` installs, or the one of the machine."""

    name = "mitmdump"

    def __init__(self):
        self.binary = shutil.which("mitmdump", path=MITMPROXY) or "mitmdump"
        self.version_command = [self.binary, "--version"]

    def missing(self):
        return None if shutil.which(self.binary) else self.binary

    def prepare(self, setup):
        scheme = "https" if setup.target.tls else "http"
        return [self.binary, "--quiet", "--set", f"confdir={setup.file('conf')}", "--listen-host", "127.0.0.1",
                "--listen-port", str(setup.port), "--mode", f"reverse:{scheme}://localhost:{setup.target.port}",
                "--save-stream-file", setup.file("flows")]


class Shunt:
    name = "shunt"

    def __init__(self, binary, route=None, options=("--no-store",), large=None, log="off", more=(), trust=None):
        self.binary = os.path.abspath(binary)
        self.route = route or {}  # what else its one route says
        self.options = list(options)
        self.log = log
        self.more = list(more)  # routes that no request is for
        self.trust = trust  # rules beside that of its authority
        self.large = large  # what a second route says, for the large body
        self.version_command = [self.binary, "--version"]

    def missing(self):
        return None if os.access(self.binary, os.X_OK) else self.binary

    def prepare(self, setup):
        # What it recorded in an earlier turn.
        shutil.rmtree(setup.file(".shunt"), ignore_errors=True)
        scheme = "https" if setup.target.tls else "http"
        origin = f"{scheme}://localhost:{setup.target.port}"
        routes = [{"host": "*", "path": "/*", "origin": origin, **self.route}]
        routes += [route if "mock" in route or "push" in route else {"origin": origin, **route} for route in self.more]
        if self.large:
            routes.append({"host": "*", "path": "/large.json", "origin": origin, **self.large})
        setup.file("profiles/bench.json", json.dumps({
            "kind": "staging",
            "routes": routes,
            "certificateAuthorities": [setup.certificates.ca],
            **({"trust": self.trust} if self.trust else {}),
        }, indent=2))
        command = [self.binary, "serve", "--profiles", setup.file("profiles"), "--profile", "bench",
                   "--host", "127.0.0.1", "--port", str(setup.port),
                   "--admin-port", "0", "--workers", "1", "--log", self.log, "--ready-file", setup.file("ready.json"), *self.options]
        if setup.own_ca:
            return command + ["--certs", setup.file("certs")]
        return command + ["--cert", setup.certificates.certificate, "--key", setup.certificates.key]


class Before(Shunt):
    """Another binary of Shunt, with which a change is compared: it takes part where Shunt does."""

    name = "before"


class Setup:
    """What one proxy is to be in one measurement."""

    def __init__(self, workspace, certificates, peer, target, client_tls, own_ca, client_h2=False):
        self.workspace = workspace
        self.certificates = certificates
        self.target = target
        self.client_tls = client_tls
        self.client_h2 = client_h2
        self.own_ca = own_ca  # sign leaves with a CA of its own, where a peer can
        self.port = workspace.port()
        self.directory = workspace.directory(peer.name)

    def file(self, name, text=None):
        return self.workspace.file(os.path.join(self.directory, name), text)


def select(names, binary, before=None):
    known = {"shunt": lambda: Shunt(binary), "nginx": Nginx, "haproxy": HAProxy, "nghttpx": Nghttpx, "h2o": H2O,
             "mitmdump": Mitmdump}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BenchError(f"no such proxy: {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name]() for name in names] + ([Before(before)] if before else [])
