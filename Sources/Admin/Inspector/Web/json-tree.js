// JSON as a tree that is unfolded level by level, with search and copies of paths.
import { copy, h, iconButton, plain } from "./dom.js";
import { withChips } from "./heads.js";

const STEP = 100;
/** Levels that are open at once if they have few members. */
const FEW = 30;
/** Characters that are seen at one glance. */
const WITHOUT_SEARCH = 300;

// The one URL that a script may be made from (Trusted Types).
const source = new URL("./json-worker.js", import.meta.url).href;
const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: () => source });

/** The parts of a worker that read one text. */
class Reader {
    #worker = new Worker(policy ? policy.createScriptURL("") : source, { type: "module" });
    #waiting = new Map();
    #last = 0;

    constructor() {
        this.#worker.onmessage = ({ data }) => {
            const { resolve, reject } = this.#waiting.get(data.number);
            this.#waiting.delete(data.number);
            if (data.problem) reject(new Error(data.problem)); else resolve(data.result);
        };
    }

    ask(action, more) {
        const number = ++this.#last;
        return new Promise((resolve, reject) => {
            this.#waiting.set(number, { resolve, reject });
            this.#worker.postMessage({ number, action, ...more });
        });
    }

    end() { this.#worker.terminate(); }
}

/** Those whose trees are shown: the request's and the response's may stand beside each other. */
let readers = [];
const MOST = 4;

/** A reader for one more tree; those of trees that are gone end. */
function begin() {
    const isOver = ({ element }, index, all) => element ? !element.isConnected : all.length - index >= MOST;
    for (const { own } of readers.filter(isOver)) own.end();
    readers = [...readers.filter((...one) => !isOver(...one)), { own: new Reader(), element: null }];
    return readers.at(-1);
}

/** A tree of a text, of which the first part is seen at once; throws when that is no JSON. */
export async function jsonTree(text) {
    const reader = begin();
    const { own } = reader;
    const root = await own.ask("read", { text });
    const tree = h("ul", { class: "tree mono", role: "tree", "aria-label": "JSON" });
    const nodes = new Map();
    const top = node(own, nodes, { ...root, key: "$" }, [], "$");
    tree.append(top);
    if (root.branch) await top.open();
    for (const inner of [...nodes.values()]) if (inner !== top && inner.few) await inner.open();
    tree.addEventListener("keydown", event => move(event, tree));
    const element = h("div", { class: "json" }, text.length > WITHOUT_SEARCH && searchBox(own, nodes), tree);
    requestAnimationFrame(() => { reader.element = element; });
    own.ask("rest").catch(problem => element.prepend(h("p", { class: "note" }, `No more is read: ${problem.message}`)))
        .then(() => { for (const inner of nodes.values()) inner.grow?.(); });
    return element;
}

