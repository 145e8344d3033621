#!/usr/bin/env python3
"""Uses the inspector in a headless Chromium as a developer does, and as those who attack it.

usage: inspector.py JSON, with the members
  shunt: the binary;  driver: chromedriver's path;  browser: Chromium's path
  shots: a folder for screenshots, or null;  axe: the script of axe-core
Prints one line of JSON for each case: "case", and "problems", a list that is empty if all is well.
"""
import http.client
import json
import os
import pathlib
import sys
import threading
import time

from chromium import Chromium, Gone
from shunt_project import BIG, HOSTILE, LONG, Origin, Project, SelfSigned

task = json.loads(sys.argv[1])
CASES, EXTENDED = [], set()
ENTER, ESCAPE, DOWN = "\ue007", "\ue00c", "\ue015"
ROWS = "[...document.querySelectorAll('.rows .row:not([hidden])')]"
PANE = "(document.querySelector('.detail .content')?.innerText ?? '')"
# What tells most where something is not seen.
SEEN = "(document.querySelector('dialog[open]') ?? document.querySelector('.detail:not([hidden])') ?? document.body).innerText.slice(-600)"


def case(function):
    CASES.append(function)
    return function


def extended(function):
    """A case that runs only when it is asked for."""
    EXTENDED.add(function.__name__)
    return case(function)


TYPE = """const input = document.querySelector('.filter input'); input.focus(); input.value = arguments[0];
    input.setSelectionRange(99, 99); input.dispatchEvent(new Event('input', {bubbles: true}));"""


class Look:
    """A page that is looked at, and what is wrong with it."""

    def __init__(self, browser, project):
        self.browser, self.project, self.problems = browser, project, []

    def expect(self, what, found):
        if not found:
            self.problems.append(what)

    def sees(self, what, script, *arguments, seconds=60):
        if not self.browser.wait_for("return " + script, *arguments, seconds=seconds):
            self.problems.append("%s; the page has %r" % (what, self.browser.run("return " + SEEN)))

    def open(self, path="/"):
        self.browser.go("about:blank")
        self.browser.go(self.project.site + path)
        self.sees("the page is there", "!!document.querySelector('.bar .segment')")

    def told(self, what, condition):
        """What Shunt or a file says soon."""
        ends = time.monotonic() + 60
        while not condition() and time.monotonic() < ends:
            time.sleep(0.02)
        self.expect(what, condition())

    def show(self, place, tab):
        # What is open may be this very exchange, and is drawn anew.
        self.browser.run("location.hash = '#/'; delete document.querySelector('.detail')?.dataset.exchange")
        self.browser.run("location.hash = '#/exchange/' + arguments[0]", place)
        self.sees("exchange %s is open" % place, "location.hash.endsWith('/' + arguments[0]) && "
                  "!!document.querySelector(`.detail[data-exchange='${arguments[0]}']:not([hidden])`)", place)
        self.sees("tab %s" % tab, "(tab => tab && (tab.click(), true))(document.querySelector('[data-tab=%s]'))" % tab)

    def press(self, selector):
        self.sees(selector, "(found => found && (found.click(), true))(document.querySelector(arguments[0]))", selector)

    def sees_column(self, title, script, *arguments):
        """Chooses a column more, in which something is seen, and leaves the columns as they were."""
        self.press("[title='Choose columns']")
        self.sees("a choice of columns", "(label => label && (label.firstElementChild.click(), true))("
                  "[...document.querySelectorAll('.popover label')].find(label => label.textContent.trim() === arguments[0]))", title)
        self.sees("the column %s has it" % title, script, *arguments)
        self.sees("the columns are as before", "(one => one && (one.click(), true))([...document.querySelectorAll('.popover button')]"
                  ".find(one => one.innerText === 'As at the start'))")
        self.browser.keys(ESCAPE)
        self.sees("Esc closes the columns", "!document.querySelector('.popover')")

    def number(self, path):
        """The number of the newest exchange with that path."""
        for exchange in self.project.api("/v1/traffic?limit=100")["exchanges"]:
            if exchange["url"].split("?")[0].endswith(path):
                return exchange["id"]
        sys.exit("there is no exchange " + path)

    def expect_accessible(self, place):
        with open(task["axe"], encoding="utf-8") as file:
            self.browser.run(file.read())
        found = self.browser.session("POST", "/execute/async", {"args": [], "script": """
            axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}).then(result =>
                arguments[0](result.violations.map(found => found.id + ' ' + found.nodes[0].html.slice(0, 200))))"""})
        self.expect("%s: %s" % (place, found), not found)

    def shot(self, name):
        if task["shots"]:
            time.sleep(0.3)
            self.browser.screenshot(os.path.join(task["shots"], name + ".png"))


@case
def login(look):
    browser, project = look.browser, look.project
    browser.go(project.site + "/")
    look.sees("a page says how to log in", "document.body.innerText.includes('shunt inspect')")
    look.expect("no part of the inspector is there", browser.run("return !document.querySelector('.bar')"))
    look.shot("login")
    link = project.link()
    browser.go(link)
    look.sees("the link logs in", "!!document.querySelector('.bar .segment')")
    look.expect("the code is not in the address", browser.run("return !location.href.includes('login')"))
    look.expect("scripts do not see the cookie", browser.run("return document.cookie") == "")
    look.expect("the cookie alone opens nothing", browser.session("POST", "/execute/async", {"args": [], "script":
                "fetch('/v1/status').then(r => arguments[0](r.status))"}) == 401)
    browser.run("localStorage.clear()")
    browser.go("about:blank")
    browser.go(project.site + "/")
    look.sees("without its key the page asks for a login", "document.body.innerText.includes('shunt inspect')")
    browser.go("about:blank")
    browser.go(link)
    look.sees("a used link opens nothing", "document.body.innerText.includes('shunt inspect') && "
              "!document.querySelector('.bar .segment')")
    browser.go("about:blank")
    browser.go(project.link())
    look.sees("a new one does", "!!document.querySelector('.bar .segment')")


@case
def live_list(look):
    look.open()
    look.sees("what was recorded is listed", ROWS + ".length >= 8")
    before = look.browser.run("return %s.length" % ROWS)
    look.project.send("/v1/cart/live")
    look.sees("a new exchange appears", ROWS + ".some(row => row.innerText.includes('/v1/cart/live'))")
    look.expect("and is one more", look.browser.run("return %s.length" % ROWS) == before + 1)
    look.sees("a mock has its letter", ROWS + ".some(row => /promo[^]*\\bM\\b/.test(row.innerText))")
    look.sees("a failure has its sign", ROWS + ".some(row => /down[^]*✕/.test(row.innerText))")
    look.sees("files and recordings have theirs", ROWS + ".some(row => /site[^]*\\bF\\b/.test(row.innerText))")
    look.sees("each has its bar", ROWS + ".every(row => row.querySelector('.waterfall > .span')?.offsetHeight > 0)")
    look.shot("list")
    look.browser.run("""document.querySelector('.list').scrollTop = 0;
        const groups = document.querySelector('.tools select'); groups.value = 'host'; groups.dispatchEvent(new Event('change'))""")
    look.sees("groups", "document.querySelectorAll('.row.group:not([hidden])').length >= 1")
    look.expect("are no news", look.browser.run("return !document.querySelector('.tail').innerText.includes('new')"))
    look.browser.run("const groups = document.querySelector('.tools select'); groups.value = ''; groups.dispatchEvent(new Event('change'))")


