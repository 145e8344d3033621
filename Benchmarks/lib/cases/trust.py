"""What trust costs: many rules, policies that pin keys, and certificates for names that are new."""

import subprocess

from .. import peers
from ..case import Case, Column, Target
from .rewriting import requests
from .throughput import MARGIN, latencies, steady, window

RULES = 1_000
NAMES = 10_000
KEPT = 1_000  # leaves that Shunt keeps


def rules(bench, peer):
    table = {f"*.s{n}.shop.test" if n % 2 else f"h{n}.shop.test": "default" for n in range(RULES - 1)}
    many = requests(bench, peers.Shunt(peer.binary, trust={**table, "localhost": "default"}), bench.origin.tls, True, "/")
    one = requests(bench, peers.Shunt(peer.binary, trust={"localhost": "default"}), bench.origin.tls, True, "/")
    return {"ratio": many["cpu"] / one["cpu"], "many": many["cpu"], "one": one["cpu"],
            "others": max(many["others"], one["others"])}


def pin(certificate):
    """As rules write it."""
    command = "openssl x509 -in \"$0\" -pubkey -noout | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | base64"
    output = subprocess.run(["sh", "-c", command, certificate], check=True, capture_output=True, text=True).stdout
    return f"sha256/{output.strip()}"


def handshakes(bench, peer):
    """A connection to the origin for every request, none of them resumed."""
    keys = {"policy": "publicKeys", "keys": [pin(bench.certificates.certificate)]}
    policies = {"default": "default", "keys": keys,
                "composite": {"policy": "composite", "evaluators": [{"policy": "default"}, keys]}}
    cpu, others = {}, 0
    for name, policy in policies.items():
        with bench.running(peers.Shunt(peer.binary, trust={"localhost": policy}), bench.origin.fresh, False) as proxy:
            load = steady(bench, f"http://localhost:{proxy.port}/", round(bench.window + 2 * MARGIN))
            metrics = window(bench, proxy)
            latencies(bench.workspace.finish(load, bench.window + 15), peer)
            cpu[name], others = metrics["cpu"], max(others, metrics["others"])
    return {"keysratio": cpu["keys"] / cpu["default"], "compositeratio": cpu["composite"] / cpu["default"], **cpu,
            "others": others}


def leaves(bench, peer):
    """Handshakes of clients, each for a name that was never seen."""
    with bench.running(peer, bench.origin.plain, True, own_ca=True) as proxy:
        def ask(first, count):
            bench.client.ask("names", proxy.port, first, count, timeout=60 + count / 100, blame=proxy.process)
        ask(0, KEPT)
        kept = proxy.resident_kib()
        meter = proxy.meter()
        ask(KEPT, NAMES - KEPT)
        meter.stop()
        return {"cpu": meter.cpu * 1e3 / (NAMES - KEPT), "rate": (NAMES - KEPT) / meter.seconds,
                "growth": (proxy.resident_kib() - kept) / 1024, "peak": proxy.peak_mib(), "others": meter.others}


CASES = [
    Case("trust-rules", "requests with 1,000 trust rules and with one, TLS to TLS", rules,
         [Column("ratio", "many / one", 3), Column("many", "many us/req", 1), Column("one", "one us/req", 1),
          Column("others", "others %")], [Target("ratio", 1.03)], peers=("shunt",)),
    Case("trust-policies", "a full handshake with the origin per request, by policy", handshakes,
         [Column("keysratio", "keys / default", 3), Column("compositeratio", "composite / default", 3),
          Column("default", "default us", 1), Column("keys", "keys us", 1), Column("composite", "composite us", 1),
          Column("others", "others %")],
         [Target("keysratio", 1.1), Target("compositeratio", 1.1)], peers=("shunt",)),
    Case("new-names", "full handshakes for 10,000 names, each with a new certificate", leaves,
         [Column("cpu", "CPU ms/conn", 3), Column("rate", "conn/s"), Column("growth", "more MiB", 1),
          Column("peak", "peak MiB", 1), Column("others", "others %")],
         [Target("cpu", 3), Target("growth", 10)], peers=("shunt",)),
]
