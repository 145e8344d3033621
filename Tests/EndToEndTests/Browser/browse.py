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
import subprocess
import sys
import time

from chromium import Chromium

task = json.loads(sys.argv[1])
with Chromium(task["driver"], task["browser"], ["--host-resolver-rules=MAP %s 127.0.0.1" % task["hosts"]],
              task["authority"]) as browser:
    def shown():
        """What the page says once its script has come to an end."""
        for _ in range(200):
            state = browser.run("""const me = document.getElementById("me"), user = document.getElementById("user");
                return me && me.textContent !== "..." ? {
                    environment: document.getElementById("environment").textContent, user: user.textContent,
                    me: me.textContent, url: location.href, cookies: document.cookie} : null""")
            if state:
                return state
            time.sleep(0.05)
        return {"source": browser.session("GET", "/source")[:2000], "url": browser.session("GET", "/url")}

    results = []
    browser.go(task["page"])
    for step in task["steps"]:
        if step[0] == "run":
            subprocess.run(step[1:], check=True, stdout=subprocess.DEVNULL)
        elif step[0] == "show":
            browser.go(task["page"])
            results.append(shown())
        else:
            shown()
            browser.run("""document.getElementById("name").value = "%s"; document.getElementById("me").id = "old";
                document.getElementById("login").click()""" % step[1])
            results.append(shown())
    print(json.dumps({"results": results, "console": browser.console()}))
