#!/usr/bin/env python3
"""A headless Chromium looks at a site that Shunt serves from disk: a client-side router, and pages that reload.

usage: files.py DRIVER BROWSER URL FOLDER
Prints one line of JSON: what the pages showed.
"""
import json
import pathlib
import sys
import time

from chromium import Chromium, Gone

driver, program, url, folder = sys.argv[1:]


def wait(browser, text):
    """What the page shows once it shows this, or after ten seconds."""
    shown = None
    for _ in range(200):
        try:
            shown = browser.run("return document.body.innerText.trim()")
        except Gone as error:
            # The page is just being loaded anew.
            shown = str(error)
        if shown == text:
            break
        time.sleep(0.05)
    return shown


with Chromium(driver, program) as browser:
    shown = []
    browser.go(url + "/app/users/7")
    shown.append(wait(browser, "one /app/users/7"))
    pathlib.Path(folder, "app.js").write_text("document.body.append('two ' + location.pathname)")
    shown.append(wait(browser, "two /app/users/7"))
    pathlib.Path(folder, "index.html").write_text("<p>three</p>")
    shown.append(wait(browser, "three"))
    pathlib.Path(folder, "index.html").write_text("<body>four</body>")
    shown.append(wait(browser, "four"))
    print(json.dumps(shown))
