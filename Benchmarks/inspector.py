#!/usr/bin/env python3
"""Measures the inspector in a headless Chromium: first paint, many rows, live traffic, filters, a large body.

usage: Benchmarks/inspector.py SHUNT [SECONDS] [MITMWEB]
  SHUNT: the binary;  SECONDS: of live traffic, 60 by default
  MITMWEB: mitmweb in a virtual environment; the same number of flows is looked at in it, in the same browser
Needs chromium, chromedriver and h2load. Prints one line for each figure.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
import zlib

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "Tests/EndToEndTests/Browser"))
sys.dont_write_bytecode = True

from chromium import Chromium  # noqa: E402
from shunt_project import Project, Responses  # noqa: E402

shunt = os.path.abspath(sys.argv[1])
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 60
MITMWEB = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
ROWS = 100_000
# Pairs in which the CPU of Shunt is compared, and the seconds of each half.
TURNS, TURN = 6, 8
RECORD = """window.frames_ = []; let last = performance.now(); window.recording = true;
    const step = now => { frames_.push(now - last); last = now; if (recording) requestAnimationFrame(step); };
    requestAnimationFrame(step);"""
RATES = "recording = false; return frames_.slice(2).sort((a, b) => a - b)"


def tell(name, value, target=""):
    print("%-52s %14s  %s" % (name, value, target), flush=True)


def slowest(frames):
    """Frames per second of the slowest twentieth."""
    return 1000 / frames[int(len(frames) * 0.95)] if frames else 0


def cpu(process):
    """Seconds that the threads of a process have used, to the nanosecond."""
    tasks = pathlib.Path("/proc/%d/task" % process.pid).glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def generator(project, *options):
    """Sends requests to the mocks below /v1/load/."""
    urls = pathlib.Path(project.folder.name, "urls")
    urls.write_text("".join("http://127.0.0.1:%d/v1/load/%d\n" % (project.port, number) for number in range(500)))
    return subprocess.Popen(["h2load", "--h1", "-c", "4", "-t", "1", *options, "-i", str(urls)],
                            stdout=subprocess.DEVNULL)


def load(project, seconds):
    """A thousand requests a second."""
    return generator(project, "--rps", "250", "-n", str(seconds * 1000))


def scripts():
    files = (root / "Sources/Admin/Inspector/Web").glob("*.js")
    return sum(len(zlib.compress(path.read_bytes(), 9)) for path in files)


def first_paint(browser, project):
    paints, ready = [], []
    for _ in range(7):
        browser.go("about:blank")
        browser.go(project.site + "/")
        browser.wait_for("return document.querySelectorAll('.rows .row:not([hidden])').length > 10")
        paint, interactive = browser.run("""return [performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
            performance.getEntriesByName('interactive')[0]?.startTime]""")
        paints.append(paint or 0)
        ready.append(browser.run("return performance.getEntriesByName('filtered')[0].startTime"))
    tell("first paint, %d exchanges in the store" % ROWS, "%.0f ms" % statistics.median(paints), "target 200 ms")
    tell("interactive, with rows", "%.0f ms" % statistics.median(ready), "target 400 ms")


def filters(browser):
    for text in ["~c 5xx", "~d api.shop", "~m GET & ~u /load/7$", "load/42", "~slow 1s"]:
        times = []
        for _ in range(5):
            times.append(browser.session("POST", "/execute/async", {"args": [text], "script": """
                const [text, done] = arguments, input = document.querySelector('.filter input');
                performance.clearMarks('filtered');
                const start = performance.now();
                input.value = text;
                input.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
                const look = () => performance.getEntriesByName('filtered').length
                    ? requestAnimationFrame(() => done(performance.now() - start)) : setTimeout(look, 1);
                look();"""}))
        tell("filter %s" % text, "%.0f ms" % statistics.median(times), "target 200 ms")
    browser.run("""const input = document.querySelector('.filter input'); input.value = '';
        input.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))""")
    time.sleep(1)


def many_rows(browser, project):
    # A busy machine may have lost some.
    rows = min(ROWS, project.api("/v1/traffic/stats?limit=1")["total"]["count"])
    start = time.monotonic()
    browser.run("""window.loading = setInterval(() => { document.querySelector('.list').scrollTop = 0 }, 5)""")
    browser.wait_for("return Number(document.querySelector('.list').getAttribute('aria-rowcount')) >= %d" % rows, seconds=120)
    browser.run("clearInterval(loading)")
    tell("all %d rows loaded by scrolling up" % rows, "%.1f s" % (time.monotonic() - start))
    tell("scrolling through them, slowest twentieth", "%.0f fps" % slowest(scrolled(browser, ".list")), "target 60 fps")


def scrolled(browser, selector):
    """The frames while the whole list passes in five seconds."""
    browser.run(RECORD)
    browser.session("POST", "/execute/async", {"args": [selector], "script": """
        const done = arguments[1], scroller = document.querySelector(arguments[0]), start = performance.now();
        const step = now => { scroller.scrollTop = (now - start) / 5000 * scroller.scrollHeight * .9;
            if (now - start < 5000) requestAnimationFrame(step); else done(true); };
        requestAnimationFrame(step);"""})
    return browser.run(RATES)


def heap(browser):
    browser.protocol("HeapProfiler.collectGarbage")
    return browser.run("return performance.memory.usedJSHeapSize") / 1e6


def live(browser, project):
    browser.run("document.querySelector('.tail').click()")
    time.sleep(1)
    heaps = [heap(browser)]
    browser.run(RECORD)
    running = load(project, SECONDS)
    while running.poll() is None:
        time.sleep(SECONDS / 4)
        heaps.append(heap(browser))
    time.sleep(2)
    frames = browser.run(RATES)
    newest = project.api("/v1/traffic?limit=1")["exchanges"][0]["id"]
    caught = browser.wait_for("return document.querySelector('.row:not([hidden]):last-child, #x%d') && "
                              "!!document.getElementById('x%d')" % (newest, newest), seconds=10)
    tell("1000 exchanges a second for %d s, slowest twentieth" % SECONDS, "%.0f fps" % slowest(frames), "target 30 fps")
    tell("the newest is listed at the end", "yes" if caught else "no")
    tell("heap before, meanwhile and after", " ".join("%.0f" % value for value in heaps) + " MB", "flat after the limit")


def used(project):
    """The share of a core that Shunt takes at a thousand exchanges a second."""
    running = load(project, TURN + 3)
    time.sleep(1.5)
    before, start = cpu(project.process), time.monotonic()
    time.sleep(TURN)
    share = (cpu(project.process) - before) / (time.monotonic() - start)
    running.wait()
    return share


def page_cost(browser, project):
    """Shunt without the page and with it, by turns."""
    pairs = []
    for number in range(TURNS):
        pair = [0, 0]
        # Each comes first as often.
        for is_open in [number % 2, 1 - number % 2]:
            browser.go(project.site + "/" if is_open else "about:blank")
            if is_open:
                browser.wait_for("return document.querySelectorAll('.rows .row:not([hidden])').length > 10")
            pair[is_open] = used(project)
        pairs.append(pair)
    tell("CPU of Shunt, alone and beside the page", "%.1f %% %.1f %%" % tuple(
        100 * statistics.median(pair[is_open] for pair in pairs) for is_open in [0, 1]),
        "%.2f times; target 1.15; each pair: %s" % (statistics.median(pair[1] / pair[0] for pair in pairs),
                                                    " ".join("%.2f" % (pair[1] / pair[0]) for pair in pairs)))


def large_body(browser, project):
    project.send("/v1/cart/large")
    project.recorded_path("/v1/cart/large")
    number = project.api("/v1/traffic?limit=1")["exchanges"][0]["id"]
    browser.go("about:blank")
    browser.go(project.site + "/")
    browser.wait_for("return document.querySelectorAll('.rows .row:not([hidden])').length > 10")
    browser.run("localStorage.setItem('shunt-inspector', '{\"tab\": \"response\"}')")
    browser.go("about:blank")
    browser.go(project.site + "/")
    browser.wait_for("return document.querySelectorAll('.rows .row:not([hidden])').length > 10")
    # Not as an asynchronous script: chromedriver ends one when the page's address changes.
    browser.run("""const start = performance.now(); let last = start; window.opening = { pause: 0 };
        location.hash = '#/exchange/' + arguments[0];
        const look = () => { const now = performance.now(); opening.pause = Math.max(opening.pause, now - last); last = now;
            if (document.querySelector('.tree .key')) opening.length = now - start; else setTimeout(look, 1); };
        look();""", number)
    browser.wait_for("return window.opening.length", seconds=60)
    length, pause = browser.run("return [opening.length, opening.pause]")
    tell("a JSON body of 20 MB as a tree", "%.0f ms" % length, "target 1 s")
    tell("longest pause of the page meanwhile", "%.0f ms" % pause)


FLOWS = """
import sys
from mitmproxy import io
from mitmproxy.test import tflow
with open(sys.argv[1], "wb") as file:
    writer = io.FlowWriter(file)
    for number in range(int(sys.argv[2])):
        flow = tflow.tflow(resp=True)
        flow.request.host, flow.request.path = "api.shop.test", "/v1/load/%d" % (number % 500)
        flow.response.status_code = 200 if number % 20 else 500
        writer.add(flow)
