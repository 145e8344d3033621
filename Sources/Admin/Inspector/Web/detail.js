// The pane beside the list: one exchange in tabs, which keep their place from row to row.
import { get, post } from "./api.js";
import { changesTab } from "./changes.js";
import { compareView } from "./compare.js";
import { copy, failed, h, iconButton, menu, plain, replace, toast } from "./dom.js";
import { duration } from "./format.js";
import { editRequest } from "./edit.js";
import { icon } from "./icons.js";
import { makeMock } from "./mock.js";
import { makeRule } from "./rule.js";
import { messagesTab } from "./messages.js";
import { overviewTab } from "./overview.js";
import { askToForce, replayView } from "./replay.js";
import { saveExport } from "./save.js";
import { requestTab, responseTab } from "./sides.js";
import { marks, remember, remembered } from "./settings.js";
import { timingTab } from "./timing.js";
import { tlsTab } from "./tls.js";

const TABS = [
    ["overview", "Overview", overviewTab], ["request", "Request", requestTab], ["response", "Response", responseTab],
    ["messages", "Messages", messagesTab, exchange => exchange.messages.length > 0 || exchange.status === 101],
    ["changes", "Changes", changesTab], ["timing", "Timing", timingTab], ["tls", "TLS", tlsTab],
];
/** The names that `/v1/traffic/ID/code` knows. */
const CODE = [["curl", "curl"], ["httpie", "HTTPie"], ["swift", "Swift, URLSession"], ["alamofire", "Swift, Alamofire"], ["fetch", "fetch"], ["python", "Python"], ["grpcurl", "grpcurl"]];
/** Parts that change while an exchange runs, and are drawn again; a body would be loaded as a whole each time. */
const LIVE = new Set(["overview", "messages", "timing"]);
/** Parts that are shown beside each other where both have room. */
const SIDES = new Set(["request", "response"]);
const BESIDE = 840;
/** Milliseconds between two looks at an exchange that runs. */
const PATIENCE = 1000;

/** An exchange without its bodies, with all its messages, which come page by page; those behind the last one that is known. */
async function exchangeOf(id, known, signal) {
    let [messages, after, exchange] = [known?.messages ?? [], known?.messages_last];
    do {
        exchange = await get(`/v1/traffic/${id}`, { after, bodies: false }, { signal });
        messages = messages.concat(exchange.messages);
        after = exchange.messages_last;
    } while (exchange.messages_more);
    return { ...exchange, messages };
}

export class Detail {
    isOpen = false;
    exchange;
    #events;
    #tab = remembered("tab", "overview");
    #turn = 0;
    #abort = new AbortController();

