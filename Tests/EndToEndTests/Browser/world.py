#!/usr/bin/env python3
"""What a page can tell apart, in one browser: uploads that are refused, a switch of environments, files, the inspector.

usage: world.py BROWSER SHUNT [CASE...]; BROWSER is chromium, firefox or webkit
Prints one line of JSON for each case: "case", "ok", and "saw" where it is not as expected.
"""
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from chromium import Chromium
from firefox import Firefox
from shunt_project import Origin, Project, Responses
from webkit import WebKit

kind, shunt, *wanted = sys.argv[1:]
CASES = []
SIZE = 8 << 20


def case(function):
    CASES.append(function)
    return function


class Environment(Responses):
    """Pages that tell their environment, and may be stored; early responses to uploads."""

    def respond(self):
        name, path = self.server.name, self.path.split("?")[0]
        if path == "/early":
            # Without a look at the body, as servers refuse who is not logged in.
            self.close_connection = True
            return self.send(401, "text/plain", "log in")
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if path == "/moved" and name == "staging":
            return self.send(301, "text/plain", "", {"Location": "/arrived"})
        if path == "/login":
            return self.send(200, "text/html", "<title>in</title>", {"Set-Cookie": "user=%s; Path=/" % name})
        if path == "/script.js":
            return self.send(200, "text/javascript", "document.title = %s" % json.dumps(name),
                             {"Cache-Control": "max-age=600"})
        if path == "/scripted":
            return self.send(200, "text/html", "<body><script src=/script.js></script>", {"Cache-Control": "no-store"})
        if path == "/dated":
            # Local's page is older than what the browser has of staging.
            modified = "Tue, 10 Nov 2026 00:00:00 GMT" if name == "staging" else "Mon, 09 Nov 2026 00:00:00 GMT"
            if name == "local" and self.headers.get("If-Modified-Since"):
                return self.send(304, None, "", {"Last-Modified": modified})
            return self.send(200, "text/html", "<title>%s</title>" % name, {"Last-Modified": modified})
        text = "<!doctype html><title>%s</title><p id=path>%s<p id=cookie>%s" % (name, path, self.headers.get("Cookie") or "")
        self.send(200, "text/html", text)

    do_GET = do_POST = do_PUT = respond

    def send(self, status, media_type, text, fields={}):
        self.send_response(status)
        for field, value in fields.items():
            self.send_header(field, value)
        if media_type:
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


class World(Project):
    def profiles(self):
        self.local, self.staging = Origin("local", Environment), Origin("staging", Environment)
        site = pathlib.Path(self.folder.name, "site")
        site.mkdir(exist_ok=True)
        (site / "index.html").write_text("<!doctype html><link rel=stylesheet href=style.css><p id=box>text")
        (site / "style.css").write_text("#box { width: 100px }")
        pathlib.Path(self.folder.name, "Profiles/bridge.json").write_text(json.dumps({
            "webkit": {"session": {"template": True, "reply": {"token": "t-{{message.user}}"}}},
            "prompt": {"bank://version": {"reply": "7.2"}}}))
        files = {"files": "../site", "reload": True, "cacheControl": {"*.css": "max-age=600"}}

        def profile(origin):
            paths = ("/moved", "/arrived", "/scripted", "/script.js", "/dated", "/early", "/login", "/who")
            return {"kind": origin.name, "cookieJar": True, "routes": [
                *({"path": path, "origin": origin.url} for path in paths),
                {"path": "/upload", "mock": {"status": 201, "text": "taken"}},
                {"path": "/dead", "origin": "http://127.0.0.1:9"},
                {"path": "/guarded", "origin": "http://127.0.0.1:10"},
                {"path": "/files/*", **files}, {"path": "/kept/*", **files, "cache": "as-is"},
                {"path": "/hybrid", "origin": origin.url, "bridge": "bridge.json"}]}
        return {"local": profile(self.local), "staging": profile(self.staging),
                "production": {"kind": "production", "routes": [{"host": "shop.test", "origin": "http://127.0.0.1:10"}]}}

    def use(self, name):
        self.command("use", name)

    def page(self, path, secure=True):
        return "http%s://localhost:%d%s" % ("s" if secure else "", self.port, path)


UPLOAD = """const done = arguments[arguments.length - 1], body = new Blob([new Uint8Array(arguments[1])]);
    if (arguments[2]) {
        fetch(arguments[0], {method: "POST", body}).then(r => r.text().then(() => done(r.status)), e => done(0));
    } else {
        const request = new XMLHttpRequest();
        request.open("POST", arguments[0]);
        request.onloadend = () => done(request.status);
        request.send(body);
    }"""
UPLOADS = {"/upload": 201, "/none": 404, "/guarded": 403, "/dead": 502, "/early": 401, "/files/": 405}


def uploads(browser, world, secure):
    world.use("local")
    browser.go(world.page("/who", secure))
    return {"%s by %s" % (path, "fetch" if fetch else "XHR"): status for fetch in (True, False)
            for path, right in UPLOADS.items()
            if (status := browser.run_async(UPLOAD, path, SIZE, fetch)) != right}


