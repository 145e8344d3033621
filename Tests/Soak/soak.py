#!/usr/bin/env python3
"""All features at once for a long time: six profiles, clients and origins of every kind, and changes every few seconds.

usage: Tests/Soak/soak.py PROGRAM SECONDS [SEED [STORE]]      STORE: file (the default), sealed or postgres

Each request has a number, and client and origin write down what they sent and got. In the end both must agree, and the
log, the store, the recording and the metrics must say the same; Shunt's memory must not have grown.
"""
import asyncio
import json
import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

# Nothing is left beside the sources.
sys.dont_write_bytecode = True

from clients import Clients
from database import Database
from ledger import Ledger
from origins import Origin

NAMES = ["local", "staging", "secure", "chain", "edits", "production"]
CLEARED = re.compile(r"/echo/[0-9]*77$")


class Soak:
    def __init__(self, program, seconds, seed, store, folder):
        self.program, self.seconds, self.folder = str(pathlib.Path(program).resolve()), seconds, pathlib.Path(folder)
        self.random, self.seed, self.ledger = random.Random(seed), seed, Ledger()
        self.edits, self.acts, self.resident = 0, 0, []
        self.store, self.environment = store, os.environ | {"SHUNT_IDENTITY": str(self.folder / "key.txt")}
        self.database = Database(self.folder) if store == "postgres" else None

    def make_certificate(self):
        files = [str(self.folder / name) for name in ("origin.pem", "origin-key.pem")]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]],
            check=True, capture_output=True)
        return files

    def write_profiles(self):
        mock = {"name": "mocked", "path": "/mock/*", "mock": {"text": "mocked"}}
        secure = {"path": "/grpc/*", "origin": self.secure.url}
        extra = {"path": f"/unused/{self.edits}", "mock": {"text": "x" * self.edits}}
        trust = {"certificateAuthorities": ["../origin.pem"]}
        profiles = {
            "local": {"kind": "local", **trust, "routes": [mock, secure, extra, {"origin": self.one.url}]},
            "staging": {"kind": "staging", **trust, "routes": [
                mock, secure, {"origin": self.two.url, "offline": {"maxSize": "1MB"}}]},
            "secure": {"kind": "local", **trust, "routes": [mock, {"origin": self.secure.url}]},
            "chain": {"kind": "local", **trust, "network": {"latency": "4ms"}, "routes": [
                mock, secure, {"origin": [self.one.url, self.two.url]}]},
            "edits": {"kind": "local", **trust, "routes": [
                mock, secure, {"path": "/echo/*", "origin": self.one.url, "cors": True,
                               "request": {"headers": {"set": {"X-Edited": str(self.edits)}}},
                               "response": {"headers": {"set": {"X-Edited": "yes"}}}},
                {"origin": self.two.url}]},
            "production": {"kind": "production", **trust, "routes": [
                {"path": "/grpc/*", "origin": self.guarded_secure.url}, {"origin": self.guarded.url}]},
        }
        for name, profile in profiles.items():
            path = self.folder / "Profiles" / f"{name}.json"
            text = json.dumps(profile)
            if not path.exists() or path.read_text() != text:
                # As editors do.
                new = path.with_suffix(".new")
                new.write_text(text)
                new.rename(path)

    async def tool(self, *words, status=(0,)):
        process = await asyncio.create_subprocess_exec(
            self.program, *words, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        output, errors = await process.communicate()
        if process.returncode not in status:
            self.ledger.fail(f"shunt {' '.join(words)}: status {process.returncode}: {errors.decode()[:500]}")
        return output.decode()

    # MARK: what changes

    async def act(self):
        """One change, drawn by the seed."""
        self.acts += 1
        draw = self.random.randrange(14)
        if draw < 4:
            await self.tool("use", self.random.choice(NAMES))
        elif draw == 4:
            await self.tool("network", self.random.choice(["lte", "3g", "metro"]), "--for", "2s")
        elif draw == 5:
            with self.ledger.disturbance():
                await self.tool("offline", "on")
                await asyncio.sleep(self.random.random())
                await self.tool("offline", "off")
        elif draw == 6:
            self.edits += 1
            self.write_profiles()
        elif draw == 7:
            await self.tool("mocks", self.random.choice(["off", "on"]), "mocked", "--profile", "local")
        elif draw == 8:
            await self.tool("unlock", "production", "--for", "3s", "--reason", "soak")
        elif draw == 9:
            await self.tool("lock", "production")
        elif draw == 10:
            await self.random.choice([self.one, self.two, self.secure]).restart(self.random.random())
        elif draw == 11 and self.store == "sealed":
            await self.tool("keys", *self.random.choice([["unlock", "--for", "5s"], ["lock"]]))
        elif draw == 11 and self.database and self.random.random() < 0.5:
            await self.database.stop()
            await asyncio.sleep(self.random.random())
            await self.database.start()
        elif draw == 11:
            await self.tool("clear", "--yes", "~u /echo/[0-9]*77$")
        elif draw == 12:
            json.loads(await self.tool("export", "--har", "~c 200 & ~u '/echo/[0-9]*0$'"))
        else:
            await self.tool(*self.random.choice([
                ["logs", "-n", "200", "~bq x | ~bs responds"], ["stats"], ["status", "--json"], ["devices"],
                ["reload"], ["validate"]]))

    async def change(self):
        while time.monotonic() < self.until:
            await self.act()
            await asyncio.sleep(self.random.uniform(0.2, min(4, self.seconds / 8)))

    async def measure(self):
        while time.monotonic() < self.until:
            if self.process.returncode is not None:
                return self.ledger.fail(f"Shunt has ended with status {self.process.returncode}")
            try:
                status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
                self.resident.append(int(re.search(r"VmRSS:\s+(\d+)", status)[1]))
            except OSError:
                pass
            await asyncio.sleep(1)

    # MARK: a run

    async def options(self):
        """How Shunt gets its store."""
        if self.store == "sealed":
            return ["--seal-window", "8m", "--seal-to", (await self.tool("keys", "new", "key.txt")).strip()]
        if self.database:
            self.database.make()
            await self.database.start()
            return ["--record", "soak", "--store", self.database.address, "--store-spill", "spill.db"]
        return ["--record", "soak"]

    async def run(self):
        (self.folder / "Profiles").mkdir()
        certificate = self.make_certificate()
        self.one, self.two, self.guarded = (Origin(name, self.ledger) for name in ("one", "two", "guarded"))
        self.secure, self.guarded_secure = (
            Origin(name, self.ledger, certificate) for name in ("secure", "guarded-secure"))
        for origin in (self.one, self.two, self.guarded, self.secure, self.guarded_secure):
            await origin.start()
        self.write_profiles()
        options = await self.options()
        errors = open(self.folder / "log", "wb")
        self.process = await asyncio.create_subprocess_exec(
            self.program, "serve", "--port", "0", "--admin-port", "0", "--ready-file", "ready.json", "--certs", "certs",
            "--workers", "2", "--log", "json", "--metrics", "--trace", "--store-size", "16g", *options,
            cwd=self.folder, stdout=errors, stderr=errors)
        try:
            return await self.attend()
        finally:
            if self.process.returncode is None:
                self.process.kill()
            if self.database:
                await self.database.stop()

    async def attend(self):
        for _ in range(600):
            if (self.folder / "ready.json").exists() or self.process.returncode is not None:
                break
            await asyncio.sleep(0.1)
        ready = json.loads((self.folder / "ready.json").read_text())
        self.until = time.monotonic() + self.seconds
        clients = Clients(ready["port"], str(self.folder / "certs/ca.pem"), self.ledger, self.until, self.seed)
        await asyncio.gather(clients.run(), self.change(), self.measure())
        if self.process.returncode is not None:
            return self.report([])
        # What clients have left comes to its end.
        metrics = await self.settled(ready["admin"])
        stored = {}
        for line in (await self.tool("logs", "--json", "-n", "100000000")).splitlines():
            facts = json.loads(line)
            stored[facts["id"]] = facts
        self.process.send_signal(signal.SIGTERM)
        status = await asyncio.wait_for(self.process.wait(), 60)
        if status != 0:
            self.ledger.fail(f"Shunt ended with status {status}")
        self.ledger.check()
        log = self.check_log(stored)
        self.check_store(log, stored)
        if self.store != "sealed":
            self.check_recording(log)
        if metrics != len(log):
            self.ledger.fail(f"the metrics count {metrics} exchanges, the log has {len(log)}")
        self.check_memory()
        return self.report(log)

    async def settled(self, admin):
        """The number of exchanges, once it does not change any more."""
        token = (self.folder / ".shunt/metrics-token").read_text().strip()
        request = urllib.request.Request(f"{admin}/metrics", headers={"Authorization": f"Bearer {token}"})
        last, same = -1, 0
        while same < 5:
            text = await asyncio.to_thread(lambda: urllib.request.urlopen(request).read().decode())
            count = sum(
                int(float(line.rsplit(" ", 1)[1])) for line in text.splitlines()
                if line.startswith("shunt_exchanges_total"))
            same, last = same + 1 if count == last else 0, count
            await asyncio.sleep(0.5)
        return last

    # MARK: what has to agree

    def check_log(self, stored):
        ids = {facts["url"]: number for number, facts in stored.items()}
        # What was cleared is in the recording still.
        ids |= {entry["request"]["url"]: entry["_id"] for entry in self.recorded()}
        log = {}
        for line in (self.folder / "log").read_text(errors="replace").splitlines():
            try:
                facts = json.loads(line)
            except ValueError:
                self.ledger.fail(f"no JSON in the log: {line[:300]}")
                continue
            if facts.get("id") is None and facts.get("url") in ids:
                # While the database was away an exchange had no number.
                facts["id"] = ids[facts["url"]]
            if facts.get("id") is None:
                if facts.get("event") in ("error", "warning"):
                    self.ledger.fail(f"the log says: {line[:300]}")
                continue
            if facts["id"] in log:
                self.ledger.fail(f"twice in the log: {line[:300]}")
            log[facts["id"]] = facts
        by_number = {}
        for facts in log.values():
            found = re.search(r"/(\d+)$", facts["url"])
            if found and int(found[1]) in by_number:
                self.ledger.fail(f"request {found[1]} is twice in the log")
            by_number[int(found[1]) if found else -1] = facts
        for number, (status, length) in self.ledger.responses.items():
            facts = by_number.get(number)
            if not facts:
                self.ledger.fail(f"{number}: its response came, and it is not in the log")
            elif facts["status"] != status or facts["bytes"]["response"] != length:
                self.ledger.fail(f"{number}: {status} with {length} bytes came, the log says {facts}")
        return log

    def check_store(self, log, stored):
        for number, facts in log.items():
            if number not in stored:
                if not CLEARED.search(facts["url"]):
                    self.ledger.fail(f"exchange {number} is in the log and not in the store: {facts['url']}")
                continue
            # A store of several nodes says which one it was, too.
            differing = {key for key in facts if facts[key] != stored[number].get(key)}
            if differing:
                self.ledger.fail(f"exchange {number} differs in log and store in {differing}: {facts} {stored[number]}")
        for number in stored.keys() - log.keys():
            self.ledger.fail(f"exchange {number} is in the store and not in the log: {stored[number]}")

    def recorded(self):
        """The entries of the recording; none beside a sealed store, which has none."""
        path = self.folder / "Recordings/soak.har"
        return json.loads(path.read_text())["log"]["entries"] if path.exists() else []

    def check_recording(self, log):
        entries = self.recorded()
        recorded = {entry["_id"]: entry for entry in entries}
        if len(recorded) != len(entries):
            self.ledger.fail("exchanges are twice in the recording")
        for number, facts in log.items():
            entry = recorded.pop(number, None)
            if not entry and facts["status"] is None:
                # Without a response it cannot be replayed.
                continue
            if not entry:
                self.ledger.fail(f"exchange {number} is in the log and not in the recording: {facts}")
            elif (entry["request"]["url"], entry["response"]["status"]) != (facts["url"], facts["status"]):
                self.ledger.fail(f"exchange {number} differs in log and recording: {facts}")
        for number in recorded:
            self.ledger.fail(f"exchange {number} is in the recording and not in the log")

    def check_memory(self):
        """The first minutes fill caches; what grows behind them, grows for ever."""
        count = len(self.resident)
        if count < 300:
            return
        early = statistics.median(self.resident[count // 3:count // 2])
        late = statistics.median(self.resident[-count // 6:])
        if late > early * 1.15 + 8192:
            self.ledger.fail(f"memory grew from {early} to {late} KiB")

    def report(self, log):
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.ledger.counts.items(), key=str))
        print(f"soak: seed {self.seed}, {self.store}, {self.ledger.last} requests, {len(log)} exchanges in the log, "
              f"{self.acts} changes: {kinds}")
        if self.resident:
            print(f"soak: memory in KiB: {self.resident[::max(1, len(self.resident) // 12)]}")
        wrong = self.ledger.wrong
        print(f"soak: {len(wrong)} wrong" if wrong else "soak: all agree")
        return 1 if wrong else 0


def main():
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    store = sys.argv[4] if len(sys.argv) > 4 else "file"
    with tempfile.TemporaryDirectory(prefix="shunt-soak-") as folder:
        return asyncio.run(Soak(sys.argv[1], float(sys.argv[2]), seed, store, folder).run())


sys.exit(main())
