#!/usr/bin/env python3
"""Pairs a headless Chromium as a user does, and then lets the scripts of a proxied page try to choose for it.

usage: attack_pages.py JSON, with the members
  driver: chromedriver's path;  browser: Chromium's path;  authority: PEM file of an authority to be trusted
  site: the proxied page's URL without a path;  pages: that of the pages for devices
  code: one that pairs a device
Prints one line of JSON: "chosen", the profile after each button that was pressed by hand; "attacks", of each its name
with the profile that the device had afterwards and what the script got to see; "routes", who responded below the paths
for which cookies were planted; "cookies", those that scripts see; "shown", the title of the pages at the end.
"""
import json
import sys
import time

from chromium import Chromium, Gone

task = json.loads(sys.argv[1])
site, pages = task["site"], task["pages"]

# In all of them `use` is where a form is to go, and `body` what it is to carry.
SUBMIT = """
const form = document.createElement("form");
form.method = "post"; form.action = use; %s
for (const [name, value] of new URLSearchParams(body)) {
  const input = document.createElement("input");
  input.name = name; input.value = value; form.append(input);
}
document.body.append(form); %s
"""
FRAME = """
const frame = document.createElement("iframe");
frame.name = "f"; frame.hidden = true; %s
document.body.append(frame);
const over = new Promise(done => frame.addEventListener("load", done, {once: true}));
%s
await Promise.race([over, new Promise(done => setTimeout(done, 1000))]);
let seen = ""; try { seen = frame.contentDocument.body.innerText } catch (e) { seen = e.name }
return seen;
"""
ATTACKS = {
    "form.submit()": SUBMIT % ("", "form.submit();"),
    "form.requestSubmit()": SUBMIT % ("", "form.requestSubmit();"),
    "click() on a button": SUBMIT % (
        "", 'const b = document.createElement("button"); form.append(b); b.click();'),
    "form in a hidden frame": FRAME % ("", SUBMIT % ('form.target = "f";', "form.submit();")),
    "form in a sandboxed frame": FRAME % (
        'frame.sandbox = "allow-scripts allow-forms allow-same-origin";', SUBMIT % ('form.target = "f";', "form.submit();")),
    "form of a blob": FRAME % ("", 'frame.src = URL.createObjectURL(new Blob([`<form method=post action=${use}>'
                               '<input name=profile value=production></form><script>document.forms[0].submit()</script>`],'
                               '{type: "text/html"}));'),
    "form of srcdoc": FRAME % ("", 'frame.srcdoc = `<form method=post action=${use}>'
                               '<input name=profile value=production></form><script>document.forms[0].submit()</script>`;'),
    "fetch": """return (await fetch(use, {method: "POST", credentials: "include", mode: "no-cors",
        headers: {"Content-Type": "application/x-www-form-urlencoded"}, body})).type""",
    "fetch with CORS": """return await fetch(use, {method: "POST", credentials: "include",
        headers: {"Content-Type": "application/x-www-form-urlencoded"}, body})
        .then(r => r.text().then(t => t.includes("production") ? t : "nothing"), e => e.name)""",
    "fetch that outlives its page": """fetch(use, {method: "POST", credentials: "include", mode: "no-cors",
        keepalive: true, body: new URLSearchParams(body)}); return "" """,
    "XMLHttpRequest": """return await new Promise(done => { const x = new XMLHttpRequest(); x.open("POST", use);
        x.withCredentials = true; x.onloadend = () => done(String(x.status)); x.send(new URLSearchParams(body)) })""",
    "sendBeacon": """return String(navigator.sendBeacon(use, new URLSearchParams(body)))""",
    "sendBeacon without a referrer": """const meta = document.createElement("meta"); meta.name = "referrer";
        meta.content = "no-referrer"; document.head.append(meta);
        return String(navigator.sendBeacon(use, new URLSearchParams(body)))""",
    "a form that the site redirects": (SUBMIT % ("", "form.submit();")).replace("= use;", '= "/redirect";'),
    "fetch that the site redirects": """return await fetch("/redirect", {method: "POST", credentials: "include",
        mode: "no-cors", body: new URLSearchParams(body)}).then(r => r.type, e => e.name)""",
    "window.open and click()": """const w = open(home, "w"); await new Promise(done => setTimeout(done, 500));
        let seen = ""; try { for (const b of w.document.querySelectorAll("button")) b.click(); seen = w.document.title }
        catch (e) { seen = e.name }
        return seen""",
    "form in an opened window": """open(home, "w"); """ + SUBMIT % ('form.target = "w";', "form.submit();"),
    "read the page": """return await fetch(home, {credentials: "include"})
        .then(r => r.text().then(t => t.includes("key") ? t : "nothing"), e => e.name)""",
    "read the status": """return await fetch(home + "status.json", {credentials: "include"})
        .then(r => r.text().then(t => t.includes("device") ? t : "nothing"), e => e.name)""",
    "the page in a frame": FRAME % ("frame.src = home;", ""),
    "a service worker": """if (!navigator.serviceWorker) return "none";
        await navigator.serviceWorker.register("/worker.js", {scope: "/"}); await navigator.serviceWorker.ready;
        return "registered" """,
    "form.submit() under a service worker": SUBMIT % ("", "form.submit();"),
}
ALSO_TO_THE_PROXY = ["form.submit()", "form in a hidden frame", "fetch", "sendBeacon"]