function node(own, nodes, item, path, name) {
    const { key, branch, kind, text, length } = item;
    let { count } = item;
    const isIndex = typeof key === "number";
    const label = path.length ? [h("span", { class: isIndex ? "index" : "key" }, isIndex ? key : plain(JSON.stringify(key).slice(1, -1))), ": "] : [];
    const figure = isWhole => `${branch[0]} ${count}${isWhole ? "" : " …"} ${branch[1]}`;
    const value = branch ? h("span", { class: "quiet" }, figure(!item.grows)) : h("span", { class: `value ${kind}` }, withChips(text));
    const head = h("span", { class: "item" }, h("span", { class: "twist", "aria-hidden": "true" }, branch && count ? "▸" : ""), label, value,
        length > text?.length && iconButton("save", "Copy all of it", async () => copy(await own.ask("text", { path }))),
        path.length > 0 && iconButton("edit", "Change it by a rule", () => element.dispatchEvent(new CustomEvent("rule", { bubbles: true, detail: { path: name, value: branch ? "" : text } })), { class: "icon hover", tabindex: "-1" }),
        iconButton("copy", "Copy the path", () => copy(name), { class: "icon hover", tabindex: "-1" }));
    const element = h("li", { role: "treeitem", tabindex: path.length ? "-1" : "0", "aria-expanded": branch && count ? "false" : undefined }, head);
    nodes.set(path.join("."), element);
    element.few = branch && count > 0 && count <= FEW && path.length < 2;
    let list;
    element.open = async () => {
        if (!branch || !count) return;
        element.setAttribute("aria-expanded", "true");
        head.firstChild.textContent = "▾";
        if (!list) {
            list = h("ul", { role: "group" });
            element.append(list);
            await show(gap(0, count), 0);
        }
        list.hidden = false;
    };
    element.close = () => {
        if (!list) return;
        element.setAttribute("aria-expanded", "false");
        head.firstChild.textContent = "▸";
        list.hidden = true;
    };
    /** Stands for members that are not shown; by a click it gives the first ones of them. */
    const gap = (from, to) => {
        const button = h("button", { type: "button", class: "fold", onclick: () => show(place, place.from) });
        const place = h("li", { role: "none" }, button);
        place.set = (from, to) => {
            Object.assign(place, { from, to });
            button.textContent = `${to - from} ${to < count ? "between" : "more"}`;
            if (from >= to) place.remove();
        };
        list.append(place);
        place.set(from, to);
        return place;
    };
    /** Shows the first members from a number on that a gap stands for. */
    const show = async (place, from) => {
        if (place.isBusy) return;
        place.isBusy = true;
        const items = await own.ask("children", { path, from, count: Math.min(STEP, place.to - from) });
        const { from: start, to } = place;
        const end = from + items.length;
        place.before(...items.map((inner, index) => node(own, nodes, inner, [...path, from + index], pathText(name, inner.key))));
        if (start < from) nodes.get([...path, from].join(".")).before(gap(start, from));
        place.isBusy = false;
        place.set(end, to);
    };
    /** To be called when no more is read: the branch may have more members than it had. */
    if (item.grows) element.grow = async () => {
        const [now, before] = [await own.ask("describe", { path }), count];
        count = now.count;
        value.textContent = figure(!now.grows);
        if (list && count > before) {
            const last = list.lastChild;
            if (last.to === before) last.set(last.from, count); else gap(before, count);
        } else if (!list && count) {
            head.firstChild.textContent = "▸";
            element.setAttribute("aria-expanded", "false");
        }
    };
    /** Unfolds, and shows the member with that index and those around it. */
    element.openTo = async index => {
        await element.open();
        const place = [...list?.children ?? []].find(({ from, to }) => from <= index && index < to);
        if (place) await show(place, index - place.from < STEP ? place.from : index - FEW);
    };
    head.addEventListener("click", event => {
        if (event.target.closest("button") || getSelection().toString()) return;
        if (element.getAttribute("aria-expanded") === "true") element.close(); else element.open();
    });
    return element;
}

const pathText = (name, key) => typeof key === "number" ? `${name}[${key}]` : /^[A-Za-z_]\w*$/.test(key) ? `${name}.${key}` : `${name}[${JSON.stringify(key)}]`;

function searchBox(own, nodes) {
    const figure = h("span", { class: "quiet", role: "status" });
    let [found, at] = [[], -1];
    const go = async by => {
        if (!found.length) return;
        at = (at + by + found.length) % found.length;
        figure.textContent = `${at + 1} of ${found.length}`;
        const path = found[at];
        for (let depth = 0; depth < path.length; depth += 1) await nodes.get(path.slice(0, depth).join("."))?.openTo(path[depth]);
        document.querySelector(".tree .found")?.classList.remove("found");
        const element = nodes.get(path.join("."));
        element?.classList.add("found");
        element?.scrollIntoView({ block: "center" });
    };
    let timer;
    return h("div", { class: "search" }, h("input", {
        type: "search", placeholder: "Search names and values", "aria-label": "Search in the JSON",
        oninput: event => {
            clearTimeout(timer);
            const text = event.target.value;
            timer = setTimeout(async () => {
                found = text ? await own.ask("find", { text }) : [];
                at = -1;
                figure.textContent = text ? `${found.length} found` : "";
                go(1);
            }, 150);
        },
        onkeydown: event => { if (event.key === "Enter") go(event.shiftKey ? -1 : 1); },
    }), figure);
}

function move(event, tree) {
    const items = [...tree.querySelectorAll("[role=treeitem]")].filter(item => item.offsetParent);
    const at = items.indexOf(document.activeElement);
    if (at < 0) return;
    const item = items[at];
    const go = next => { event.preventDefault(); event.stopPropagation(); next?.focus(); };
    if (event.key === "ArrowDown") go(items[at + 1]);
    else if (event.key === "ArrowUp") go(items[at - 1]);
    else if (event.key === "ArrowRight") { go(item); item.open(); }
    else if (event.key === "ArrowLeft") { if (item.getAttribute("aria-expanded") === "true") { go(item); item.close(); } else go(item.parentElement.closest("[role=treeitem]")); }
}