@case
def uploads_of_8_MB_see_the_status(browser, world):
    return uploads(browser, world, True)


@case
def uploads_in_plain_text_see_the_status(browser, world):
    return uploads(browser, world, False)


def seen(browser, world, path):
    browser.go(world.page(path))
    return browser.run("return document.title + ' ' + (document.getElementById('path')?.textContent ?? '')").strip()


def over_a_switch(browser, world, path, before, after):
    world.use("staging")
    found = [seen(browser, world, path) for _ in range(2)]
    world.use("local")
    found += [seen(browser, world, path) for _ in range(2)]
    world.use("staging")
    found.append(seen(browser, world, path))
    return None if found == [before, before, after, after, before] else found


@case
def a_permanent_redirect_does_not_outlive_its_environment(browser, world):
    return over_a_switch(browser, world, "/moved", "staging /arrived", "local /moved")


@case
def a_script_with_max_age_does_not_outlive_its_environment(browser, world):
    return over_a_switch(browser, world, "/scripted", "staging", "local")


@case
def a_304_of_one_environment_shows_no_page_of_another(browser, world):
    return over_a_switch(browser, world, "/dated", "staging", "local")


@case
def logins_are_kept_apart(browser, world):
    def cookie():
        browser.go(world.page("/who"))
        return browser.run("return document.getElementById('cookie').textContent + '|' + document.cookie")
    found = []
    for name, logs_in in (("staging", True), ("local", False), ("local", True), ("staging", False), ("local", False)):
        world.use(name)
        if logs_in:
            browser.go(world.page("/login"))
        found.append(cookie())
    right = ["user=staging|user=staging", "|", "user=local|user=local", "user=staging|user=staging",
             "user=local|user=local"]
    return None if found == right else found


def reloads(browser, world, place):
    style = pathlib.Path(world.folder.name, "site/style.css")
    style.write_text("#box { width: 100px }")
    browser.go(world.page(place))
    width = "return document.getElementById('box')?.offsetWidth === arguments[0]"
    if not browser.wait_for(width, 100, seconds=20):
        return "the first style is not there"
    style.write_text("#box { width: 200px; height: 5px }")
    if not browser.wait_for(width, 200, seconds=20):
        return browser.run("return [document.getElementById('box').offsetWidth, location.href]")
    return None


@case
def a_changed_style_is_shown(browser, world):
    return reloads(browser, world, "/files/")


@case
def a_changed_style_that_may_be_stored_is_shown(browser, world):
    return reloads(browser, world, "/kept/")


@case
def calls_of_a_bridge_are_replied_to(browser, world):
    browser.go(world.page("/hybrid"))
    found = browser.run_async("""const done = arguments[arguments.length - 1];
        webkit.messageHandlers.session.postMessage({user: "ann"}).then(
            reply => done([reply, prompt("bank://version")]), error => done(String(error)))""")
    return None if found == [{"token": "t-ann"}, "7.2"] else found


@case
def the_inspector_loads_and_lists(browser, world):
    world.send("/who", host="localhost")
    browser.go(world.link())
    listed = "return [...document.querySelectorAll('.rows .row:not([hidden])')].some(row => row.innerText.includes(%s))"
    if not browser.wait_for(listed % "'/who'", seconds=30):
        return browser.run("return document.body.innerText.slice(0, 500)")
    world.send("/who?live", host="localhost")
    if not browser.wait_for(listed % "'/who?live'", seconds=30):
        return "no new exchange is listed"
    browser.run("location.hash = '#/exchange/' + arguments[0]", world.api("/v1/traffic?limit=1")["exchanges"][0]["id"])
    if not browser.wait_for("return (document.querySelector('.detail .content')?.innerText ?? '') !== ''", seconds=30):
        return "no exchange is shown"
    return None


def open_browser(world):
    def install(home):
        subprocess.run([shunt, "trust", "install", "--store", "nss", "--certs", world.folder.name + "/certs"], check=True,
                       cwd=world.folder.name, env=dict(os.environ, HOME=home), stdout=subprocess.DEVNULL)
    if kind == "firefox":
        return Firefox(shutil.which("firefox-esr") or shutil.which("firefox"), prepare=install)
    if kind == "webkit":
        return WebKit(shutil.which("WebKitWebDriver"), glob.glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")[0])
    return Chromium(shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("google-chrome"),
                    authority=world.folder.name + "/certs/ca.pem")


with World(shunt, ["--certs", "certs"]) as world, open_browser(world) as browser:
    for function in CASES:
        if wanted and function.__name__ not in wanted:
            continue
        start = time.monotonic()
        saw = function(browser, world)
        print(json.dumps({"case": function.__name__.replace("_", " "), "ok": not saw, "saw": json.dumps(saw),
                          "seconds": round(time.monotonic() - start, 1)}), flush=True)