"""


def mitmweb(folder, count):
    """The same figures of mitmweb, with so many flows from a file; false where its page shows none of them."""
    flows = os.path.join(folder, "flows")
    python = os.path.join(os.path.dirname(MITMWEB), "python")
    subprocess.run([python, "-c", FLOWS, flows, str(count)], check=True)
    output = pathlib.Path(folder, "mitmweb")
    with open(output, "w", encoding="utf-8") as file:
        process = subprocess.Popen([MITMWEB, "-r", flows, "-n", "--no-web-open-browser", "--web-port", "8097",
                                    "--set", "web_password=bench"], stdout=file, stderr=subprocess.STDOUT)
    try:
        while "listening at" not in output.read_text():
            time.sleep(0.1)
        address = output.read_text().split("listening at ")[1].split()[0].split("?")[0].rstrip("/") + "/?token=bench"
        time.sleep(30)
        with chromium() as browser:
            look_at(browser, address, "mitmweb with %d flows: " % count)
        return True
    except TimeoutError:
        tell("mitmweb with %d flows: first rows" % count, "none in 120 s")
        return False
    finally:
        process.kill()
        process.wait()


def look_at(browser, address, name):
    rows, times = "document.querySelectorAll('.flow-table tbody tr')", []
    for _ in range(3):
        browser.go("about:blank")
        browser.go(address)
        browser.wait_for("return %s.length > 3 && (window.seen ??= performance.now())" % rows, seconds=120)
        times.append(browser.run("return window.seen"))
    tell(name + "first rows", "%.0f ms" % statistics.median(times))
    filtered = browser.session("POST", "/execute/async", {"args": [], "script": """
        const done = arguments[0], input = document.querySelector('input[placeholder=Search]'), start = performance.now();
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '~c 500');
        input.dispatchEvent(new Event('input', {bubbles: true}));
        const look = () => [...%s].slice(0, 10).every(row => !row.innerText || /500/.test(row.innerText))
            ? requestAnimationFrame(() => done(performance.now() - start)) : setTimeout(look, 1);
        setTimeout(look, 1);""" % rows})
    tell(name + "filter ~c 500", "%.0f ms" % filtered)
    tell(name + "heap", "%.0f MB" % heap(browser))
    browser.go("about:blank")
    browser.go(address)
    browser.wait_for("return %s.length > 3" % rows, seconds=120)
    tell(name + "scrolling, slowest twentieth", "%.0f fps" % slowest(scrolled(browser, ".flow-table")))


class Large(Responses):
    """Adds a body of 20 MB."""
    body = json.dumps({"items": [{"number": number, "name": "Thing %d" % number, "tags": ["new", "sale"], "price": 12.5}
                                 for number in range(270_000)]}).encode()

    def respond(self):
        if not self.path.endswith("/large"):
            return super().respond()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        # At once it could be more than the store's queue takes, which drops what it has no room for.
        for start in range(0, len(self.body), 1 << 20):
            self.wfile.write(self.body[start:start + (1 << 20)])
            time.sleep(0.03)

    do_GET = respond


def chromium():
    return Chromium(shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("google-chrome"),
                    ["--window-size=1280,800", "--enable-precise-memory-info"], timeouts={"script": 300_000})


def main():
    tell("scripts, compressed", "%.0f KB" % (scripts() / 1000), "target 150 KB")
    with Project(shunt, ["--log", "off", "--store-body", "32m"]) as project:
        project.local.RequestHandlerClass = Large
        project.stop()
        local = pathlib.Path(project.folder.name, "Profiles/local.json")
        profile = json.loads(local.read_text())
        profile["routes"].append({"path": "/v1/load/*", "mock": {"json": {"banner": None}}})
        local.write_text(json.dumps(profile))
        project.start()
        generator(project, "-n", str(ROWS)).wait()
        time.sleep(3)
        with chromium() as browser:
            browser.go(project.link())
            browser.wait_for("return document.querySelectorAll('.rows .row:not([hidden])').length > 10")
            first_paint(browser, project)
            filters(browser)
            many_rows(browser, project)
            live(browser, project)
            page_cost(browser, project)
            large_body(browser, project)
        if MITMWEB:
            any(mitmweb(project.folder.name, count) for count in (ROWS, ROWS // 10))


main()