@case
def running(look):
    """A stream that goes on is not fetched anew each second."""
    stream = look.project.stream("/v1/endless")
    look.project.recorded_path("/v1/endless")
    look.open()
    look.browser.run("""window.fetched = []; const real = fetch;
        window.fetch = async (...asked) => { const response = await real(...asked);
            if (/traffic.\\d+/.test(asked[0])) response.clone().text().then(text => fetched.push(text.length)); return response; }""")
    look.show(look.number("/v1/endless"), "messages")
    look.sees("some looks at it", "fetched.length >= 4")
    look.expect("none but the first has what is known", look.browser.run("return fetched.slice(1).every(length => length < 20000)"))
    look.browser.run("const form = document.querySelector('.composer'); form.querySelector('textarea').value = 'put in'; "
                     "form.requestSubmit()")
    look.sees("a message that was put in", "[...document.querySelectorAll('.messages li')].some(row => "
              "row.innerText.includes('injected') && row.innerText.includes('put in'))")
    look.project.api("/v1/breakpoints", {"filter": "~u /v1/endless", "phase": "message"})
    look.press(".holds [data-held]")
    look.sees("a message is in the editor", "document.getElementById('held-body') && !document.getElementById('held-fields')")
    look.browser.run(SET, "held-body", "edited by hand")
    look.press("[data-continue]")
    look.press(".holds .breakpoint button")
    look.sees("no breakpoint for messages is left", "document.querySelector('.holds').hidden")
    look.show(look.number("/v1/endless"), "messages")
    look.sees("what was sent instead", "[...document.querySelectorAll('.messages li')].some(row => "
              "row.innerText.includes('sent instead') && row.innerText.includes('edited by hand'))")
    stream.close()


@case
def switching(look):
    look.open()
    look.press("[data-profile=staging]")
    look.sees("staging is pressed", "document.querySelector('[data-profile=staging]').ariaChecked === 'true'")
    look.told("staging is active", lambda: look.project.api("/v1/status")["active"] == "staging")
    first = look.browser.session("GET", "/window")
    second = look.browser.session("POST", "/window/new", {"type": "tab"})["handle"]
    look.browser.session("POST", "/window", {"handle": second})
    look.open()
    look.press("[data-profile=local]")
    look.sees("local is pressed", "document.querySelector('[data-profile=local]').ariaChecked === 'true'")
    look.browser.session("DELETE", "/window")
    look.browser.session("POST", "/window", {"handle": first})
    look.sees("the first tab follows", "document.querySelector('[data-profile=local]').ariaChecked === 'true'")


@case
def unlocking(look):
    look.open()
    look.press("[data-lock=production]")
    look.sees("a reason is asked for", "!!document.querySelector('dialog #reason')")
    look.browser.run("document.getElementById('reason').value = 'refund'; document.querySelector('dialog form .danger').click()")
    look.sees("the time that is left", "/\\d:\\d\\d/.test(document.querySelector('[data-lock=production]').innerText)")
    look.told("the reason is noted", lambda: look.project.api("/v1/status")["unlocked"][0]["reason"] == "refund")
    look.press("[data-lock=production]")
    look.sees("it is locked again", "!document.querySelector('[data-lock=production]').innerText.trim()")


@case
def filters(look):
    look.open()
    look.sees("there are rows", ROWS + ".length > 5")
    look.browser.run(TYPE, "~c 5xx")
    look.sees("only what fits is left", ROWS + ".length && %s.every(row => /50\\d/.test(row.innerText))" % ROWS)
    rows = look.browser.run("return %s.length" % ROWS)
    look.browser.run(TYPE, "~c 5xx & (~d x")
    look.sees("the mistake is told below its place", "document.querySelector('.filter .caret')?.textContent === ' '.repeat(9) + '↑'")
    look.expect("the list stays", look.browser.run("return %s.length" % ROWS) == rows)
    look.shot("filter")
    look.browser.run(TYPE, "~web")
    look.sees("operators are completed", "document.querySelector('.completions:not([hidden])')?.innerText.includes('~websocket')")
    look.browser.run(TYPE, "~c 5")
    look.sees("values are, with how often there are", "/^502\\s+[1-9]/m.test(document.querySelector('.completions:not([hidden])')?.innerText)")
    look.browser.run(TYPE, "~d nowhere.test")
    look.sees("that nothing is found is told", "document.querySelector('.state').innerText.includes('finds nothing')")
    look.press(".state button")
    look.sees("everything is back", ROWS + ".length > 5")


@case
def times(look):
    look.open()
    # Of one moment there is no range; the store tells of the next request when it has it.
    look.sees("another moment", "(Date.now() > performance.timeOrigin + 300)")
    look.project.send("/v1/cart/later")
    look.project.recorded_path("/v1/cart/later")
    look.open()
    steps = "document.querySelectorAll('.strip:not([hidden]) rect:not(.bad)').length"
    look.sees("when traffic came", steps + " >= 2 && document.querySelectorAll('.strip .bad').length >= 1")
    rows = look.browser.run("return %s.length" % ROWS)
    look.browser.run("document.querySelector('.strip .lane').focus()")
    look.browser.keys("\ue012")
    look.sees("the last step alone", "/\\d – \\d/.test(document.querySelector('.strip .times').innerText) && "
              "%s.some(row => row.innerText.includes('/v1/cart/later')) && %s.length < arguments[0]" % (ROWS, ROWS), rows)
    look.expect("all steps stay", look.browser.run("return %s >= 2" % steps))
    look.shot("times")
    look.browser.run("""const lane = document.querySelector('.strip .lane'); const {left, top, width} = lane.getBoundingClientRect();
        lane.setPointerCapture = () => {};
        for (const [kind, x] of [['down', left + 1], ['move', left + width / 2], ['up', left + width - 1]])
            lane.dispatchEvent(new PointerEvent('pointer' + kind, {bubbles: true, button: 0, clientX: x, clientY: top + 5}))""")
    look.sees("a range over all of it", "document.querySelector('.strip .times').innerText && %s.length >= arguments[0]" % ROWS, rows)
    look.press(".strip .times button")
    look.sees("all times", "!document.querySelector('.strip .times').innerText && document.querySelector('.strip .range').hidden")


@case
def panes(look):
    look.open()
    order, down, promo = look.number("/v1/cart/order"), look.number("/v1/down/x"), look.number("/v1/promo")
    look.show(order, "overview")
    look.sees("route and origin", PANE + ".includes('/v1/cart/*') && %s.includes(arguments[0])" % PANE, look.project.local.url)
    look.shot("detail")
    look.show(order, "request")
    look.sees("the body of the request is a tree", "[...document.querySelectorAll('.tree .key')].some(key => key.textContent === 'sku')")
    look.expect("secrets are chips", look.browser.run("return document.querySelectorAll('.secret').length >= 2 && "
                "!document.body.innerText.includes('hunter2')"))
    look.show(order, "response")
    look.sees("numbers keep their digits", PANE + ".includes(arguments[0])", str(BIG))
    look.show(order, "changes")
    look.sees("what Shunt changed has its reason", "[...document.querySelectorAll('.diff .added')].some(line => "
              "/Via.*a proxy passed the message on/s.test(line.innerText))")
    look.shot("changes")
    look.show(order, "timing")
    look.sees("the phases", PANE + ".includes('Wait') && %s.includes('Total')" % PANE)
    look.show(order, "tls")
    look.sees("both connections", PANE + ".includes('Shunt to the origin')")
    look.show(down, "overview")
    look.sees("a failure with its remedy", "document.querySelector('.failure')?.innerText.includes('shunt status --probe')")
    look.shot("failure")
    look.show(look.number("/v1/guarded/x"), "overview")
    look.sees("what unlocks production", "document.querySelector('.remedies')?.innerText.includes('shunt unlock production')")
    look.show(look.number("/v1/socket"), "messages")
    look.sees("a binary message in hexadecimal", "document.querySelector('.messages .line')?.innerText.startsWith('00 01 02 61')")
    look.show(look.number("/v1/user"), "request")
    look.sees("a form as Shunt lays it out", "[...document.querySelectorAll('[data-way]')].some(way => way.innerText === 'Form') && "
              "%s.includes('Ann Lee')" % PANE)
    look.show(promo, "changes")
    look.sees("a mock has no other side", PANE + ".includes('no origin was asked')")
    look.show(look.number("/events"), "messages")
    look.sees("events", "document.querySelectorAll('.messages li').length === 2")
    look.show(order, "overview")
    look.browser.go(look.project.site + "/?again#/exchange/%d" % order)
    look.sees("a link survives a reload", "document.querySelector('.detail .title')?.innerText.includes('/v1/cart/order')")


