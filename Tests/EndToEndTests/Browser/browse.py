#!/usr/bin/env python3
"""Drives a headless Chromium through chromedriver as a user would go about the sample app.

usage: browse.py JSON, with the members
  driver: chromedriver's path;  browser: Chromium's path
  page: the URL to open;  authority: PEM file of the one authority to be trusted besides the usual ones
  hosts: the pattern of the hosts that are to be found at 127.0.0.1
  steps: a list of ["login", USER], ["show"], ["run", COMMAND...]
Prints one line of JSON: what each "login" and "show" showed, and the console's messages.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

task = json.loads(sys.argv[1])
home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
certificates = "sql:" + home.name + "/.pki/nssdb"
os.makedirs(home.name + "/.pki/nssdb")
subprocess.run(["certutil", "-d", certificates, "-N", "--empty-password"], check=True)
subprocess.run(["certutil", "-d", certificates, "-A", "-t", "C,,", "-n", "shunt", "-i", task["authority"]], check=True)
driver = subprocess.Popen([task["driver"], "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, HOME=home.name), start_new_session=True)
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


try:
    session = call("POST", "/session", {"capabilities": {"alwaysMatch": {
        "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": {
            "binary": task["browser"],
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
                     "--host-resolver-rules=MAP %s 127.0.0.1" % task["hosts"]]}}}})["sessionId"]
    base = "/session/" + session

    def script(text):
        return call("POST", base + "/execute/sync", {"script": text, "args": []})

    def shown():
        """What the page says once its script has come to an end."""
        for _ in range(200):
            state = script("""const me = document.getElementById("me"), user = document.getElementById("user");
                return me && me.textContent !== "..." ? {
                    environment: document.getElementById("environment").textContent, user: user.textContent,
                    me: me.textContent, url: location.href, cookies: document.cookie} : null""")
            if state:
                return state
            time.sleep(0.05)
        return {"source": call("GET", base + "/source")[:2000], "url": call("GET", base + "/url")}

    results = []
    call("POST", base + "/url", {"url": task["page"]})
    for step in task["steps"]:
        if step[0] == "run":
            subprocess.run(step[1:], check=True, stdout=subprocess.DEVNULL)
        elif step[0] == "show":
            call("POST", base + "/url", {"url": task["page"]})
            results.append(shown())
        else:
            shown()
            script("""document.getElementById("name").value = "%s"; document.getElementById("me").id = "old";
                document.getElementById("login").click()""" % step[1])
            results.append(shown())
    console = [entry["message"] for entry in call("POST", base + "/se/log", {"type": "browser"})]
    print(json.dumps({"results": results, "console": console}))
    call("DELETE", base)
finally:
    # With all browsers of its own. SIGTERM may be blocked by whoever runs this.
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    home.cleanup()
