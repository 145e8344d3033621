// The inspector: makes the parts and lets them know of each other.
import { onConnection } from "./api.js";
import { Detail } from "./detail.js";
import { h, replace, toast } from "./dom.js";
import { EnvironmentBar } from "./environment.js";
import { bindKeys, showKeys } from "./keyboard.js";
import { Numbers } from "./numbers.js";
import { Routes } from "./routes.js";
import { codeInLink, redeem } from "./session.js";
import { applyTheme, nextTheme } from "./settings.js";
import { TrafficView } from "./traffic.js";

applyTheme();
const code = codeInLink();
let refused;
if (code) await redeem({ code }).catch(problem => { refused = problem; });
else if (location.search) history.replaceState(null, "", location.pathname + location.hash);

const traffic = new TrafficView({ show: (row, isOpening) => show(row, isOpening), compare: pair => detail.compare(...pair) });
const bar = new EnvironmentBar({ view: name => go(name), theme: nextTheme, help: showKeys });
const detail = new Detail({
    close: () => show(null), row: id => traffic.rows.find(id), rows: () => traffic.rows.all, profiles: () => bar.status?.profiles ?? [],
    filter: text => { go("traffic"); traffic.filter.set(text); }, marked: () => traffic.refreshMarks(),
});
const views = { traffic, routes: new Routes(() => bar.status, detail), numbers: new Numbers(text => { go("traffic"); traffic.filter.set(text); }) };
const line = h("div", { class: "line", role: "status", hidden: true });
const content = h("main", {});

replace(document.getElementById("app"), bar.element, line, content,
    h("div", { id: "toast", role: "status", "aria-live": "polite" }));

let present;
function go(name) {
    if (present === name) return;
    views[present]?.leave?.();
    present = name;
    replace(content, name === "traffic" ? [traffic.tools, traffic.element, detail.element] : views[name].element);
    content.dataset.view = name;
    bar.select(name);
    views[name].enter?.();
}

/** Shows an exchange beside the list; the address leads to it again. */
function show(row, isOpening = true) {
    const id = row?.id;
    history.replaceState(null, "", id === undefined ? location.pathname : `#/exchange/${id}`);
    document.body.classList.toggle("detailed", id !== undefined && (isOpening || detail.isOpen));
    if (id === undefined) {
        detail.close();
        traffic.list.element.focus();
    } else if (isOpening || detail.isOpen) {
        detail.open(id);
    }
}

function follow() {
    if (location.hash.startsWith("#login=")) return location.reload();
    const found = /^#\/(exchange\/(\d+)|routes|numbers)$/.exec(location.hash);
    if (found?.[2]) {
        go("traffic");
        traffic.select(Number(found[2]));
        show({ id: Number(found[2]) });
    } else {
        go(found?.[1] ?? "traffic");
    }
}
addEventListener("hashchange", follow);

onConnection(isThere => {
    line.hidden = isThere;
    if (!isThere) line.textContent = "Shunt does not respond. Trying again; nothing that is shown is lost.";
});
addEventListener("switched", () => bar.refresh());
addEventListener("sealed", () => traffic.load(traffic.filter.text));
addEventListener("logged-out", () => {
    document.body.className = "login";
    replace(document.getElementById("app"), h("main", { class: "card" }, h("h1", {}, "Not logged in any more"),
        h("p", {}, "Run this in the project's folder, and open the link in this browser:"),
        h("pre", { class: "command" }, h("code", {}, "shunt inspect"))));
});

bindKeys({ traffic, detail, bar, go, show });
const isIn = await bar.refresh().then(() => true, problem => problem.status !== 401);
if (isIn) {
    traffic.begin();
    follow();
    if (refused) toast(refused.message, true);
    performance.mark("interactive");
}