@case
def code(look):
    look.open()
    look.browser.run("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
    look.show(look.number("/v1/cart/7"), "overview")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("c")
    look.sees("curl, with a variable for what was not recorded", "window.copied?.includes(arguments[0])", "Bearer '\"$SECRET_")
    look.sees("which is said", "document.getElementById('toast').innerText.includes('1 secret is a variable')")
    for name, part in [("HTTPie", "http "), ("Python", "requests.request("), ("fetch", "await fetch(")]:
        look.press(".actions [aria-haspopup=menu]")
        look.sees(name, "(item => item && (item.click(), true))([...document.querySelectorAll('[role=menuitem]')]"
                  ".find(item => item.innerText === arguments[0]))", name)
        look.sees("code for " + name, "window.copied.includes(arguments[0])", part)


@case
def crowded_bar(look):
    """Eight profiles: what has no room goes into a menu."""
    folder = look.project.folder.name + "/Profiles/"
    names = ["canary", "performance", "preproduction", "quality", "reviews"]
    for name in names:
        with open(folder + name + ".json", "w", encoding="utf-8") as file:
            file.write('{"kind": "staging", "routes": []}')
    look.project.command("reload")
    one_line = "[...document.querySelectorAll('.bar > :not([hidden])')].filter(part => part.offsetParent).every(part => part.offsetHeight <= 40)"
    for width in [1440, 1024, 390]:
        look.browser.size(width, 760)
        look.open()
        look.sees("all profiles are known", "document.querySelectorAll('.segment').length === 8")
        look.sees("nothing is cut at %d" % width, "document.querySelector('.switch').scrollWidth <= document.querySelector('.switch').clientWidth "
                  "&& document.documentElement.scrollWidth <= arguments[0] && " + one_line, width)
        look.sees("the active one and production's lock are there at %d" % width, "document.querySelector('.segment.active').offsetParent "
                  "&& document.querySelector('[data-lock=production]').offsetParent")
        look.shot("crowded-%d" % width)
    look.press(".environments > .more")
    look.sees("one in the menu", "(item => item && (item.click(), true))([...document.querySelectorAll('[role=menuitem]')]"
              ".find(item => item.innerText === 'reviews'))")
    look.sees("which is active, and seen", "document.querySelector('[data-profile=reviews]').ariaChecked === 'true' && "
              "document.querySelector('[data-profile=reviews]').offsetParent")
    look.project.api("/v1/use", {"profile": "local"})
    for name in names:
        os.remove(folder + name + ".json")
    look.project.command("reload")
    look.browser.size(1280, 720)


@case
def replay_and_compare(look):
    look.open()
    cart, order = look.number("/v1/cart/7"), look.number("/v1/cart/order")
    look.show(cart, "overview")
    look.press(".actions [aria-haspopup=menu]:nth-of-type(2)")
    look.sees("a menu with the environments", "(item => item && (item.click(), true))([...document.querySelectorAll("
              "'[role=menuitem]')].find(item => item.innerText.includes('Against staging')))")
    look.sees("secrets that are missing are told", "document.querySelector('dialog')?.innerText.includes('Authorization')")
    look.press("[data-force]")
    look.sees("the difference is shown", "/environment/.test(%s) && /staging/.test(%s)" % (PANE, PANE))
    look.shot("replay")
    look.show(cart, "overview")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("x")
    look.show(order, "overview")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("=")
    look.sees("two beside each other", "document.querySelectorAll('table.compare thead th').length === 2 && %s.includes('POST')" % PANE)
    look.shot("compare")
    look.browser.run("document.querySelector('.detail .icon').click()")


@case
def laid_out(look):
    """What Shunt lays out, as `shunt show` does."""
    look.open()
    query = {"query": "query Cart($id: ID!) { cart(id: $id) { items } }", "variables": {"id": "7"}}
    look.project.send("/v1/cart/graph", "POST", json.dumps(query).encode(), Content_Type="application/json")
    ways = [bytes(range(256)) * 200, bytes(range(256)) * 199 + bytes(256)]
    for path, body in zip(["/v1/cart/bytes", "/v1/cart/others"], ways):
        look.project.send(path, "PUT", body, Content_Type="application/octet-stream")
    look.show(look.number("/v1/cart/graph"), "request")
    look.sees("a document of GraphQL in lines, with its variables", "document.querySelector('[data-way][aria-pressed=true]')?.innerText "
              "=== 'GraphQL' && /^ {2}cart\\(id: \\$id\\) \\{$/m.test(%s) && %s.includes('\"variables\"')" % (PANE, PANE))
    look.shot("graphql")
    look.show(look.number("/v1/cart/bytes"), "request")
    look.sees("bytes in hexadecimal", "document.querySelector('.body pre.hex')?.textContent.startsWith('00000000  00 01 02 03')")
    look.sees("more of them", "(more => more && (more.click(), true))([...document.querySelectorAll('.body button')]"
              ".find(button => button.innerText === 'More'))")
    look.sees("the last line", "document.querySelector('.body pre.hex').textContent.includes('0000c7f0  f0 f1 f2') && "
              "![...document.querySelectorAll('.body button')].some(button => button.innerText === 'More' && button.offsetParent)")
    look.shot("hex")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("x")
    look.show(look.number("/v1/cart/others"), "overview")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("=")
    look.sees("bytes are compared, too", "document.querySelectorAll('.diff .removed').length === 16 && "
              "document.querySelector('.diff .added')?.innerText.includes('0000c700  00 00 00')")
    look.shot("compare-bytes")
    look.browser.run("document.querySelector('.detail .icon').click()")
    look.show(look.number("/v1/socket"), "messages")
    look.press(".messages li summary")
    look.sees("all bytes of a message", "document.querySelector('.messages pre.hex')?.textContent.startsWith('00000000  00 01 02 61')")
    look.shot("message")
    look.browser.run("document.querySelector('.list').focus()")
    look.show(look.number("/v1/cart/bytes"), "overview")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("x")


SET = """const field = document.getElementById(arguments[0]); field.value = arguments[1];
    field.dispatchEvent(new Event('input', {bubbles: true}));"""


@case
def edit_and_resend(look):
    look.open()
    order = look.number("/v1/cart/order")
    look.show(order, "overview")
    look.press("[data-edit]")
    look.sees("the recorded request is in the form", "document.getElementById('edit-method')?.value === 'POST' && "
              "document.getElementById('edit-body').value.includes('A-1')")
    look.expect("its secrets are told", look.browser.run("return /redacted/.test(document.querySelector('dialog .warn:not([hidden])')?.innerText)"))
    look.shot("edit")
    look.press("[data-send]")
    look.sees("they are not sent unasked", "document.querySelector('dialog .failure:not([hidden])')?.innerText.includes('was not recorded') && "
              "!document.querySelector('dialog [data-force]').hidden")
    for field, value in [("edit-method", "PUT"), ("edit-url", "http://api.shop.test/v1/cart/edited"),
                         ("edit-fields", "Content-Type: application/json\nX-Edited: yes"), ("edit-body", '{"sku": "B-2"}')]:
        look.browser.run(SET, field, value)
    look.expect("no secret is left", look.browser.run("return document.querySelector('dialog .warn').hidden"))
    look.press("[data-send]")
    look.sees("the response is compared", "!document.querySelector('dialog') && %s.includes('recorded (local)')" % PANE)
    look.sees("it is an exchange of its own", ROWS + ".some(row => /PUT[^]*cart\\/edited/.test(row.innerText))")
    look.project.recorded_path("/v1/cart/edited")
    look.show(look.number("/v1/cart/edited"), "request")
    look.sees("as it was edited", PANE + ".includes('X-Edited') && %s.includes('B-2')" % PANE)
    look.show(order, "overview")
    look.press("[data-edit]")
    look.sees("the form is filled", "document.getElementById('edit-method')?.value === 'POST'")
    for field, value in [("edit-fields", ""), ("edit-body", "{}"), ("edit-profile", "production"),
                         ("edit-url", "http://shop.test/v1/cart/guarded")]:
        look.browser.run(SET, field, value)
    look.press("[data-send]")
    look.sees("production stays guarded", PANE + ".includes('now (production)') && %s.includes('403')" % PANE)


@case
def compose(look):
    look.open()
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("n")
    look.sees("an empty form", "document.querySelector('dialog #edit-url')")
    look.browser.run("""const data = new DataTransfer(); data.setData('text', arguments[0]);
        document.getElementById('edit-url').dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}))""",
                     "curl -X POST http://api.shop.test/v1/cart/composed -H 'X-Own: yes' -d '{}'")
    look.sees("a pasted command fills it", "document.getElementById('edit-method').value === 'POST' && "
              "document.getElementById('edit-fields').value.includes('X-Own: yes') && document.getElementById('edit-body').value === '{}'")
    look.press("[data-send]")
    look.sees("what was sent is shown", "document.querySelector('.detail .title')?.innerText.includes('/v1/cart/composed')")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("n")
    look.sees("a form again", "document.querySelector('dialog #edit-url')")
    for field, value in [("edit-method", "POST"), ("edit-profile", "production"), ("edit-url", "http://shop.test/v1/composed")]:
        look.browser.run(SET, field, value)
    look.press("[data-send]")
    look.sees("production stays guarded", "document.querySelector('.remedies')?.innerText.includes('shunt unlock production')")


@case
def keyboard(look):
    look.open()
    look.sees("there are rows", ROWS + ".length > 5")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("jk")
    look.sees("one is selected", "document.querySelectorAll('.row.selected').length === 1")
    first = look.browser.run("return document.querySelector('.row.selected').id")
    look.browser.keys("k")
    look.sees("another one is", "document.querySelector('.row.selected').id !== arguments[0]", first)
    look.expect("the detail stays closed", look.browser.run("return document.querySelector('.detail').hidden"))
    look.browser.keys(ENTER)
    look.sees("Enter opens it", "!document.querySelector('.detail').hidden && document.querySelector('[role=tab]')")
    chosen = "document.querySelector('[role=tab][aria-selected=true]').dataset.tab"
    tab = look.browser.run("return " + chosen)
    look.browser.keys("]")
    look.sees("] turns the tab", chosen + " !== arguments[0]", tab)
    look.browser.keys("[")
    look.sees("[ turns it back", chosen + " === arguments[0]", tab)
    look.browser.keys(ESCAPE)
    look.sees("Esc closes it", "document.querySelector('.detail').hidden")
    look.browser.keys("gg")
    look.sees("g g goes to the oldest", "document.querySelector('.row.selected').getAttribute('aria-rowindex') === '1'")
    look.browser.keys("?")
    look.sees("? lists the keys", "document.querySelector('dialog .keys')")
    look.browser.keys(ESCAPE)
    look.browser.keys("/")
    look.sees("/ leads into the filter", "document.activeElement.matches('.filter input')")
    look.browser.keys("promo")
    look.sees("letters are typed there", "document.activeElement.value === 'promo'")
    look.sees("and filter", ROWS + ".length && %s.every(row => row.innerText.includes('promo'))" % ROWS)
    look.browser.run("document.activeElement.value = ''; document.activeElement.dispatchEvent(new Event('input'))")
    look.browser.keys(ESCAPE)
    look.sees("Esc leads to the list", "document.activeElement.matches('.list')")
    look.browser.keys("gr")
    look.sees("g r shows the routes", "document.querySelectorAll('.routes .grid tbody tr').length >= 5")
    look.browser.keys("gn")
    look.sees("g n shows figures", "document.querySelectorAll('.plot rect').length > 50")
    look.sees("errors by host", "document.querySelectorAll('.heat tr').length >= 1")
    look.shot("numbers")
    look.browser.keys("gt")
    look.sees("g t shows the traffic", ROWS + ".length > 5")


CLICK = """(row => row && (row.scrollIntoView({block: 'center'}), row.dispatchEvent(new MouseEvent('mousedown',
    {bubbles: true, button: 0, ctrlKey: arguments[1], shiftKey: arguments[2]})), true))
    (document.getElementById('x' + arguments[0]))"""


@case
def selection(look):
    numbers = []
    for index in range(4):
        look.project.send("/v1/cart/chosen%d" % index)
        look.project.recorded_path("/v1/cart/chosen%d" % index)
        numbers.append(look.number("/v1/cart/chosen%d" % index))
    look.open()
    look.browser.run(TYPE, "~u chosen")
    look.sees("four rows", ROWS + ".length === 4 && %s.every(row => row.innerText.includes('chosen'))" % ROWS)
    look.sees("the first row", CLICK, numbers[0], False, False)
    look.press(".detail .icon[title^=Close]")
    look.sees("the third row", CLICK, numbers[2], True, False)
    look.sees("two are selected", "document.querySelector('.selection').innerText.includes('2 selected')")
    look.sees("and can be compared", "[...document.querySelectorAll('.selection button')].some(button => button.innerText === 'Compare')")
    look.sees("the last row", CLICK, numbers[3], False, True)
    look.sees("all from the first to the last", "document.querySelectorAll('.row.chosen').length === 4")
    look.browser.run("""window.saved = null; URL.createObjectURL = blob => { blob.text().then(text => window.saved = JSON.parse(text)); return '#'; };""")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("e")
    look.sees("their archive", "window.saved?.log.entries.length === 4 && "
              "window.saved.log.entries.every(entry => entry.request.url.includes('chosen'))")
    look.expect("without secrets", not look.browser.run("return JSON.stringify(window.saved).includes('a1B2c3D4')"))
    look.browser.run("""window.page = null; URL.createObjectURL = blob => { blob.text().then(text => window.page = text); return '#'; };""")
    look.press(".selection [data-export]")
    look.sees("a choice of forms", "(one => one && (one.click(), true))([...document.querySelectorAll('[role=menuitem]')].find("
              "item => item.innerText.startsWith('One page')))")
    look.sees("their page", "JSON.stringify([...(window.page ?? '').matchAll(/<details id=\"x(\\d+)\"/g)].map(found => +found[1])) === "
              "JSON.stringify(arguments[0])", numbers)
    look.expect("without secrets, too", not look.browser.run("return window.page?.includes('a1B2c3D4')"))
    look.shot("selection")
    look.browser.keys(ESCAPE)
    look.sees("Esc selects none", "document.querySelector('.selection').hidden && !document.querySelector('.row.chosen')")
    look.browser.keys("JJ")
    look.sees("J selects on", "document.querySelectorAll('.row.chosen').length >= 1")


@case
def chains(look):
    for path in ["moved", "moved-on", "arrived", "tried/broken", "tried/broken"]:
        look.project.send("/v1/cart/" + path)
        look.project.recorded_path("/v1/cart/" + path)
    look.open()
    look.browser.run(TYPE, "")
    look.sees("the rows are there", ROWS + ".some(row => row.innerText.includes('arrived'))")
    look.show(look.number("/v1/cart/moved-on"), "overview")
    look.sees("what leads here and where it leads", "document.querySelectorAll('.chain li').length === 3")
    look.shot("chain")
    look.sees("a link to the next", "(link => link && (link.click(), true))([...document.querySelectorAll('.chain a')].at(-1))")
    look.sees("which opens it", "document.querySelector('.detail .title')?.innerText.includes('arrived')")
    look.show(look.number("/v1/cart/tried/broken"), "overview")
    look.sees("the tries", "[...document.querySelectorAll('.section h3')].some(title => title.innerText === 'Tries')")


@case
def networks(look):
    look.open()
    button = "[...document.querySelectorAll('.bar button')].find(button => /Network|lte/.test(button.innerText))"
    look.browser.run(button + ".click()")
    look.sees("a choice for all clients", "document.querySelector('.popover select')")
    look.browser.run("""const choice = document.querySelector('.popover select'); choice.value = 'lte';
        choice.dispatchEvent(new Event('change', {bubbles: true}));""")
    look.sees("the bar says so", "document.querySelector('.bar').innerText.includes('lte')")
    look.told("Shunt has it", lambda: look.project.api("/v1/status")["networks"] == ["lte"])
    look.shot("network")
    look.project.api("/v1/network", {"network": "default"})


@case
def comfort(look):
    # High enough for the rows of all cases before.
    look.browser.size(1280, 1600)
    look.open()
    look.sees("there are rows", ROWS + ".length > 5")
    item = "(item => item && (item.click(), true))([...document.querySelectorAll('.popover button')].find(item => item.innerText.startsWith(arguments[0])))"
    menu = """(row => row && row.dispatchEvent(new MouseEvent('contextmenu', {bubbles: true, cancelable: true, button: 2, clientX: 200, clientY: 200})))
        (%s.find(row => row.innerText.includes('/v1/cart/order')))""" % ROWS
    look.browser.run(menu)
    look.sees("a menu of the row", item, "Only this route")
    look.sees("only its route", "document.querySelector('.filter input').value.startsWith('~route') && %s.every(row => row.innerText.includes('/v1/cart'))" % ROWS)
    look.browser.run(TYPE, "")
    look.sees("all again", ROWS + ".some(row => row.innerText.includes('promo'))")
    look.press(".only")
    look.sees("a type", item, "HTML")
    look.sees("filters the list", "!%s.some(row => row.innerText.includes('/v1/cart/order'))" % ROWS)
    look.sees("and again", item, "HTML")
    look.browser.keys(ESCAPE)
    look.sees("no more", ROWS + ".some(row => row.innerText.includes('/v1/cart/order'))")
    look.browser.run(menu)
    look.sees("highlight", item, "Highlight this host")
    look.sees("rows of the host stand out", "document.querySelectorAll('.row.highlighted').length > 5")
    look.browser.run(menu)
    look.sees("hide", item, "Hide this host")
    look.sees("its rows are gone", "!%s.some(row => row.innerText.includes('api.shop.test'))" % ROWS)
    look.press(".only")
    look.shot("only")
    look.sees("what is hidden can be shown again", "(found => found && (found.click(), true))(document.querySelector('.popover [aria-label*=Remove]'))")
    look.browser.keys(ESCAPE)
    look.sees("they are back", ROWS + ".some(row => row.innerText.includes('/v1/cart/order'))")
    look.browser.run(menu)
    look.sees("highlight no more", item, "Highlight this host no more")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.protocol("Input.dispatchKeyEvent", type="keyDown", key="k", code="KeyK", modifiers=2, windowsVirtualKeyCode=75)
    look.sees("Ctrl+K finds commands", "document.querySelectorAll('.commands li').length > 5")
    look.browser.keys("rou")
    look.sees("by some letters", "document.querySelector('.commands [aria-selected=true]')?.innerText.startsWith('Routes')")
    look.browser.keys(ENTER)
    look.sees("and runs them", "document.querySelectorAll('.routes .grid tbody tr').length >= 5")
    look.browser.size(1920, 900)
    look.open()
    look.show(look.number("/v1/cart/order"), "request")
    look.sees("both trees beside each other", "document.querySelectorAll('.beside .tree .key').length > 2 && "
              "document.querySelectorAll('.beside .tree').length === 2")
    look.shot("beside")
    look.browser.size(1280, 720)


@case
def routes_and_mocks(look):
    look.open("/#/routes")
    look.sees("routes in the order in which they win", "document.querySelector('.routes tbody tr th')?.innerText.includes('/v1/')")
    look.browser.run("document.querySelector('.try input').value = 'http://api.shop.test/v1/cart/9'; document.querySelector('.try button').click()")
    look.sees("which route responds", "document.querySelector('.told').innerText.includes('/v1/cart/*')")
    look.shot("routes")
    look.browser.run("document.querySelector('.try input').value = 'http://api.shop.test/v1/promo'; document.querySelector('.try button').click()")
    look.sees("a mock that is on", "/Responds[^]*route +api.shop.test.v1.promo/.test(document.querySelector('.told').innerText)")
    look.press("[role=switch]")
    look.sees("the mock is off", "document.querySelector('[role=switch]').checked === false")
    look.told("Shunt has switched it off", lambda: not look.project.api("/v1/mocks")["mocks"][0]["on"])
    look.press(".try button")
    look.sees("and does not respond", "/off: v1-promo[^]*route +[*] /.test(document.querySelector('.told').innerText)")
    look.browser.size(390, 760)
    look.sees("on a phone a route has a line", "[...document.querySelectorAll('.routes tbody th')].every(label => label.offsetHeight < 30) && "
              "document.documentElement.scrollWidth <= 390")
    look.shot("routes-phone")
    look.browser.size(1280, 720)
    look.project.api("/v1/mocks", {"state": "on", "all": True})


@case
def making_a_mock(look):
    look.open()
    look.show(look.number("/v1/news"), "overview")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("m")
    look.press("dialog [data-write]")
    look.sees("the file is told", "document.getElementById('toast').innerText.includes('local.json')")
    look.told("Shunt has read it", lambda: any("news" in route["label"] for route in look.project.api("/v1/routes")["routes"]))
    look.browser.keys("m")
    look.press("dialog [data-write]")
    look.sees("a second one is refused with the reason", "document.querySelector('#toast .problem')?.innerText.includes('a route for it is at')")


@case
def making_a_rule(look):
    look.open()
    look.show(look.number("/v1/cart/broken"), "response")
    look.sees("a member of the body", "(key => key && (key.closest('.item').querySelector('[title*=rule]').click(), true))("
              "[...document.querySelectorAll('.tree .key')].find(key => key.textContent === 'error'))")
    look.sees("its path and value", "document.getElementById('rule-path')?.value === '$.error' && "
              "document.getElementById('rule-value').value === '\"the database is away\"'")
    look.browser.run(SET, "rule-value", "none")
    look.sees("the command", "document.querySelector('dialog code').textContent.includes(`--set '$.error=none'`)")
    look.expect_accessible("the form of a rule")
    look.shot("rule")
    look.press("dialog [data-write]")
    look.sees("the file is told", "/A route is in .*local.json/.test(document.getElementById('toast').innerText)")
    look.told("Shunt has read it", lambda: any("broken" in route["label"] for route in look.project.api("/v1/routes")["routes"]))


@case
def long_json(look):
    figures = "document.querySelector('.tree [role=group] .quiet')?.textContent"
    for path in LONG:
        look.project.send("/v1/cart" + path)
        look.project.recorded_path(path)
    look.open()
    whole, broken = look.number("/many.json"), look.number("/ends-early.json")
    look.browser.run("""window.figures = [];
        new MutationObserver(() => figures.push(%s)).observe(document.body, {childList: true, characterData: true, subtree: true})""" % figures)
    look.show(whole, "response")
    look.sees("all members are counted", figures + " === '[ 150000 ]'")
    look.expect("the first of them are seen before", look.browser.run("return figures.some(figure => /^\\[ \\d+ … \\]$/.test(figure))"))
    look.browser.run("document.querySelector('.tree [role=group] .item').click()")
    look.sees("the first ones", "document.querySelectorAll('.tree [role=group] [role=group] > [role=treeitem]').length === 100")
    look.sees("how many follow", "document.querySelector('.tree .fold')?.textContent === '149900 more'")
    look.browser.run("""const input = document.querySelector('.json .search input'); input.value = 'thing 149999';
        input.dispatchEvent(new Event('input', {bubbles: true}))""")
    look.sees("the last one is shown", "document.querySelector('.tree .found')?.innerText.includes('Thing 149999')")
    look.sees("those between are not", "[...document.querySelectorAll('.tree .fold')].some(fold => /^149\\d+ between$/.test(fold.textContent))")
    look.press(".tree .fold")
    look.sees("some of them by a click", "document.querySelectorAll('.tree [role=group] [role=group] > [role=treeitem]').length === 233")
    look.show(broken, "response")
    look.sees("the mistake is told", "document.querySelector('.json .note')?.textContent.includes('without its end')")
    look.expect("what was read stays", look.browser.run("return %s.includes('…')" % figures))


@case
def dark_and_small(look):
    look.open()
    light = look.browser.run("return getComputedStyle(document.body).backgroundColor")
    look.browser.prefer(prefers_color_scheme="dark")
    look.sees("another background", "getComputedStyle(document.body).backgroundColor !== arguments[0]", light)
    look.show(look.number("/v1/cart/order"), "response")
    look.sees("the tree", "document.querySelector('.tree .key')")
    look.shot("dark")
    look.browser.run("document.querySelector('.detail header > .icon:not(.back)').click()")
    look.browser.prefer(prefers_color_scheme="light")
    look.browser.size(390, 760)
    look.sees("nothing is wider than a phone", "document.documentElement.scrollWidth <= 390 && "
              "document.querySelector('.list').scrollWidth <= 390")
    look.sees("path and status are seen", ROWS + ".length && /Path[^]*Status/.test(document.querySelector('.head').innerText)")
    look.shot("phone")
    look.show(look.number("/v1/cart/order"), "overview")
    look.sees("the detail covers the list", "document.querySelector('.detail').offsetWidth >= 380 && "
              "!document.querySelector('.list').offsetParent")
    look.shot("phone-detail")
    look.press(".detail .back")
    look.sees("the list is back", "!!document.querySelector('.list').offsetParent")
    look.browser.size(1280, 720)


class Sending(threading.Thread):
    """A request of an app, which may be held."""

    def __init__(self, project, *words):
        super().__init__(daemon=True)
        self.project, self.words, self.status = project, words, None
        self.start()

    def run(self):
        self.status = self.project.send(*self.words)

    def end(self):
        self.join(60)
        return self.status


@case
def breakpoints(look):
    look.open()
    look.sees("there are rows", ROWS + ".length > 5")
    promo = look.number("/v1/promo")
    look.show(promo, "overview")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("b")
    look.sees("it is about such requests", "/~m .GET.*~u .?\\/v1\\/promo/.test(document.getElementById('hold-filter')?.value)")
    look.shot("breakpoint")
    look.browser.run(SET, "hold-filter", "~c 500")
    look.press("dialog [type=submit]")
    look.sees("what cannot be decided is refused", "document.querySelector('dialog .failure:not([hidden])')?.innerText.includes('not known yet')")
    look.browser.run(SET, "hold-filter", "~u /v1/promo | ~u /v1/cart/order")
    look.browser.run(SET, "hold-seconds", "600")
    look.press("dialog [type=submit]")
    look.sees("it is listed", "document.querySelector('.holds .breakpoint')?.innerText.includes('/v1/promo')")
    app = Sending(look.project, "/v1/promo", "POST", b'{"count": 2, "password": "hunter2-x"}')
    look.sees("the request is first", "/held request/i.test(document.querySelector('.holds [data-held]')?.innerText)")
    look.press(".holds [data-held]")
    look.sees("it is in the editor", "document.getElementById('held-path')?.value === '/v1/promo' && "
              "document.getElementById('held-body').value.includes('\"count\": 2')")
    look.expect("its secrets are hidden", look.browser.run("return !document.getElementById('held-body').value.includes('hunter2')"))
    for scheme in ["light", "dark"]:
        look.browser.prefer(prefers_color_scheme=scheme)
        for width in [390, 1024, 1440]:
            look.browser.size(width, 760)
            look.sees("it fits into %d" % width, "document.documentElement.scrollWidth <= arguments[0]", width)
            look.shot("held-%d-%s" % (width, scheme))
        look.expect_accessible("the editor, " + scheme)
    look.browser.prefer(prefers_color_scheme="light")
    look.browser.size(1280, 720)
    look.browser.run(SET, "held-fields", "Content-Type: application/json\nContent-Length: 1")
    look.press("[data-continue]")
    look.sees("what Shunt writes is refused", "document.querySelector('form.held .failure:not([hidden])')?.innerText.includes('written by Shunt')")
    look.browser.run(SET, "held-fields", "Content-Type: application/json")
    look.browser.run(SET, "held-body", '{"count": 3')
    look.sees("broken JSON is told", "document.querySelector('form.held .warn:not([hidden])')?.innerText.includes('no JSON')")
    look.browser.run(SET, "held-path", "/v1/cart/7")
    look.browser.run(SET, "held-method", "GET")
    look.browser.run(SET, "held-body", "")
    look.press("[data-continue]")
    look.expect("it goes on as it was edited", app.end() == 200)
    look.sees("it is gone", "!document.querySelector('.holds [data-held]')")
    app = Sending(look.project, "/v1/promo")
    look.press(".holds [data-held]")
    look.sees("the next one is in the editor", "document.getElementById('held-method')?.value === 'GET'")
    look.press("[data-instead]")
    look.browser.run(SET, "held-instead-status", "418")
    look.press("[data-respond]")
    look.expect("it is responded to", app.end() == 418)
    look.press(".holds .breakpoint button")
    look.sees("no breakpoint is left", "document.querySelector('.holds').hidden")
    look.project.api("/v1/breakpoints", {"filter": "~u /v1/promo", "phase": "response"})
    app = Sending(look.project, "/v1/promo")
    look.press(".holds [data-held]")
    look.sees("a response is in the editor", "document.getElementById('held-status')?.value === '200'")
    look.browser.run(SET, "held-status", "503")
    look.press("[data-continue]")
    look.expect("it goes on", app.end() == 503)
    look.project.command("hold", "--off", "all")
    look.sees("the list follows the command", "document.querySelector('.holds').hidden")
    look.sees("the pane is closed", "document.querySelector('.detail').hidden")


@case
def accessibility(look):
    order = look.number("/v1/cart/order")
    for scheme in ["light", "dark"]:
        look.browser.prefer(prefers_color_scheme=scheme)
        for path, tab in [("/#/", None), ("/#/routes", None), ("/#/numbers", None)] + [
                ("/#/exchange/%d" % order, tab) for tab in ["overview", "request", "response", "changes", "timing", "tls"]]:
            look.open(path)
            if tab:
                look.show(order, tab)
            look.sees("something is in " + path, "document.querySelector('main').innerText.length > 100")
            look.expect_accessible("%s, %s, %s" % (scheme, path, tab))
    look.browser.prefer(prefers_color_scheme="light")


@extended
def screens(look):
    """Everything that can be seen, at three widths and in both themes: nothing is wider than the window."""
    order, down = look.number("/v1/cart/order"), look.number("/v1/down/x")
    scenes = [("list", None, None), ("routes", "/#/routes", None), ("numbers", "/#/numbers", None)]
    scenes += [(tab, order, None) for tab in ["overview", "request", "response", "changes", "timing", "tls"]]
    scenes += [
        ("messages", look.number("/events"), None), ("failure", down, None), ("mock", look.number("/v1/promo"), None),
        ("edit", order, "document.querySelector('[data-edit]').click()"),
        ("compose", None, "document.querySelector('.tools [title*=Compose]').click()"),
        ("make-mock", order, "[...document.querySelectorAll('.actions button')].find(button => button.innerText === 'Mock it').click()"),
        ("rule", order, "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'B', bubbles: true}))"),
        ("compare", order, "document.querySelector('.list').focus()"),
        ("only", None, "document.querySelector('.only').click()"),
        ("saved", None, "document.querySelector('.filter > .icon').click()"),
        ("columns", None, "document.querySelector('.tools [title*=olumn]').click()"),
        ("keys", None, "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '?', bubbles: true}))"),
        ("palette", None, "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'k', ctrlKey: true, bubbles: true}))"),
        ("nothing", None, "nothing"), ("breakpoint", None, "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'b', bubbles: true}))"),
        ("row-menu", None, "%s[0].dispatchEvent(new MouseEvent('contextmenu', {bubbles: true, cancelable: true, button: 2, clientX: 120, clientY: 200}))" % ROWS),
        ("clear", None, "document.querySelector('.tools [title*=Clear]').click()"),
    ]
    for scheme in ["light", "dark"]:
        look.browser.prefer(prefers_color_scheme=scheme)
        for width in [390, 1024, 1440]:
            look.browser.size(width, 800)
            for name, place, script in scenes:
                look.open(place if isinstance(place, str) else "/#/")
                if not isinstance(place, str):
                    look.sees("rows for " + name, ROWS + ".length > 5")
                if isinstance(place, int):
                    tabs = ["overview", "request", "response", "changes", "timing", "tls", "messages"]
                    look.show(place, name if name in tabs else "overview")
                    look.sees("what is in " + name, PANE + ".length > 20")
                if name == "numbers":
                    look.sees("plots", "document.querySelectorAll('.plot').length > 2")
                if name == "nothing":
                    look.browser.run(TYPE, "~d nowhere.test")
                    look.sees("that nothing is found", "document.querySelector('.state').innerText.includes('finds nothing')")
                elif name == "compare":
                    if not look.browser.run("return !!document.querySelector('.actions [aria-pressed=true]')"):
                        look.browser.keys("x")
                    look.show(down, "overview")
                    look.browser.run("document.querySelector('.list').focus()")
                    look.browser.keys("=")
                    look.sees("two beside each other", "document.querySelectorAll('table.compare thead th').length === 2")
                elif script:
                    look.browser.run(script)
                    look.sees("what opens for " + name, "document.querySelector('dialog[open], .popover, .state input, .detail .content input')")
                look.sees("%s at %d is not wider than the window" % (name, width), "document.documentElement.scrollWidth <= innerWidth")
                look.shot("%s-%d-%s" % (name, width, scheme))
                if name == "nothing":
                    look.browser.run(TYPE, "")
                    look.sees("all again", ROWS + ".length > 5")
    look.browser.prefer(prefers_color_scheme="light")
    look.browser.size(1280, 720)


@case
def hostile_content(look):
    for path in HOSTILE:
        look.project.send(path, host="hostile.test")
        look.project.recorded_path(path)
    look.open()
    look.browser.console()
    for path in HOSTILE:
        number = look.number(path)
        for tab in ["overview", "response", "changes"]:
            look.show(number, tab)
            look.sees("%s of %s" % (tab, path), PANE + ".length > 20")
        look.show(number, "response")
        for way in range(look.browser.run("return document.querySelectorAll('[data-way]').length")):
            look.browser.run("document.querySelectorAll('[data-way]')[arguments[0]].click()", way)
            look.sees("a way to show " + path, "document.querySelector('.body')?.innerText.length > 0")
        look.expect("nothing of it ran: " + path, look.browser.run("return window.hacked === undefined"))
        look.expect("nothing of it is an element: " + path, look.browser.run(
            "return !document.querySelector('.content script, .content iframe, .content object, .content [onerror]')"))
        look.expect("no mark turns the text: " + path, not look.browser.run(
            "return /[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)"))
    look.browser.run("""for (const button of document.querySelectorAll('[data-way]')) button.click()""")
    refused = [line for line in look.browser.console() if "favicon" not in line]
    look.expect("no policy had to stop anything: %s" % refused[:2], not refused)


@case
def other_origins(look):
    browser, project = look.browser, look.project
    neighbour = Origin("neighbour")
    browser.go(neighbour.url + "/page")
    look.expect("cookies go to all ports of a host, so that it must open nothing alone",
                any("shunt-inspector" in seen for seen in neighbour.seen))
    tried = browser.session("POST", "/execute/async", {"args": [project.site], "script": """
        const [site, done] = arguments;
        const json = {'Content-Type': 'application/json'};
        const read = (path, options) => fetch(site + path, options).then(r => r.type + ' ' + r.status, e => 'stopped');
        const load = (tag, name, path) => new Promise(resolve => {
            const element = document.createElement(tag);
            element.onload = () => resolve(tag + ' loaded'); element.onerror = () => resolve('stopped');
            element[name] = site + path; document.body.append(element);
        });
        (async () => done([
            await read('/v1/status', {credentials: 'include'}),
            await read('/v1/use', {method: 'POST', headers: json, credentials: 'include', body: '{"profile": "staging"}'}),
            await read('/v1/inspector/link', {method: 'POST', credentials: 'include', headers: {'Content-Type': 'text/plain'}, body: '{}'}),
            await read('/v1/status', {credentials: 'include', headers: {'Shunt-Inspector': '1'}}),
            await load('script', 'src', '/v1/status'), await load('img', 'src', '/inspector/x/icon.svg'),
            await fetch(site + '/v1/use', {method: 'POST', mode: 'no-cors', credentials: 'include',
                body: '{"profile": "staging"}'}).then(r => r.type === 'opaque' ? 'stopped' : r.type, () => 'stopped'),
        ]))()"""})
    look.expect("a page at another port reads nothing: %s" % tried, set(tried) == {"stopped"})
    look.expect("and changes nothing", project.api("/v1/status")["active"] == "local")
    browser.run("const frame = document.createElement('iframe'); frame.src = arguments[0]; document.body.append(frame)",
                project.site + "/")
    framed = browser.wait_for("""const frame = document.querySelector('iframe');
        try { return frame.contentDocument === null ? 'apart' : '' } catch { return 'apart' }""")
    look.expect("a frame is refused", framed == "apart" and any(
        "frame-ancestors" in line or "X-Frame-Options" in line or "refused" in line for line in browser.console()))
    neighbour.shutdown()


@case
def old_matches(look):
    """What a filter found last is older than all that the stream of events goes back to."""
    for _ in range(1100):
        look.project.send("/v1/promo")
    look.project.send("/v1/promo?last")
    look.project.recorded_path("/v1/promo?last")
    look.open()
    look.browser.run(TYPE, "~u /v1/cart/broken")
    look.sees("the old match is there", ROWS + ".length === 1")
    look.browser.run(TYPE, "")
    look.sees("the newest is listed again", "!!document.getElementById('x' + arguments[0])", look.number("/v1/promo"))
    look.project.send("/v1/cart/after")
    look.project.recorded_path("/v1/cart/after")
    look.sees("new ones follow", "!!document.getElementById('x' + arguments[0])", look.number("/v1/cart/after"))


@case
def long_list(look):
    """The oldest rows of a store that is longer than a page."""
    for number in range(300):
        look.project.send("/v1/promo?%d" % number)
    look.open()
    look.sees("the newest rows", ROWS + ".some(row => row.innerText.includes('promo?299'))")
    look.browser.run("document.querySelector('.list').focus()")
    look.browser.keys("gg")
    look.sees("g g selects the oldest of all", "/^★?1$/.test(document.querySelector('.row.selected .cell')?.innerText)")
    look.project.send("/v1/promo?while")
    look.sees("what comes is counted", "document.querySelector('.tail').innerText === '↓ 1 new'")
    look.expect("and moves nothing", look.browser.run("return document.querySelector('.list').scrollTop === 0"))
    look.sees("the rest comes by scrolling", "(list => (list.scrollTop = list.scrollHeight, %s.some(row => "
              "row.innerText.includes('promo?while'))))(document.querySelector('.list'))" % ROWS)
    look.expect("without a hole", look.browser.run("const list = document.querySelector('.list'); return Number(list.ariaRowCount) === arguments[0]",
                                                 look.number("/v1/promo")))
    look.browser.keys("G")
    look.sees("G follows again", "document.querySelector('.tail').hidden && document.querySelector('.row.selected')?.innerText.includes('promo?while')")


@case
def programs(look):
    """Programs of this machine, this one among them, and the servers that Shunt starts."""
    project, place = look.project, "127.0.0.1:9"
    me = "python3 inspector.py"
    connection = http.client.HTTPConnection("127.0.0.1", project.port, timeout=30)

    def ask(path):
        connection.request("GET", path, headers={"Host": "api.shop.test"})
        connection.getresponse().read()
        project.recorded_path(path)
        return project.api("/v1/traffic/%d" % look.number(path))

    devices = "(one => one && (one.click(), true))([...document.querySelectorAll('.bar > .minor')].find(one => /device/.test(one.textContent)))"
    before = ask("/v1/cart/of-no-choice")
    look.browser.size(1920, 760)
    look.open()
    look.sees("the devices", devices)
    chooser = "[...document.querySelectorAll('.popover select')].find(one => one.ariaLabel === 'Profile of ' + arguments[0])"
    look.sees("it is listed, and goes with the active profile", chooser + "?.value === ''", me)
    look.browser.run("const one = %s; one.value = 'staging'; one.dispatchEvent(new Event('change'))" % chooser, me)
    chosen = lambda: [(one["app"], one["profile"]) for one in project.api("/v1/status")["apps"]]  # noqa: E731
    look.told("Shunt has its choice", lambda: chosen() == [(me, "staging")])
    after = ask("/v1/cart/of-a-choice")
    look.expect("which counts for an open connection", [(one["client"]["app"], one["profile"]) for one in (before, after)] == [
        (me, "local"), (me, "staging")])
    look.browser.keys(ESCAPE)
    look.sees("Esc closes them", "!document.querySelector('.popover')")
    row = "document.getElementById('x' + arguments[0])"
    look.sees_column("Program", row + "?.innerText.includes(arguments[1])", after["id"], me)
    look.browser.run(TYPE, "~app inspector & ~u of-a-choice")
    look.sees("the filter finds it", ROWS + ".length === 1 && !!" + row, after["id"])
    look.browser.run(TYPE, "~app ^nothing$")
    look.sees("and nothing else", "document.querySelector('.state').innerText.includes('finds nothing')")
    look.browser.run(TYPE, "")
    look.sees("everything again", "JSON.parse(localStorage.getItem('shunt-inspector')).filter === '' && %s.length > 1" % ROWS)
    look.sees("the devices", devices)
    look.sees("its choice is shown", chooser + "?.value === 'staging'", me)
    look.browser.run("const one = %s; one.value = ''; one.dispatchEvent(new Event('change'))" % chooser, me)
    look.told("it goes with the active one again", lambda: chosen() == [])
    connection.close()

    file = pathlib.Path(project.folder.name, "Profiles/local.json")
    text = file.read_text()
    project.route({"path": "/v1/started/*", "origin": {
        "run": "echo '<b>password=planted-5d1f-secret'; exec sleep 1000", "url": "http://%s" % place}})
    state = lambda: [(one["state"], one["starts"]) for one in project.api("/v1/status")["programs"]]  # noqa: E731
    look.open()
    look.press(".bar > button.quiet:not(.minor)")
    button = "document.querySelector(`.popover [data-program='${arguments[0]}'] button`)"
    look.sees("a server that is not started", button + "?.innerText === 'Start'", place)
    look.browser.run(button + ".click()", place)
    look.told("is started", lambda: state() == [("starting", 1)])
    look.told("and writes", lambda: len(project.api("/v1/programs/output?origin=" + place)["lines"]) == 1)
    look.browser.keys(ESCAPE)
    look.sees("Esc closes the origins", "!document.querySelector('.popover')")
    look.press(".bar > button.quiet:not(.minor)")
    look.sees("its last line is shown without secrets", "document.querySelector('.popover [data-program] pre')?.innerText.startsWith("
              "'<b>password=<redacted:')")
    look.shot("programs")
    look.sees("which can be ended and started", button + "?.innerText === 'Restart'", place)
    look.browser.run(button + ".click()", place)
    look.told("is started again", lambda: state() == [("starting", 2)])
    file.write_text(text)
    project.command("reload")
    look.told("a server of no profile is gone", lambda: state() == [])
    look.browser.size(1280, 720)


@case
def untrusted(look):
    project = look.project
    origin = SelfSigned("secure", project.folder.name)
    project.route({"path": "/v1/secure/*", "origin": origin.url})
    look.expect("a certificate that is not trusted gives 502", project.send("/v1/secure/cart") == 502)
    project.recorded_path("/v1/secure/cart")
    number = look.number("/v1/secure/cart")
    fixes = json.loads(project.command("show", str(number), "--json"))["error"]["fixes"]
    look.expect("a certificate is pinned before trust is disabled: %s" % fixes,
                len(fixes) > 1 and "disabled" in fixes[-1] and "disabled" not in fixes[0])
    look.open()
    look.show(number, "tls")
    look.sees("what helps, in the words and the order of `show`",
              "JSON.stringify([...document.querySelectorAll('.fixes li')].map(item => item.textContent)) === arguments[0]",
              json.dumps(fixes, ensure_ascii=False, separators=(",", ":")))
    look.shot("untrusted")


@case
def contracts(look):
    project = look.project
    pathlib.Path(project.folder.name, "api.json").write_text(json.dumps({
        "openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {"/v1/cart/calls": {"post": {
            "requestBody": {"content": {"application/json": {"schema": {"required": ["query"]}}}}, "responses": {"200": {
                "description": "a cart", "content": {"application/json": {"schema": {"required": ["absent"]}}}}}}}}}))
    project.route({"host": "api.shop.test", "path": "/v1/cart/calls", "contract": "../api.json", "origin": project.local.url})
    project.send("/v1/cart/calls", "POST", b'{"query": "query Cart { cart { id } }"}', Content_Type="application/json")
    project.recorded_path("/v1/cart/calls")
    look.browser.size(1800, 900)
    look.open()
    row = "%s.find(row => row.innerText.includes('/v1/cart/calls'))" % ROWS
    look.sees("the row says that it differs", "%s?.innerText.includes('≠')" % row)
    look.sees_column("Operation", "[...(%s?.children ?? [])].some(cell => cell.innerText.trim() === 'query Cart')" % row)
    look.show(look.number("/v1/cart/calls"), "overview")
    look.sees("what differs, with its rule", "/\\$ has no member absent.*api\\.json:/s.test(document.querySelector('.contract')?.innerText ?? '')")
    look.shot("contract")
    look.sees("all that differ", "(button => button && (button.click(), true))([...document.querySelectorAll('.detail button')]"
              ".find(button => button.innerText === 'Show all such exchanges'))")
    look.sees("the filter", "document.querySelector('.filter input').value === '~contract' && %s.length === 1 && %s" % (ROWS, row))
    look.browser.run(TYPE, "")
    look.sees("everything is back", ROWS + ".length > 1")
    look.browser.size(1280, 720)


