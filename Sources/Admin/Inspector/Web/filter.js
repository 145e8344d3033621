// The filter box: the language of `shunt logs`, with completion, history, saved filters and its errors.
import { get } from "./api.js";
import { h, iconButton, plain, popover, replace } from "./dom.js";
import { count } from "./format.js";
import { remember, remembered } from "./settings.js";
import { icon } from "./icons.js";
import { Quick } from "./quick.js";
import { Strip } from "./strip.js";

const WHILE_TYPING = 120;
/** Text as a regular expression that finds it. */
export const pattern = text => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
/** Text as one word of the filter language. */
export const quoted = text => /[\s"'&|()~!]/.test(text) ? `"${text.replaceAll('"', '\\"')}"` : text;
/** How the values of operators are counted, and written. */
const VALUES = {
    "~d": ["host", name => quoted(`^${name}$`)], "~m": ["method", name => `^${pattern(name)}$`], "~c": ["status", name => name],
    "~t": ["type", name => quoted(pattern(name))], "~ts": ["type", name => quoted(pattern(name))], "~env": ["profile", quoted],
    "~route": ["route", quoted], "~dst": ["origin", name => quoted(pattern(name))], "~app": ["app", name => quoted(pattern(name))], "~session": ["session", quoted], "~gql": ["operation", name => quoted(pattern(name))], "~trust": ["trust", quoted], "~node": ["node", quoted],
};
/** Counting a million takes a moment. */
const BETWEEN_COUNTS = 120_000;

export class Filter {
    text = remembered("filter", "");
    /** The last one that the interface took. */
    accepted = this.text;
    #changed;
    #timer;
    #chosen = -1;
    #options = [];

    constructor(changed) {
        this.#changed = changed;
        this.input = h("input", {
            type: "text", value: this.text, spellcheck: "false", autocomplete: "off", autocapitalize: "off",
            placeholder: "Filter: a word of the URL, ~d host, ~c 5xx, ~m POST …  ( / )", role: "combobox", "aria-label": "Filter",
            "aria-expanded": "false", "aria-controls": "completions", "aria-autocomplete": "list",
            oninput: () => this.#typed(), onkeydown: event => this.#key(event), onblur: () => this.#close(),
            onfocus: () => this.#complete(),
        });
        this.problem = h("div", { class: "problem", role: "alert", hidden: true });
        this.completions = h("ul", { id: "completions", class: "completions", role: "listbox", hidden: true });
        this.figure = h("span", { class: "figure quiet", role: "status" });
        this.quick = new Quick(() => this.#apply(this.input.value));
        this.strip = new Strip(() => this.#apply(this.input.value));
        this.element = h("div", { class: "filter", role: "search" }, h("span", { class: "loupe" }, icon("loupe")),
            h("div", { class: "box" }, this.input, this.problem, this.completions), this.figure, this.quick.chips, this.quick.button,
            iconButton("more", "Saved filters and history", event => this.#menu(event.currentTarget)));
    }

    /** The words of the language, asked for when they are first wanted. */
    async #operators() {
        this.#known ??= get("/v1/operators").then(({ operators }) => operators).catch(() => { this.#known = undefined; return []; });
        return this.#known;
    }
    #known;

    focus() { this.input.focus(); this.input.select(); }

    /** What is asked for: the typed text, and what was chosen by clicks; by default in the chosen range of time alone. */
    query(text, range = this.strip.parts) {
        const parts = [...this.quick.parts, ...range];
        return parts.length ? [...(text ? [`(${text})`] : []), ...parts].join(" & ") : text;
    }

    /** The whole filter that the interface took. */
    get wanted() { return this.query(this.accepted); }

    /** Shows what a filter finds, and no less. */
    set(text) {
        this.quick.clear();
        this.strip.range = null;
        this.input.value = text;
        this.#apply(text);
    }

    /** Takes over a filter that was right. */
    accept(text) {
        this.accepted = text;
        this.strip.load(this.query(text, []));
        this.problem.hidden = true;
        this.input.removeAttribute("aria-invalid");
        remember("filter", text);
        if (text) remember("history", [text, ...remembered("history", []).filter(other => other !== text)].slice(0, 20));
    }

    /** Shows what is wrong, below the place where it is. */
    refuse({ message, advice, column }) {
        this.input.setAttribute("aria-invalid", "true");
        this.problem.hidden = false;
        replace(this.problem, h("span", { class: "caret", "aria-hidden": "true" }, `${" ".repeat(Math.max(0, column - 1 - (this.query("") ? 1 : 0)))}↑`),
            h("span", {}, `${message.replace("the filter is wrong: ", "")}. ${advice ?? ""}`));
    }

    #counted = { count: 0, newest: 0, time: -Infinity };

    /** How many are loaded, and of how many; the newest one's number tells how many came since they were counted. */
    async tell(shown, isMore, newest = 0) {
        if (performance.now() - this.#counted.time > BETWEEN_COUNTS) {
            this.#counted.time = performance.now();
            const stats = await get("/v1/traffic/stats", { limit: 1 }).catch(() => null);
            this.#counted = { count: stats?.total.count ?? 0, newest, time: performance.now() };
        }
        const total = Math.max(shown, this.#counted.count + Math.max(0, newest - this.#counted.newest));
        this.figure.textContent = this.wanted ? `${count(shown)}${isMore ? "+" : ""} of ${count(total)}` : count(isMore ? total : shown);
    }

    #typed() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#apply(this.input.value), WHILE_TYPING);
        this.#complete();
    }

    #apply(text) {
        clearTimeout(this.#timer);
        this.text = text;
        this.#changed(text.trim());
    }

    // MARK: Completion

    /** Each option is `{ text, what, insert }`, and takes the place of the word before the caret. */
    async #complete() {
        const before = this.input.value.slice(0, this.input.selectionStart ?? 0);
        const [, operator, value] = /(~\w+)\s+("?[^\s"&|()]*)$/.exec(before) ?? [];
        const word = /(~\w*)$/.exec(before)?.[1];
        const options = operator ? await this.#values(operator, value) : word ? (await this.#operators())
            .filter(({ name }) => name.startsWith(word) && name !== word)
            .map(({ name, argument, meaning }) => ({ text: `${name} ${argument ?? ""}`, what: meaning, insert: `${name}${argument ? " " : ""}` })) : [];
        // Meanwhile somebody went on typing.
        if (this.input.value.slice(0, this.input.selectionStart ?? 0) !== before) return;
        this.#options = options;
        this.#chosen = -1;
        this.#draw();
    }

    /** What the traffic has for an operator, with how often. */
    async #values(operator, beginning) {
        const grouping = VALUES[operator];
        if (!grouping) return [];
        const [by, write] = grouping;
        const known = this.#groups.get(by);
        if (!known || performance.now() - known.time > BETWEEN_COUNTS) {
            this.#groups.set(by, { time: performance.now(), groups: get("/v1/traffic/stats", { by, limit: 200 }).then(({ groups }) => groups).catch(() => []) });
        }
        const wanted = beginning.replace(/^"/, "").toLowerCase();
        return (await this.#groups.get(by).groups).filter(({ name }) => name !== null && String(name).toLowerCase().includes(wanted)).slice(0, 12)
            .map(({ name, count: number }) => ({ text: String(name), what: count(number), insert: `${write(String(name))} ` }))
            .filter(({ insert }) => insert.trim() !== beginning);
    }
    #groups = new Map();

    #draw() {
        const isOpen = this.#options.length > 0 && document.activeElement === this.input;
        this.completions.hidden = !isOpen;
        this.input.setAttribute("aria-expanded", String(isOpen));
        replace(this.completions, this.#options.map(({ text, what }, index) => h("li", {
            role: "option", id: `option-${index}`, "aria-selected": String(index === this.#chosen),
            onmousedown: event => { event.preventDefault(); this.#insert(index); },
        }, h("code", {}, plain(text)), h("span", { class: "quiet" }, what))));
        if (this.#chosen >= 0) this.input.setAttribute("aria-activedescendant", `option-${this.#chosen}`);
        else this.input.removeAttribute("aria-activedescendant");
    }

    #close() { this.#options = []; this.#draw(); }

    #insert(index) {
        const place = this.input.selectionStart;
        const before = this.input.value.slice(0, place).replace(/(~\w*|"?[^\s"&|()]*)$/, () => this.#options[index].insert);
        this.input.value = before + this.input.value.slice(place);
        this.input.setSelectionRange(before.length, before.length);
        this.#typed();
        this.#close();
    }

    #key(event) {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && this.#options.length) {
            event.preventDefault();
            this.#chosen = (this.#chosen + step + this.#options.length) % this.#options.length;
            this.#draw();
        } else if ((event.key === "Tab" || event.key === "Enter") && this.#options.length && (this.#chosen >= 0 || event.key === "Tab")) {
            event.preventDefault();
            this.#insert(Math.max(0, this.#chosen));
        } else if (event.key === "Enter") {
            this.#close();
            this.#apply(this.input.value);
        }
    }

    #menu(button) {
        const saved = remembered("saved", []);
        const open = text => { place.hidePopover(); this.set(text); };
        const entry = (text, isSaved) => h("li", {}, h("button", { type: "button", class: "quiet", onclick: () => open(text) }, plain(text)),
            isSaved && iconButton("close", "Forget", event => {
                remember("saved", remembered("saved", []).filter(other => other !== text));
                event.target.closest("li").remove();
            }));
        const place = popover(button, h("h2", {}, "Saved"), h("ul", { class: "facts" }, saved.map(text => entry(text, true))),
            this.accepted && h("button", {
                type: "button", onclick: () => {
                    remember("saved", [this.accepted, ...saved.filter(text => text !== this.accepted)]);
                    place.hidePopover();
                },
            }, "Save this one"), h("h2", {}, "History"), h("ul", { class: "facts" }, remembered("history", []).map(text => entry(text, false))));
    }
}
