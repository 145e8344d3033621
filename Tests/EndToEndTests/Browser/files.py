#!/usr/bin/env python3
"""A headless Chromium looks at a site that Shunt serves from disk: a client-side router, and pages that reload.

usage: files.py DRIVER BROWSER URL FOLDER
Prints one line of JSON: what the pages showed.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.request

driver_path, browser, url, folder = sys.argv[1:]
driver = subprocess.Popen([driver_path, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True)
port = None
while port is None:
    line = driver.stdout.readline()
    if not line:
        sys.exit("chromedriver did not start")
    if "started successfully on port" in line:
        port = int(line.rstrip().rstrip(".").rsplit(" ", 1)[-1])
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(method, path, content=None):
    request = urllib.request.Request("http://127.0.0.1:%d%s" % (port, path), method=method,
                                     data=None if content is None else json.dumps(content).encode())
    try:
        return json.load(opener.open(request, timeout=60))["value"]
    except urllib.error.HTTPError as error:
        sys.exit("chromedriver: " + error.read().decode()[:2000])


def wait(text):
    """What the page shows once it shows this, or after ten seconds."""
    shown = None
    for _ in range(200):
        try:
            shown = call("POST", base + "/execute/sync",
                         {"script": "return document.body.innerText.trim()", "args": []})
        except SystemExit as error:
            # The page is just being loaded anew.
            shown = str(error)
        if shown == text:
            break
        time.sleep(0.05)
    return shown


try:
    session = call("POST", "/session", {"capabilities": {"alwaysMatch": {
        "browserName": "chrome", "goog:chromeOptions": {
            "binary": browser, "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                        "--no-proxy-server"]}}}})["sessionId"]
    base = "/session/" + session
    shown = []
    call("POST", base + "/url", {"url": url + "/app/users/7"})
    shown.append(wait("one /app/users/7"))
    pathlib.Path(folder, "app.js").write_text("document.body.append('two ' + location.pathname)")
    shown.append(wait("two /app/users/7"))
    pathlib.Path(folder, "index.html").write_text("<p>three</p>")
    shown.append(wait("three"))
    pathlib.Path(folder, "index.html").write_text("<body>four</body>")
    shown.append(wait("four"))
    print(json.dumps(shown))
finally:
    os.killpg(driver.pid, signal.SIGKILL)
