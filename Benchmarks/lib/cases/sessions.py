"""Sessions: CPU per request of one of 200 with 20 mocks each, beside the same request without any."""

import json
import os
import time
import urllib.request

from .. import request
from ..case import Case, Column, Target
from .throughput import MARGIN, latencies, steady, window, wrk

SESSIONS, MOCKS = 200, 20


def requests(bench, peer):
    """Both go to the origin, since what a session has no route for is the profile's."""
    alone, many = measured(bench, peer, 0), measured(bench, peer, SESSIONS)
    return {"ratio": many["cpu"] / alone["cpu"], "many": many["cpu"], "alone": alone["cpu"], "p50": many["p50"],
            "peak": many["peak"], "others": max(many["others"], alone["others"])}


def measured(bench, peer, count):
    with bench.running(peer, bench.origin.plain, False) as proxy:
        admin = record(os.path.join(bench.workspace.directory(peer.name), ".shunt", f"{proxy.port}.json"))
        sessions = [session(admin, number) for number in range(count)]
        fields = {"Shunt-Session": sessions[count // 2]} if sessions else {}
        url = f"http://localhost:{proxy.port}{request.PATH}"
        bench.workspace.run(wrk(url, 1, fields), "wrk.log", 15)
        load = steady(bench, url, round(bench.window + 2 * MARGIN), fields)
        metrics = window(bench, proxy) | {"peak": proxy.peak_mib()}
        return metrics | latencies(bench.workspace.finish(load, bench.window + 15), peer)


def record(path):
    """What a running Shunt writes of itself, which may be a moment after its first response."""
    end = time.monotonic() + 10
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.01)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def session(admin, number):
    """Starts a session with routes of its own, and gives its identifier."""
    started = ask(admin, "", {"name": f"test {number}"})["id"]
    routes = [{"path": f"/v1/{kind}/{mock}", "mock": {"json": {"session": number, "mock": mock}}}
              for mock in range(MOCKS // 2) for kind in ("cart", "articles")]
    ask(admin, f"/{started}/routes", routes)
    return started


def ask(admin, path, value):
    asked = urllib.request.Request(
        f"{admin['admin']}/v1/sessions{path}", data=json.dumps(value).encode(),
        headers={"Authorization": f"Bearer {admin['token']}", "Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(asked, timeout=60) as response:
        return json.load(response)


CASES = [
    Case("sessions", f"a request of one of {SESSIONS} sessions with {MOCKS} mocks each, and one without sessions, plain "
         "to plain", requests,
         [Column("ratio", "sessions / none", 3), Column("many", "sessions us/req", 1), Column("alone", "none us/req", 1),
          Column("p50", "p50 us"), Column("peak", "peak MiB", 1), Column("others", "others %")],
         [Target("ratio", 1.05)], peers=("shunt",)),
]