@case
def sealed(look):
    project = look.project
    recipient = project.command("keys", "new", "key.txt").strip()
    project.stop()
    project.options = ["--seal-to", recipient]
    project.start()
    project.send("/v1/cart/before")
    project.recorded_path("/v1/cart/before")
    project.stop()
    project.start()
    project.send("/v1/cart/since")
    project.recorded_path("/v1/cart/since")
    look.open()
    look.sees("the newest part is shown", ROWS + ".length === 1")
    look.press("[data-sealed]")
    look.sees("it says how to see the rest", "document.body.innerText.includes('shunt keys unlock')")
    look.shot("sealed")
    project.command("keys", "unlock", "key.txt", "--for", "5m")
    look.sees("what is older comes by itself", ROWS + ".some(row => row.innerText.includes('/v1/cart/before'))")
    look.sees("for how long is shown", "/Unsealed [45]:/.test(document.querySelector('[data-sealed]').innerText)")
    look.show(look.number("/v1/cart/before"), "response")
    look.sees("with its body", PANE + ".includes('environment')")
    look.press("[data-sealed]")
    look.sees("a button locks it again", "(found => found && (found.click(), true))([...document.querySelectorAll("
              "'[popover] button')].find(button => button.innerText === 'Lock it again'))")
    look.sees("what is older is gone", ROWS + ".length === 1")
    project.stop()
    project.options = []
    project.start()


