"""A throw-away CA and one P-256 leaf for localhost, which all proxies and the origin use."""

import os
import subprocess

from .errors import BenchError

# What every client, the origin and the sink may speak. It is pinned at their end, so it holds for any proxy between
# them, whether or not that has a setting for it.
PINNED = """\
openssl_conf = conf
[conf]
ssl_conf = ssl
[ssl]
system_default = pinned
[pinned]
MinProtocol = TLSv1.3
Ciphersuites = TLS_AES_128_GCM_SHA256
Groups = X25519
"""

EXTENSIONS = """\
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
authorityKeyIdentifier = keyid
"""


class Certificates:
    def __init__(self, workspace):
        self.ca = workspace.file("tls/ca.pem")
        self.certificate = workspace.file("tls/leaf.pem")
        self.key = workspace.file("tls/leaf-key.pem")
        self.both = workspace.file("tls/leaf-and-key.pem")
        ca_key = workspace.file("tls/ca-key.pem")
        extensions = workspace.file("tls/extensions.cnf", EXTENSIONS)
        workspace.environment["OPENSSL_CONF"] = workspace.file("tls/pinned.cnf", PINNED)

        for key, request, name in [(ca_key, "ca.csr", "Shunt benchmark CA"), (self.key, "leaf.csr", "localhost")]:
            openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", key, "-out", workspace.file("tls/" + request), "-subj", "/CN=" + name)
        openssl("x509", "-req", "-in", workspace.file("tls/ca.csr"), "-signkey", ca_key, "-out", self.ca,
                "-days", "2", "-sha256", "-extfile", extensions, "-extensions", "ca")
        openssl("x509", "-req", "-in", workspace.file("tls/leaf.csr"), "-CA", self.ca, "-CAkey", ca_key,
                "-set_serial", "1", "-out", self.certificate, "-days", "2", "-sha256",
                "-extfile", extensions, "-extensions", "leaf")
        with open(self.both, "w", encoding="ascii") as both:
            for path in (self.certificate, self.key):
                with open(path, encoding="ascii") as part:
                    both.write(part.read())
        os.chmod(self.both, 0o600)


def openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, timeout=30, check=False)
    if done.returncode != 0:
        raise BenchError(f"openssl {arguments[0]} failed: {done.stderr.strip()}")