    constructor(events) {
        this.#events = events;
        this.head = h("header", {});
        this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Parts of the exchange" });
        this.content = h("div", { class: "content", role: "tabpanel", tabindex: "0" });
        this.element = h("aside", { class: "detail", "aria-label": "Exchange", hidden: true },
            this.#grip(), this.head, this.tabs, this.content);
        let wasWide = false;
        new ResizeObserver(() => {
            const isWide = this.content.clientWidth >= BESIDE;
            if (isWide !== wasWide && this.exchange && SIDES.has(this.#filled)) this.#fill(true);
            wasWide = isWide;
        }).observe(this.content);
        this.content.addEventListener("rule", ({ detail, target }) => this.rule({ ...detail, isRequest: Boolean(target.closest("[data-side=request]")) }));
        const width = remembered("detail", null);
        if (width) this.element.style.setProperty("--detail", `${width}px`);
    }

    close() {
        this.#abort.abort();
        this.#turn += 1;
        this.isOpen = false;
        this.element.hidden = true;
        // A pane that opens again does not show what it had before: its buttons and keys would act on that.
        this.exchange = undefined;
        delete this.element.dataset.exchange;
        for (const part of [this.head, this.tabs, this.content]) replace(part);
        document.body.classList.remove("detailed");
    }

    /** Loads an exchange; what is shown stays until it is there. */
    async open(id, isAgain = false) {
        const turn = ++this.#turn;
        this.#abort.abort();
        this.#abort = new AbortController();
        this.isOpen = true;
        this.element.hidden = false;
        try {
            // Messages that are here already are not sent again.
            const known = isAgain ? this.exchange : undefined;
            const exchange = await exchangeOf(id, known, this.#abort.signal);
            if (turn !== this.#turn) return;
            const isSame = known && exchange.messages.length === known.messages.length && exchange.running && exchange.status === known.status;
            this.exchange = exchange;
            if (!isSame) this.#draw(isAgain);
            if (exchange.running) setTimeout(() => turn === this.#turn && this.open(id, true), PATIENCE);
        } catch (problem) {
            if (turn !== this.#turn || problem.name === "AbortError") return;
            this.exchange = undefined;
            replace(this.head, h("div", { class: "title" }, `#${id}`), this.#closer());
            replace(this.tabs);
            replace(this.content, h("div", { class: "state", "data-kind": "problem" }, h("h2", {}, plain(problem.message)),
                h("p", { class: "quiet" }, plain(problem.advice ?? ""))));
        }
    }

    #back() { return h("button", { type: "button", class: "icon back", "aria-label": "Back to the list", onclick: () => this.#events.close() }, icon("back")); }

    #closer() { return iconButton("close", "Close (Esc)", () => this.#events.close()); }

    #draw(isAgain) {
        const exchange = this.exchange;
        this.element.dataset.exchange = exchange.id;
        const [method, url] = [plain(exchange.method), plain(exchange.url)];
        replace(this.head,
            this.#back(),
            h("div", { class: "title", title: url }, h("b", {}, method), " ", url.replace(/^\w+:\/\//, "")),
            h("span", { class: `status ${exchange.error ? "s5" : `s${Math.floor((exchange.status ?? 0) / 100)}`}` },
                exchange.status ?? (exchange.running ? "running" : "failed")),
            h("span", { class: "quiet number" }, exchange.running ? "" : duration(exchange.timings_us.total / 1000)),
            this.#closer(), this.#actions());
        const tabs = TABS.filter(([, , , isThere]) => !isThere || isThere(exchange));
        if (!tabs.some(([name]) => name === this.#tab)) this.#shown = "overview"; else this.#shown = this.#tab;
        replace(this.tabs, tabs.map(([name, title]) => h("button", {
            type: "button", role: "tab", id: `tab-${name}`, "aria-selected": String(name === this.#shown), "data-tab": name,
            tabindex: name === this.#shown ? "0" : "-1", onclick: () => this.show(name), onkeydown: event => this.#key(event),
        }, title, name === "messages" ? ` ${exchange.messages.length}` : "")));
        if (!(isAgain && exchange.running && this.#filled === this.#shown && !LIVE.has(this.#shown))) this.#fill(isAgain);
    }
    #filled;
    #shown = "overview";

    #fill(isAgain = false) {
        const place = isAgain ? this.content.scrollTop : 0;
        const tab = TABS.find(([name]) => name === this.#shown);
        this.#filled = this.#shown;
        const isBeside = SIDES.has(this.#shown) && this.content.clientWidth >= BESIDE;
        this.content.setAttribute("aria-labelledby", `tab-${this.#shown}`);
        replace(this.content, isBeside
            ? h("div", { class: "beside" }, h("section", {}, h("h2", {}, "Request"), requestTab(this.exchange)), h("section", {}, h("h2", {}, "Response"), responseTab(this.exchange)))
            : tab[2](this.exchange, this.#events));
        this.content.scrollTop = place;
    }

    show(name) {
        this.#tab = name;
        remember("tab", name);
        if (this.exchange) this.#draw(false);
    }

    /** Goes to a neighbouring tab. */
    turn(by) {
        const names = [...this.tabs.children].map(tab => tab.dataset.tab);
        if (names.length) this.show(names[(names.indexOf(this.#shown) + by + names.length) % names.length]);
    }

    #key(event) {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        this.turn(step);
        this.tabs.querySelector("[aria-selected=true]").focus();
    }

    #actions() {
        const { id } = this.exchange;
        const comment = marks.get(id);
        return h("div", { class: "actions" },
            h("button", { type: "button", "aria-haspopup": "menu", onclick: event => this.#copyMenu(event.currentTarget) }, "Copy as ▾"),
            h("button", { type: "button", "aria-haspopup": "menu", onclick: event => this.#replayMenu(event.currentTarget) }, "Replay ▾"),
            h("button", { type: "button", title: "E", "data-edit": "", onclick: () => this.edit() }, "Edit and resend"),
            h("button", { type: "button", title: "m", onclick: () => this.mock() }, "Mock it"),
            h("button", {
                type: "button", title: "x", "aria-pressed": String(comment !== undefined),
                onclick: () => { marks.set(id, comment === undefined ? "" : null); this.#draw(true); },
            }, comment === undefined ? "☆ Mark" : "★ Marked"),
            comment !== undefined && h("input", {
                class: "comment", value: comment, placeholder: "Comment", "aria-label": "Comment",
                onchange: event => marks.set(id, event.target.value),
            }));
    }

    #copyMenu(button) {
        menu(button, [...CODE.map(([form, name]) => [name, () => this.copyAs(form), form === "curl" && "c"]),
            null, ["URL", () => copy(this.exchange.url)],
            ["Link to this exchange", () => copy(`${location.origin}/#/exchange/${this.exchange.id}`)],
            null, ["Save as a page, to share", () => this.share()]]);
    }

    #replayMenu(button) {
        menu(button, [["Through the same profile", () => this.replay(this.exchange.profile), "r"], null,
            ...this.#events.profiles().map(({ name }) => [`Against ${name}`, () => this.replay(name)])]);
    }

    share(id = this.exchange?.id) { if (id !== undefined) saveExport("html", `~id ${id}`, `exchange-${id}`).catch(failed); }

    async copyAs(form, id = this.exchange?.id) {
        if (id === undefined) return;
        try {
            const { title, code, secrets } = await get(`/v1/traffic/${id}/code`, { as: form });
            copy(code, `Copied as ${title}${secrets ? `; ${secrets} ${secrets === 1 ? "secret is a variable" : "secrets are variables"} to be set` : ""}`);
        } catch (problem) { failed(problem); }
    }

    rule(at) { if (this.exchange) makeRule(this.exchange, this.#events.profiles(), at); }

    mock() { if (this.exchange) makeMock(this.exchange, this.#events.profiles()); }

    async replay(profile = this.exchange?.profile, force = false) {
        if (!this.exchange) return;
        const { exchange } = this;
        toast("Sending it again …");
        try {
            const result = await post(`/v1/traffic/${exchange.id}/replay`, { profile, force });
            this.#beside(`#${exchange.id} again, with ${profile}`, replayView(exchange, result, profile));
        } catch (problem) {
            if (problem.status !== 409 || force || !problem.advice) return failed(problem);
            askToForce(problem, () => this.replay(profile, true));
        }
    }

    async edit() {
        if (!this.exchange) return;
        const exchange = await get(`/v1/traffic/${this.exchange.id}`).catch(failed);
        if (!exchange) return;
        editRequest(exchange, this.#events.profiles(), async (profile, edit) => {
            const result = await post(`/v1/traffic/${exchange.id}/replay`, { profile, ...edit });
            this.#beside(`#${exchange.id} edited, with ${profile}`, replayView(exchange, result, profile));
        });
    }

    /** Two exchanges side by side. */
    async compare(left, right) {
        try {
            const [a, b] = await Promise.all([left, right].map(id => get(`/v1/traffic/${id}`, { bodies: false })));
            this.isOpen = true;
            this.element.hidden = false;
            document.body.classList.add("detailed");
            this.exchange = b;
            this.#beside(`#${a.id} and #${b.id}`, compareView(a, b));
        } catch (problem) { failed(problem); }
    }

    /** Shows something else than an exchange. */
    present(title, content) {
        this.#abort.abort();
        this.isOpen = true;
        this.element.hidden = false;
        document.body.classList.add("detailed");
        this.exchange = undefined;
        this.#beside(title, content);
        replace(this.tabs);
        content.querySelector("input, textarea")?.focus();
    }

    /** Shows something about the exchange in place of its tabs. */
    #beside(title, content) {
        this.#turn += 1;
        delete this.element.dataset.exchange;
        toast("");
        replace(this.head, this.#back(), h("div", { class: "title", title: plain(title) }, plain(title)), this.#closer());
        this.#filled = undefined;
        replace(this.tabs, h("button", { type: "button", onclick: () => this.#draw(false) }, "‹ Back to the exchange"));
        replace(this.content, content);
        this.content.scrollTop = 0;
    }

    #grip() {
        return h("div", {
            class: "grip", "aria-hidden": "true", onpointerdown: event => {
                const grip = event.currentTarget;
                grip.setPointerCapture(event.pointerId);
                grip.onpointermove = ({ clientX }) => {
                    const width = Math.max(320, innerWidth - clientX);
                    this.element.style.setProperty("--detail", `${width}px`);
                    remember("detail", width);
                };
                grip.onpointerup = () => { grip.onpointermove = null; };
            },
        });
    }
}
