#!/usr/bin/env python3
"""Opens pages in a headless Chromium, and runs commands between them.

usage: steps.py JSON, with the members
  driver: chromedriver's path;  browser: Chromium's path;  authority: PEM file to be trusted
  hosts: the pattern of the hosts that are to be found at 127.0.0.1
  steps: a list of ["go", URL], which waits for the title "loaded", and ["run", COMMAND...]
"""
import json
import subprocess
import sys

from chromium import Chromium


def main():
    task = json.loads(sys.argv[1])
    rule = "--host-resolver-rules=MAP %s 127.0.0.1" % task["hosts"]
    with Chromium(task["driver"], task["browser"], [rule], task["authority"]) as browser:
        for step in task["steps"]:
            if step[0] == "run":
                subprocess.run(step[1:], check=True, stdout=subprocess.DEVNULL)
                continue
            browser.go(step[1])
            if not browser.wait_for("return document.title === 'loaded'"):
                sys.exit("%s did not load" % step[1])


main()
