#!/usr/bin/env python3
"""Lets a page of a stranger's host, whose name leads to this machine, ask Shunt for what it can.

usage: rebinding.py JSON, with the members
  driver: chromedriver's path;  browser: Chromium's path;  authority: PEM file to be trusted
  port: Shunt's;  hosts: the hosts to be found at 127.0.0.1
Prints one line of JSON: by URL, what the page showed and what its scripts got.
"""
import json
import sys

from chromium import Chromium

ASK = """
const done = arguments[arguments.length - 1];
const ask = (path, options) => fetch(path, options).then(async r => r.status + " " + await r.text(), e => String(e));
Promise.all([
  ask("/api"), ask("/api", {headers: {"Shunt-Profile": "staging"}}), ask("/api", {headers: {"Shunt-Profile": "x"}}),
  ask("/api", {method: "DELETE"}), ask("/__shunt/proxy.pac"),
]).then(done);
"""


def main():
    task = json.loads(sys.argv[1])
    rules = "--host-resolver-rules=" + ", ".join("MAP %s 127.0.0.1" % host for host in task["hosts"])
    shown = {}
    with Chromium(task["driver"], task["browser"], [rules], task["authority"]) as browser:
        for host in task["hosts"]:
            for scheme in ["http", "https"]:
                url = "%s://%s:%d/" % (scheme, host, task["port"])
                browser.go(url)
                seen = browser.session("POST", "/execute/async", {"script": ASK, "args": []})
                shown["%s://%s" % (scheme, host)] = [browser.run("return document.body.innerText")] + seen
    print(json.dumps(shown))


main()
