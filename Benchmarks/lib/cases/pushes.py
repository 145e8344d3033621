"""Push notifications to a stand-in for APNs behind 20 ms of latency, by `shunt push` and by h2load, and requests of
h2load to an origin behind the same latency, on one connection of as many streams."""

import base64
import json
import os
import subprocess
import time

from .. import peers
from ..case import Case, Column, Target
from ..errors import BenchError

COUNT = 100_000
STREAMS = 128
TOPIC = "com.example.shop"
BODY = '{"aps":{"alert":"Hello"}}'


def measure(bench, peer):
    devices = bench.workspace.file("devices.txt", "".join(f"{number:064x}\n" for number in range(COUNT)))
    route = {"path": "/3/device/*", "push": {"environment": "mock", "topics": [TOPIC]}, "network": {"latency": "20ms"}}
    other = {"path": "/proxied", "network": {"latency": "20ms"}}
    variant = peers.Shunt(peer.binary, more=[route, other])
    with bench.running(variant, bench.origin.plain, False) as proxy:
        loaded = elapsed(bench, h2load(bench, proxy.port, f"/3/device/{'0a' * 32}"))[0]
        proxied = proxy.meter()
        elapsed(bench, h2load(bench, proxy.port, "/proxied"))
        proxied.stop()
        meter = proxy.meter()
        wall, peak = elapsed(bench, sender(bench, variant, proxy.port, devices))
        meter.stop()
    return {"times": wall / loaded, "rate": COUNT / wall, "cpu": meter.cpu / COUNT * 1e6,
            "ratio": meter.cpu / proxied.cpu, "peak": peak, "others": meter.others}


def sender(bench, variant, port, devices):
    profiles = os.path.join(bench.workspace.directory(variant.name), "profiles")
    return [variant.binary, "push", "--tokens", devices, "--topic", TOPIC, "--alert", "Hello", "--streams", str(STREAMS),
            "--port", str(port), "--profiles", os.path.join(bench.workspace.path, profiles)]


def h2load(bench, port, path):
    return ["h2load", "-t1", "-c1", f"-m{STREAMS}", f"-n{COUNT}", "-d", bench.workspace.file("push.json", BODY),
            "-H", f"authorization: bearer {token(bench)}", "-H", f"apns-topic: {TOPIC}", "-H", "apns-push-type: alert",
            f"http://127.0.0.1:{port}{path}"]


def token(bench):
    """A provider token, which the stand-in takes for an hour."""
    key = os.path.join(bench.workspace.path, "push.pem")
    if not os.path.exists(key):
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key],
                       check=True, capture_output=True)
    head = part(json.dumps({"alg": "ES256", "kid": "ABC123DEFG"}).encode())
    signed = head + "." + part(json.dumps({"iss": "TEAM567890", "iat": int(time.time())}).encode())
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=signed.encode(), check=True,
                         capture_output=True).stdout
    # Two integers of ASN.1, whose lengths vary; a token has 32 bytes of each.
    first = der[4:4 + der[3]]
    second = der[6 + der[3]:]
    return signed + "." + part(b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (first, second)))


def part(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def elapsed(bench, command):
    """Seconds on the load's core, and peak memory in MiB."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, {bench.workspace.load_core}))
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    if process.returncode != 0 or command[0] == "h2load" and f"{COUNT} 2xx" not in output:
        raise BenchError(f"{command[0]} ended with {process.returncode}:\n{output[-800:]}")
    return seconds, usage.ru_maxrss / 1024


CASES = [
    Case("push", f"{COUNT:,} pushes to a stand-in behind 20 ms, one connection of {STREAMS} streams", measure,
         [Column("times", "times h2load", 2), Column("rate", "pushes/s"), Column("cpu", "CPU us/push", 1),
          Column("ratio", "push / proxied", 2), Column("peak", "peak MiB", 1), Column("others", "others %")],
         [Target("times", 1.3), Target("rate", 5000, at_least=True), Target("ratio", 1.2), Target("peak", 40)],
         peers=("shunt",), is_usual=False, tools=("h2load", "openssl")),
]
