// The inspector: makes the parts and lets them know of each other.
import { get, onConnection, post } from "./api.js";
import { Detail } from "./detail.js";
import { copy, h, menu, point, replace, toast } from "./dom.js";
import { composeRequest } from "./edit.js";
import { EnvironmentBar } from "./environment.js";
import { pattern, quoted } from "./filter.js";
import { Holds } from "./holds.js";
import { bindKeys, showKeys } from "./keyboard.js";
import { Numbers } from "./numbers.js";
import { openPalette } from "./palette.js";
import { Routes } from "./routes.js";
import { codeInLink, redeem } from "./session.js";
import { applyTheme, marks, nextTheme } from "./settings.js";
import { TrafficView } from "./traffic.js";
import { urlOf } from "./rows.js";

applyTheme();
const code = codeInLink();
let refused;
if (code) await redeem({ code }).catch(problem => { refused = problem; });
else if (location.search) history.replaceState(null, "", location.pathname + location.hash);

const holds = new Holds({ present: (title, content) => { go("traffic"); detail.present(title, content); }, close: () => detail.close() });
const traffic = new TrafficView({ front: holds.element, held: () => holds.refresh(), show: (row, isOpening) => show(row, isOpening), compare: pair => detail.compare(...pair), menu: (row, place) => menu(point(place), actions(row)), compose: () => compose() });
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
        return detail.open(id);
    }
}

/** What can be done with a row: `[title, act, key]`, null for a line. */
function actions(row) {
    const opened = act => async () => { await show(row); if (detail.exchange?.id === row.id) act(); };
    const { quick } = traffic.filter;
    const only = text => traffic.filter.set(text);
    const host = row.host.replace(/:\d+$/, "");
    const others = (bar.status?.profiles ?? []).filter(({ name }) => name !== row.profile);
    return [
        ["Open", () => show(row), "Enter"], null,
        ["Copy as curl", () => detail.copyAs("curl", row.id), "c"], ["Copy the URL", () => copy(urlOf(row))],
        ["Save as a page, to share", () => detail.share(row.id)], null,
        ["Replay", opened(() => detail.replay()), "r"], ...others.slice(0, 4).map(({ name }) => [`Replay against ${name}`, opened(() => detail.replay(name))]),
        ["Edit and resend", opened(() => detail.edit()), "E"], ["Mock it", opened(() => detail.mock()), "m"],
        ["Edit its body by a rule", row.origin && opened(() => detail.rule()), "B"],
        [marks.get(row.id) === undefined ? "Mark" : "Unmark", () => marks.set(row.id, marks.get(row.id) === undefined ? "" : null), "x"],
        ["Compare with the marked one", () => traffic.compareMarked(), "="], ["Breakpoint here", host && (() => holds.add(filterOf(row, host))), "b"], null,
        ["Only this host", host && (() => only(`~d ${quoted(`^${host}$`)}`))], ["Only this route", row.route && (() => only(`~route ${quoted(row.route)}`))],
        ["Hide this host", host && (() => quick.hide(`~d ${quoted(`^${host}$`)}`))], [quick.isHighlighted(row.host) ? "Highlight this host no more" : "Highlight this host", host && (() => quick.highlight(row.host))],
    ];
}

/** What finds requests like that of a row. */
const filterOf = ({ method, path }, host) => [`~m ${quoted(`^${method}$`)}`, `~d ${quoted(`^${pattern(host)}$`)}`, `~u ${quoted(pattern(path.split("?")[0]))}`].join(" & ");

function breakpoint() {
    const row = traffic.rows.find(traffic.list.selected);
    holds.add(row ? filterOf(row, row.host.replace(/:\d+$/, "")) : "");
}

/** Sends a request that was not recorded, and shows it. */
function compose() {
    const { status } = bar;
    composeRequest(status?.urls.at(-1) ?? "http://localhost/", status?.active, status?.profiles ?? [], async (profile, { method, url, fields, body }) => {
        const { status } = await post("/v1/requests", { profile, method, url, fields, body });
        toast(`Responded with ${status}`);
        const { exchanges: [newest] } = await get("/v1/traffic", { filter: `~m ^${method}$ & ~d ${quoted(`^${new URL(url).hostname}$`)}`, limit: 1 });
        if (newest) { go("traffic"); traffic.select(newest.id); show(newest); }
    });
}

function commands() {
    const row = traffic.rows.find(traffic.list.selected);
    return [
        ...(bar.status?.profiles ?? []).map(({ name }) => [`Switch to ${name}`, () => bar.use(name)]),
        ["Traffic", () => go("traffic"), "g t"], ["Routes", () => go("routes"), "g r"], ["Numbers", () => go("numbers"), "g n"],
        ...(row ? actions(row).filter(Boolean).filter(([, act]) => act).map(([title, act, key]) => [`${title} (#${row.id})`, act, key]) : []),
        ["Compose a request", compose, "n"], ["Set a breakpoint", breakpoint, "b"], ["Filter", () => { go("traffic"); traffic.filter.focus(); }, "/"], ["Show everything", () => traffic.filter.set("")],
        [traffic.isPaused ? "Go on" : "Pause", () => traffic.togglePause(), "Space"], ["Newest exchange", () => traffic.follow(), "G"], ["Oldest exchange", () => traffic.toOldest(), "g g"],
        ["Slowest first", () => { go("traffic"); traffic.columns.sortBy("ms"); }], ["In the order of their numbers", () => { go("traffic"); traffic.columns.sortBy("id"); }],
        ["Light or dark", nextTheme], ["Keys", showKeys, "?"],
    ];
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

bindKeys({ traffic, detail, bar, go, show, compose, breakpoint, palette: () => openPalette(commands()) });
const isIn = await bar.refresh().then(() => true, problem => problem.status !== 401);
if (isIn) {
    traffic.begin();
    follow();
    if (refused) toast(refused.message, true);
    performance.mark("interactive");
}
