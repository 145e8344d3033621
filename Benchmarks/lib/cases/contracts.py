"""Contracts: 100,000 exchanges compared with a document, one as it is recorded, and a long document read."""

import json
import os
import re
import subprocess
import time

from .. import peers
from ..case import Case, Column, Target
from ..errors import BenchError

EXCHANGES = 100_000
CLIENTS = 10
RATE = 2000  # requests per second, of all clients together
ITEM = {"type": "object", "required": ["id", "name"], "additionalProperties": False, "properties": {
    "id": {"type": "integer", "minimum": 0}, "name": {"type": "string", "maxLength": 80},
    "price": {"type": "object", "properties": {"amount": {"type": "number"}, "currency": {"enum": ["EUR", "USD"]}}},
    "tags": {"type": "array", "items": {"type": "string", "maxLength": 20}}}}


def item(number):
    return {"id": number, "name": f"article {number}", "price": {"amount": number * 1.5, "currency": "EUR"},
            "tags": ["new", "sale"]}


def operation(schema):
    return {"responses": {"200": {"description": "one", "content": {"application/json": {"schema": schema}}}}}


def document(paths, schemas):
    return {"openapi": "3.0.3", "info": {"title": "bench", "version": "1"}, "paths": paths,
            "components": {"schemas": schemas}}


SHOP = document({"/v1/items/{id}": {
    "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
    "get": operation({"type": "array", "items": {"$ref": "#/components/schemas/Item"}})}}, {"Item": ITEM})


def long_document():
    """Some 2 MB, in which each operation has a schema of its own that refers to others, as GitHub's has."""
    schemas, paths = {}, {}
    for number in range(1500):
        properties = {f"member_{index}": {"type": ["string", "integer", "boolean"][index % 3],
                                          "description": "What the member is for, in the words of whoever wrote it."}
                      for index in range(8)}
        properties["other"] = {"$ref": f"#/components/schemas/thing-{(number * 7 + 1) % 1500}"}
        schemas[f"thing-{number}"] = {"type": "object", "required": ["member_0"], "properties": properties}
    for number in range(700):
        paths[f"/v1/group-{number % 40}/{{owner}}/things-{number}/{{id}}"] = {
            method: {"parameters": [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                                    for name in ("owner", "id")],
                     **operation({"$ref": f"#/components/schemas/thing-{number * 2}"})} for method in ("get", "delete")}
    return document(paths, schemas)


def archive(path, count):
    """Responses with 1 KB of JSON each."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"log":{"version":"1.2","entries":[')
        for number in range(count):
            body = json.dumps([item(number + index) for index in range(9)])
            file.write(("," if number else "") + json.dumps({
                "startedDateTime": "2026-05-01T10:00:00Z", "time": 1,
                "request": {"method": "GET", "url": f"https://api.shop.test/v1/items/{number}", "httpVersion": "HTTP/1.1",
                            "headers": [], "cookies": [], "queryString": []},
                "response": {"status": 200, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [],
                             "headers": [{"name": "Content-Type", "value": "application/json"}],
                             "content": {"mimeType": "application/json", "text": body}}, "timings": {}}))
        file.write("]}}")


def written(bench, name, value):
    return bench.workspace.file(name, json.dumps(value))


def compared(peer, *options):
    """Time and memory of one comparison that finds nothing."""
    start = time.monotonic()
    process = subprocess.Popen([peer.binary, "expect", *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise BenchError("shunt expect: " + errors[-300:])
    return {"s": time.monotonic() - start, "peak": usage.ru_maxrss / 1024}


def check(bench, peer):
    store = bench.workspace.file("contract.db")
    if not os.path.exists(store):
        har = bench.workspace.file("contract.har")
        archive(har, EXCHANGES)
        subprocess.run([peer.binary, "import", har, "--store", store], check=True, capture_output=True)
        os.unlink(har)
    return compared(peer, "--openapi", written(bench, "shop.json", SHOP), "--store", store)


def live(bench, peer):
    """A response of 10 KB from a mock, recorded with a contract and without, at a rate at which none is left out."""
    body = [item(number) for number in range(100)]
    contract = written(bench, "shop.json", SHOP)

    def cost(**more):
        route = {"path": "/v1/items/*", "mock": {"json": body}, **more}
        with bench.running(peers.Shunt(peer.binary, options=(), more=[route]), bench.origin.plain, False) as proxy:
            url, seconds = f"http://localhost:{proxy.port}/v1/items/7", round(bench.window)
            meter = proxy.meter()
            output = bench.workspace.run(
                ["h2load", "--h1", "-t1", f"-c{CLIENTS}", f"--rps={RATE // CLIENTS}", f"-D{seconds}", url],
                "h2load.log", seconds + 15)
            meter.stop()
            count = int(re.search(r"(\d+) succeeded", output).group(1))
            if count < RATE * seconds / 2:
                raise BenchError(f"h2load made {count} of {RATE * seconds} requests")
            return {"cpu": meter.cpu * 1e6 / count, "others": meter.others}

    plain, checked = cost(), cost(contract=contract)
    size = len(json.dumps(body, separators=(",", ":")))
    return {"us": (checked["cpu"] - plain["cpu"]) * 10_000 / size, "plain": plain["cpu"], "checked": checked["cpu"],
            "others": max(plain["others"], checked["others"])}


def read(bench, peer):
    har = bench.workspace.file("one.har")
    archive(har, 1)
    api = long_document()
    api["paths"] |= SHOP["paths"]
    api["components"]["schemas"] |= SHOP["components"]["schemas"]
    path = written(bench, "long.json", api)
    # The same in the block style of YAML, in which people write.
    yaml = bench.workspace.file("long.yaml", "\n".join(block(api)) + "\n")
    figures = compared(peer, "--openapi", path, "--har", har)
    return {"s": figures["s"], "yaml": compared(peer, "--openapi", yaml, "--har", har)["s"], "peak": figures["peak"],
            "mb": os.path.getsize(path) / 1e6}


def block(value, indent=""):
    """The lines of a value in YAML."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from entry(f"{indent}{json.dumps(key)}:", inner, indent)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from entry(f"{indent}-", inner, indent)
    else:
        yield indent + json.dumps(value)


def entry(start, value, indent):
    if value and isinstance(value, (dict, list)):
        yield start
        yield from block(value, indent + "  ")
    else:
        yield f"{start} {json.dumps(value)}"


CASES = [
    Case("contract", "`shunt expect --openapi` over 100,000 exchanges of a store", check,
         [Column("s", "s", 2), Column("peak", "peak MiB", 1)], [Target("s", 3), Target("peak", 150)], peers=("shunt",)),
    Case("contract-live", "a response of 10 KB that is recorded with a contract and without, 2,000 a second", live,
         [Column("us", "us per 10 KB", 1), Column("plain", "us/req without", 1), Column("checked", "us/req with", 1),
          Column("others", "others %")], [Target("us", 50)], peers=("shunt",)),
    Case("contract-document", "a document of some 2 MB read for one exchange, in JSON and YAML", read,
         [Column("s", "s JSON", 2), Column("yaml", "s YAML", 2), Column("peak", "peak MiB", 1), Column("mb", "MB", 1)],
         [Target("s", 1), Target("yaml", 1)], peers=("shunt",)),
]