@case
def restart(look):
    look.open()
    look.sees("there are rows", ROWS + ".length > 5")
    look.browser.run("window.sameAsBefore = true")
    look.project.stop()
    look.sees("a line says that Shunt is away", "!document.querySelector('.line').hidden")
    look.expect("what is shown stays", look.browser.run("return %s.length > 5" % ROWS))
    look.shot("disconnected")
    look.project.start()
    look.sees("the line goes", "document.querySelector('.line').hidden")
    look.project.send("/v1/cart/after")
    look.sees("new traffic appears, without a new login", "window.sameAsBefore && %s.some(row => "
              "row.innerText.includes('/v1/cart/after'))" % ROWS)


def traffic(project):
    project.send("/v1/cart/7", Authorization="Bearer abcdefgh.ijklmnop.qrstuvwx")
    project.send("/v1/promo")
    project.send("/v1/cart/order", "POST", b'{"sku": "A-1", "count": 2, "password": "hunter2"}',
                 Content_Type="application/json", Cookie="session=abcdefgh12345678")
    project.send("/v1/user?q=red+shoes&token=abcdef", "PUT", b"name=Ann+Lee&city=K%C3%B6ln",
                 Content_Type="application/x-www-form-urlencoded")
    for path in ["/v1/cart/missing", "/v1/cart/broken", "/v1/down/x", "/events", "/v1/news", "/site/page.txt"]:
        project.send(path)
    project.send("/v1/guarded/x", "POST", b"x")
    project.socket("/v1/socket")
    project.recorded(12)


def main():
    with Project(task["shunt"], ["--store-body", "16m"]) as project, Chromium(
            task["driver"], task["browser"], ["--window-size=1280,720"]) as browser:
        browser.size(1280, 720)
        traffic(project)
        for function in CASES:
            name = function.__name__
            if name not in task["only"] + ["login"] if task.get("only") else name in EXTENDED:
                continue
            look = Look(browser, project)
            try:
                function(look)
            except Gone as error:
                look.problems.append("a script of this case found no page or no element: %s" % error)
            print(json.dumps({"case": function.__name__, "problems": look.problems}), flush=True)


main()
