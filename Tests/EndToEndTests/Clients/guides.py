"""Follows one guide from its first line to its last, as its reader would: writes its files, runs its commands.

usage: guides.py SHUNT GUIDE [URL=NAME...], in an empty folder; a server that responds with NAME takes the place of URL

- A block below `<!-- file: PATH -->` is written to that file.
- `sh` blocks are run line by line; a line that ends in `\\` goes on. Each has to end with status 0.
- Of `console` blocks the lines behind `$ ` are run, and what stands below has to be printed, in this order; `…` stands
  for any lines. Ports, times of day and durations may differ.
- Profiles that `shunt init` writes get these free ports, too.
- A block below `<!-- not run: REASON -->` is left out; every other block has to be one of these.

All runs in one bash. Ports of the guide become free ones. Prints a line of JSON: commands, files, marked, wrong.
"""
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

shunt, guide = sys.argv[1], pathlib.Path(sys.argv[2])
PORTS = ("4884", "4886", "3000", "3001")
BLOCK = re.compile(r"(?:^<!-- (?P<mark>not run|file): (?P<what>.*?) -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$",
                   re.M | re.S)
wrong, count, marked, files = [], 0, 0, 0


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


ports = {port: free_port() for port in PORTS}


class Named(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"from": self.server.name}).encode() + b"\n"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


servers = {}
for url, name in (argument.rsplit("=", 1) for argument in sys.argv[3:]):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Named)
    server.name = name
    threading.Thread(target=server.serve_forever, daemon=True).start()
    servers[url] = f"http://localhost:{server.server_port}"


def with_ports(text):
    for url, real in servers.items():
        text = text.replace(url, real)
    return re.sub(r"(?<!\d)(" + "|".join(PORTS) + r")(?!\d)", lambda found: ports[found[0]], text)


def plain(line):
    """A line without what differs from run to run."""
    for url, real in servers.items():
        line = line.replace(real, url)
    for own, real in ports.items():
        line = re.sub(rf"(?<!\d){real}(?!\d)", own, line)
    line = re.sub(r"(localhost|127\.0\.0\.1):\d{4,5}(?!\d)", r"\1:PORT", line)
    line = re.sub(r"\d\d:\d\d:\d\d\.\d{3}", "TIME", line)
    line = re.sub(r"(?<![\w.])\d+(\.\d+)? ?(ms|s|m)\b", "SPAN", line)
    return re.sub(r" +", " ", line).rstrip()


# Being ended is no reason to leave anything behind. Tests may start this with signals blocked.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
shell = subprocess.Popen(
    ["bash", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1,
    start_new_session=True,
    env={"PATH": str(pathlib.Path(shunt).parent) + ":" + os.environ["PATH"], "HOME": os.getcwd(), "NO_COLOR": "1",
         "TMPDIR": os.getcwd(), "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1"})


def run(command):
    """Status and lines of one command."""
    shell.stdin.write(f"{{ {command}\n}} </dev/null 2>&1; printf '\\n@@done %d\\n' $?\n")
    shell.stdin.flush()
    lines = []
    for line in shell.stdout:
        if line.startswith("@@done "):
            return int(line.split()[1]), [line for line in lines if line.strip()]
        lines.append(line.rstrip("\n"))
    return -1, lines


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", int(port)), 1).close()
        return True
    except OSError:
        return False


def check(command, shown):
    global count
    count += 1
    real = with_ports(command)
    real = re.sub(r"\bshunt serve\b", f"shunt serve --port {ports['4884']} --admin-port 0 --pages-port {ports['4886']}",
                  real)
    if real.endswith("&"):
        # What it prints while it runs is not the next command's.
        status, lines = run(f"{{ {real[:-1]}; }} >background.{count} 2>&1 &")
        awaited = ports["4884"] if "shunt serve" in command else next(
            (port for port in ports.values() if re.search(rf"(?<!\d){port}(?!\d)", real)), None)
        # Commands find a Shunt by its file, which is written when all its ports listen.
        record = pathlib.Path(f".shunt/{awaited}.json") if "shunt serve" in command else None
        until = time.monotonic() + 60
        while awaited and not (record.exists() if record else is_open(awaited)):
            if time.monotonic() > until:
                return wrong.append(f"{command}: nothing listens: " + pathlib.Path(f"background.{count}").read_text())
            time.sleep(0.02)
    else:
        status, lines = run(real)
    if command.startswith("shunt init"):
        # The example has ports of its own.
        for profile in pathlib.Path("Profiles").glob("*.json"):
            profile.write_text(with_ports(profile.read_text()))
    if status != 0:
        wrong.append(f"{command}: status {status}: " + " / ".join(lines[-6:]))
    rest = [plain(line) for line in lines]
    for line in shown:
        if line.strip() in ("…", ""):
            continue
        if plain(line) not in rest:
            return wrong.append(f"{command} does not print “{line}”, but: " + " / ".join(lines))
        rest = rest[rest.index(plain(line)) + 1:]


def commands(kind, text):
    """Each command of a block, with the lines shown below it."""
    found, joined = [], text.replace("\\\n", " ")
    for line in joined.splitlines():
        if kind == "console" and line.startswith("$ "):
            found.append((line[2:], []))
        elif kind == "console" and found:
            found[-1][1].append(line)
        elif kind == "sh" and line.strip() and not line.startswith("#"):
            found.append((line, []))
    return found


try:
    for block in BLOCK.finditer(guide.read_text()):
        place = guide.read_text()[:block.start("kind")].count("\n") + 1
        if block["mark"] == "not run":
            marked += 1
        elif block["mark"] == "file":
            files += 1
            path = pathlib.Path(block["what"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(with_ports(block["text"]))
        elif block["kind"] in ("sh", "console") and commands(block["kind"], block["text"]):
            for command, shown in commands(block["kind"], block["text"]):
                check(command, shown)
        else:
            wrong.append(f"line {place}: nothing in the block is run or written; say why: <!-- not run: REASON -->")
finally:
    # The shell leads a group with all that it has started.
    os.killpg(shell.pid, signal.SIGTERM)
    try:
        shell.wait(20)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(shell.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
print(json.dumps({"commands": count, "files": files, "marked": marked, "wrong": wrong}))
