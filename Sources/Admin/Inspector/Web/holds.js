// Breakpoints, and the exchanges that they hold: in front of the list, and in an editor.
import { ask, get, post } from "./api.js";
import { dialog, failed, h, iconButton, plain, replace, toast } from "./dom.js";
import { fieldsOf, line, textOf } from "./edit.js";

const PHASES = [["request", "Requests"], ["response", "Responses"], ["both", "Both"], ["message", "Messages"]];
const left = ms => `${Math.ceil(Math.max(0, ms) / 1000)} s`;

export class Holds {
    #events;
    #held = [];
    #breakpoints = [];
    #readAt = 0;
    #open;
    #turn = 0;

    /** `present(title, content)` shows an editor beside the list, `close()` ends that. */
    constructor(events) {
        this.#events = events;
        this.rows = h("ul", { "aria-label": "Held exchanges" });
        this.bar = h("div", { class: "chips" });
        this.news = h("p", { class: "hidden", role: "status" });
        this.element = h("section", { class: "holds", "aria-label": "Breakpoints", hidden: true }, this.bar, this.rows, this.news);
        setInterval(() => this.#count(), 1000);
    }

    async refresh() {
        const turn = ++this.#turn;
        // `shunt run` has no breakpoints.
        const told = await get("/v1/held").catch(() => ({ held: [], breakpoints: [] }));
        if (turn === this.#turn) this.#take(told);
    }

    #take({ held, breakpoints }) {
        const known = new Set(this.#held.map(({ id }) => id));
        const [first] = held.filter(({ id }) => !known.has(id));
        if (first) this.news.textContent = `A ${first.phase} is held: ${plain(first.method)} ${plain(first.url)}`;
        [this.#held, this.#breakpoints, this.#readAt] = [held, breakpoints, Date.now()];
        this.element.hidden = !held.length && !breakpoints.length;
        const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
        replace(this.bar, breakpoints.map(breakpoint => this.#chip(breakpoint)), breakpoints.length > 1 && h("button", { type: "button", class: "quiet", onclick: () => this.#remove() }, "Remove all"));
        replace(this.rows, held.map(exchange => this.#row(exchange)));
        if (focused) this.element.querySelector(`[data-key="${focused}"]`)?.focus();
        if (this.#open && !held.some(({ id }) => id === this.#open.id)) this.#gone();
    }

    #chip({ id, filter, phase, device, seconds }) {
        const text = `${phase === "both" ? "requests and responses" : `${phase}s`}: ${plain(filter) || "all"}${device ? ` of ${plain(device)}` : ""}`;
        return h("span", { class: "tag breakpoint", title: `They go on by themselves after ${seconds} s` }, h("bdi", {}, text),
            iconButton("close", `Remove the breakpoint for ${text}`, () => this.#remove(id), { "data-key": `b${id}` }));
    }

    #row({ id, phase, from, method, url, status, device, profile, left_ms: time }) {
        return h("li", {}, h("button", { type: "button", class: "link", "data-key": `h${id}`, "data-held": id, onclick: () => this.edit(id) },
            h("b", { class: "badge" }, `Held ${phase}${from ? ` of the ${from}` : ""}`), " ", h("b", {}, plain(method)), ` ${plain(url)}`, status ? ` ${status}` : ""),
        h("span", { class: "quiet" }, [profile, device].filter(Boolean).map(plain).join(", ")), h("span", { class: "quiet number", "data-left": id }, left(time)),
        h("button", { type: "button", "data-key": `c${id}`, onclick: () => this.#decide(id, "continue") }, "Continue"));
    }

    #count() {
        const passed = Date.now() - this.#readAt;
        for (const { id, left_ms: time } of this.#held) {
            for (const place of document.querySelectorAll(`[data-left="${id}"]`)) place.textContent = left(time - passed);
        }
    }

    async #remove(id) {
        try {
            await ask("DELETE", id === undefined ? "/v1/breakpoints" : `/v1/breakpoints?id=${id}`);
            await this.refresh();
        } catch (problem) { failed(problem); }
    }

    async #decide(id, word, body = {}) {
        this.#take(await post(`/v1/held/${id}/${word}`, body).catch(problem => {
            failed(problem);
            throw problem;
        }));
    }

    #gone() {
        const { form } = this.#open;
        this.#open = undefined;
        if (!form.isConnected) return;
        this.#events.close();
        toast("The held exchange has gone on");
    }

    /** Shows a held exchange in an editor. */
    async edit(id) {
        try {
            const message = await get(`/v1/held/${id}`);
            this.#open = { id, form: this.#form(message) };
            this.#events.present(`Held ${message.phase}: ${message.method} ${message.url}`, this.#open.form);
            this.#count();
        } catch (problem) { failed(problem); }
    }

    #form(message) {
        const { id, phase, method, host, path, status, fields, body, base64, note } = message;
        const input = (name, value, more = {}) => h("input", { id: `held-${name}`, class: "mono", value, required: true, spellcheck: "false", ...more });
        const area = (name, value, rows, more = {}) => Object.assign(h("textarea", { id: `held-${name}`, class: "mono", rows, spellcheck: "false", ...more }), { value });
        const [isRequest, isMessage] = [phase === "request", phase === "message"];
        const parts = {
            method: isRequest && input("method", method), host: isRequest && input("host", host), path: isRequest && input("path", path),
            status: !isRequest && !isMessage && input("status", status, { type: "number", min: 200, max: 599 }),
            fields: !isMessage && area("fields", textOf(fields), 10), body: body !== null || base64 === null ? area("body", body ?? "", 12, { disabled: body === null }) : undefined,
            base64: base64 !== null && area("base64", base64, 12),
        };
        const instead = isMessage ? { body: area("instead-body", "", 8) } : { status: input("instead-status", 200, { type: "number", min: 200, max: 599 }), fields: area("instead-fields", "Content-Type: application/json", 4), body: area("instead-body", "", 8) };
        const canRespond = isRequest || isMessage && message.kind !== "event";
        const problem = h("p", { class: "failure", role: "alert", hidden: true });
        const warning = h("p", { class: "note warn", role: "status", hidden: true });
        const refused = error => {
            problem.hidden = false;
            problem.textContent = plain(error.advice ? `${error.message}. ${error.advice}` : error.message);
        };
        const decide = (word, edit) => this.#decide(id, word, edit).catch(refused);
        const check = () => {
            const { fields, body: { value: text } = {} } = answer.hidden ? parts : instead;
            const isJSON = isMessage ? /^\s*[[{]/.test(answer.hidden ? body : "") : /^content-type:[^\n]*json/im.test(fields.value);
            const found = isJSON && text ? mistake(text) : null;
            warning.hidden = found === null;
            warning.textContent = found === null ? "" : `⚠ The body is no JSON: ${plain(found)}`;
        };
        const changed = () => {
            const edit = {};
            const put = (name, value, old) => { if (value !== old) edit[name] = value; };
            if (isRequest) for (const [name, old] of [["method", method], ["host", host], ["path", path]]) put(name, parts[name].value.trim(), old);
            else if (!isMessage) put("status", Number(parts.status.value), status);
            if (!isMessage && parts.fields.value !== textOf(fields)) edit.fields = fieldsOf(parts.fields.value);
            if (body !== null) put("body", parts.body.value, body);
            if (base64 !== null) put("base64", parts.base64.value.replace(/\s/g, ""), base64);
            return edit;
        };
        const answer = h("section", { id: "held-answer", "aria-label": "Respond instead", hidden: true },
            h("div", { class: "edit" }, instead.status && [line("Status", instead.status), line("Fields, one in a line", instead.fields)], line(isMessage ? "Message to its sender" : "Body", instead.body)),
            h("button", {
                type: "button", "data-respond": "",
                onclick: () => decide("respond", { ...instead.status && { status: Number(instead.status.value), fields: fieldsOf(instead.fields.value) }, body: instead.body.value }),
            }, "Respond with it"));
        const form = h("form", { class: "edit held", oninput: () => { problem.hidden = true; check(); }, onsubmit: event => { event.preventDefault(); decide("continue", changed()); } },
            h("div", { class: "actions" }, h("button", { type: "submit", "data-continue": "" }, "Continue"),
                canRespond && h("button", {
                    type: "button", "data-instead": "", "aria-controls": "held-answer", "aria-expanded": "false", onclick: event => {
                        answer.hidden = !answer.hidden;
                        event.currentTarget.setAttribute("aria-expanded", String(!answer.hidden));
                        if (!answer.hidden) (instead.status ?? instead.body).focus();
                        check();
                    },
                }, "Respond instead"), h("button", { type: "button", class: "danger", "data-drop": "", onclick: () => decide("drop") }, "Drop"),
                h("span", { class: "quiet" }, "goes on by itself in ", h("span", { "data-left": id }, left(message.left_ms)))),
            problem, warning, canRespond && answer,
            Object.entries({ method: "Method", host: "Host", path: "Path and query", status: "Status", fields: "Fields, one in a line", body: isMessage ? "Message" : "Body", base64: `${isMessage ? "Message" : "Body"} in Base64` })
                .filter(([name]) => parts[name]).map(([name, title]) => line(title, parts[name])),
            note && h("p", { class: "note" }, plain(note)));
        check();
        return form;
    }

    /** Asks for a breakpoint. */
    add(filter = "", phase = "request") {
        const text = h("input", { id: "hold-filter", class: "mono", value: filter, required: true, spellcheck: "false", placeholder: "~m POST & ~d api.shop.test" });
        const kind = h("select", { id: "hold-phase" }, PHASES.map(([value, name]) => h("option", { value, selected: value === phase }, name)));
        const device = h("input", { id: "hold-device", placeholder: "all clients", spellcheck: "false" });
        const seconds = h("input", { id: "hold-seconds", type: "number", min: 1, max: 600, value: 60, required: true });
        const problem = h("p", { class: "failure", role: "alert", hidden: true });
        const window = dialog("Set a breakpoint", h("form", {
            class: "edit", oninput: () => { problem.hidden = true; }, onsubmit: async event => {
                event.preventDefault();
                try {
                    await post("/v1/breakpoints", { filter: text.value.trim(), phase: kind.value, device: device.value.trim() || undefined, seconds: Number(seconds.value) });
                    window.close();
                    await this.refresh();
                } catch (error) {
                    problem.hidden = false;
                    problem.textContent = plain(error.advice ? `${error.message}. ${error.advice}` : error.message);
                }
            },
        }, line("Filter", text), line("Hold", kind), line("Of the device, or the client's address", device), line("Seconds until they go on by themselves", seconds), problem,
        h("div", { class: "actions" }, h("button", { type: "submit" }, "Set it"))));
        window.classList.add("wide");
        text.focus();
    }
}

/** Why a text is no JSON; null where it is. */
function mistake(text) {
    try {
        JSON.parse(text);
        return null;
    } catch (error) { return error.message; }
}
