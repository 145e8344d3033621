#!/usr/bin/env python3
"""Opens a page that `shunt export --html` wrote in a headless Chromium, from disk.

usage: shared_page.py JSON, with the members
  driver: chromedriver's path;  browser: Chromium's path;  axe: the script of axe-core;  page: the file
  count: of the exchanges in it;  link: the number of one;  shots: a folder for screenshots
Prints one line of JSON, "problems": a list that is empty if all is well.
"""
import json
import os
import sys

from chromium import Chromium

task = json.loads(sys.argv[1])
problems = []


def expect(what, found):
    if not found:
        problems.append(what)


AXE = """const done = arguments[0]; axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})
    .then(result => done(result.violations.map(found => found.id + ' ' + found.nodes[0].html.slice(0, 200))))"""
FIND = """const field = document.getElementById('find'); field.value = arguments[0];
    field.dispatchEvent(new Event('input', {bubbles: true}))"""
SHOWN = "[...document.querySelectorAll('main > details:not([hidden])')].map(one => one.id)"

with Chromium(task["driver"], task["browser"]) as browser:
    browser.go("file://" + task["page"] + "#x%d" % task["link"])
    expect("a link opens its exchange", browser.wait_for(
        "const open = document.querySelectorAll('details[open]'); return open.length === 1 && open[0].id === arguments[0]",
        "x%d" % task["link"]))
    expect("each exchange has a row", browser.run("return document.querySelectorAll('main > details').length") == task["count"])
    expect("hostile text is text", browser.run("return window.harmed === undefined && !document.querySelector('main script, main iframe')"))
    browser.run(FIND, "body %d <" % task["link"])
    expect("the search finds one", browser.wait_for("const shown = %s; return shown.length === 1 && shown[0] === arguments[0]" % SHOWN,
                                                    "x%d" % task["link"]))
    browser.run(FIND, "")
    expect("without words all are shown", browser.wait_for("return %s.length === arguments[0]" % SHOWN, task["count"]))
    browser.run("dispatchEvent(new Event('beforeprint'))")
    opened = browser.run("return document.querySelectorAll('details[open]').length")
    expect("what is printed is open", opened == (task["count"] if task["count"] <= 300 else 1))
    browser.run("dispatchEvent(new Event('afterprint'))")
    if task["axe"]:
        with open(task["axe"], encoding="utf-8") as file:
            axe = file.read()
        for width, scheme in [(390, "dark"), (1440, "light")]:
            browser.size(width, 900)
            browser.prefer(prefers_color_scheme=scheme)
            # The page's policy has no say about what WebDriver runs.
            browser.run(axe)
            found = browser.session("POST", "/execute/async", {"args": [], "script": AXE})
            expect("at %d: %s" % (width, found), not found)
            expect("at %d nothing is wider than the page" % width,
                   browser.run("return document.documentElement.scrollWidth <= innerWidth"))
            browser.screenshot(os.path.join(task["shots"], "shared-%d.png" % width))
    console = browser.console()
    expect("console: %s" % console, not console)
print(json.dumps({"problems": problems}))