with Chromium(task["driver"], task["browser"], ["--disable-popup-blocking"], task["authority"],
              timeouts={"script": 20000}) as browser:
    def press(selector):
        element = browser.session("POST", "/element", {"using": "css selector", "value": selector})
        # A page that has just appeared takes no clicks.
        browser.wait_for("return getComputedStyle(document.querySelector(arguments[0])).pointerEvents !== 'none'", selector)
        browser.session("POST", "/element/%s/click" % next(iter(element.values())), {})
        # The page behind the form is another one.
        for _ in range(400):
            try:
                browser.session("GET", "/element/%s/name" % next(iter(element.values())))
            except Gone:
                return
            time.sleep(0.01)
        sys.exit("nothing came of pressing " + selector)

    def source():
        return browser.session("GET", "/source")

    def text(url):
        browser.go(url)
        return browser.run("return document.body.innerText")

    def profile():
        return json.loads(text(pages + "/status.json"))["profile"]

    def attack(script, target, key):
        """Runs it until it says what it saw, or until its page was left for another."""
        arguments = [target, "profile=production&key=" + key, pages + "/"]
        browser.run("""
            const [use, body, home] = arguments;
            (async () => { %s })().then(
              seen => setTimeout(() => window.seen = seen ?? "", 250), e => window.seen = String(e))""" % script,
                *arguments)
        for _ in range(200):
            try:
                seen = browser.run("return window.seen !== undefined ? window.seen : location.pathname !== '/' ? 'left' : null")
            except Gone:
                seen = "left"
            if seen is not None:
                return seen
            time.sleep(0.02)
        return "no end"

    def second_click():
        """Of a double click on a page that goes to the pages at the first one; the second is where their button is."""
        browser.go(pages + "/")
        place = browser.run("""const box = document.querySelector("button[value=production]").getBoundingClientRect();
            return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]""")
        browser.go(site + "/")
        browser.run("onmousedown = () => { location = arguments[0] }".replace("arguments[0]", json.dumps(pages + "/")))
        click = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        browser.session("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": place[0], "y": place[1]}, *click,
            {"type": "pause", "duration": 300}, *click]}]})
        return browser.run("return location.href")

    first = browser.session("GET", "/window")

    def close_others():
        for window in browser.session("GET", "/window/handles"):
            if window != first:
                browser.session("POST", "/window", {"handle": window})
                browser.session("DELETE", "/window")
        browser.session("POST", "/window", {"handle": first})

    browser.go(pages + "/pair?code=" + task["code"])
    press("button.go")
    chosen = []
    for name in ["production", "staging"]:
        press("button[value=%s]" % name)
        chosen.append(profile())
        browser.go(pages + "/")
    # Scripts cannot read it, see "read the page"; here they know it, so that nothing but their origin betrays them.
    browser.go(pages + "/")
    key = browser.run("return document.querySelector('input[name=key]').value")
    # A cookie is sent before others when its path is longer.
    browser.go(site + "/v1/")
    cookies = browser.run("""
        for (const path of ["/v1", "/", "/use"]) {
          document.cookie = "shunt-device=bad; path=" + path;
          document.cookie = "shunt-device=" + "0".repeat(32) + "; path=" + path + "/; max-age=9999";
        }
        document.cookie = "shunt-device; path=/v1";
        return document.cookie""")
    routes = [browser.session("POST", "/execute/async", {"args": [path], "script":
              "const [path, done] = arguments; fetch(path).then(r => r.text()).then(done, e => done(String(e)))"})
              for path in ["/v1/who", "/who"]]
    results = []
    for name, script in ATTACKS.items():
        for target in [pages + "/use"] + ["/__shunt/use"] * (name in ALSO_TO_THE_PROXY):
            browser.go(site + "/")
            seen = attack(script, target, key)
            close_others()
            results.append({"attack": name, "target": target, "seen": seen, "profile": profile()})
    seen = second_click()
    results.append({"attack": "the second click of two", "target": pages, "seen": seen, "profile": profile()})
    browser.go(pages + "/")
    shown = browser.session("GET", "/title")
    press("button[value=local]")
    chosen.append(profile())
    print(json.dumps({"chosen": chosen, "attacks": results, "routes": routes, "cookies": cookies, "shown": shown}))
