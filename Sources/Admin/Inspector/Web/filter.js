// The filter box: the language of `shunt logs`, with completion, history, saved filters and its errors.
import { get } from "./api.js";
import { h, iconButton, plain, popover, replace } from "./dom.js";
import { count } from "./format.js";
import { remember, remembered } from "./settings.js";
import { icon } from "./icons.js";
import { OPERATORS } from "./operators.js";

const QUICK = [["errors", "~e | ~c 5xx"], ["slow", "~slow 1s"], ["mocks", "~mock"], ["ws", "~websocket"]];
const WHILE_TYPING = 120;
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
        this.chips = QUICK.map(([name, text]) => h("button", {
            type: "button", class: "chip", "data-filter": text, "aria-pressed": "false",
            onclick: () => this.set(this.text.trim() === text ? "" : text),
        }, name));
        this.element = h("div", { class: "filter", role: "search" }, h("span", { class: "loupe" }, icon("loupe")),
            h("div", { class: "box" }, this.input, this.problem, this.completions), this.figure, this.chips,
            iconButton("more", "Saved filters and history", event => this.#menu(event.currentTarget)));
        this.#press();
    }

    focus() { this.input.focus(); this.input.select(); }

    set(text) {
        this.input.value = text;
        this.#apply(text);
    }

    /** Takes over a filter that was right. */
    accept(text) {
        this.accepted = text;
        this.problem.hidden = true;
        this.input.removeAttribute("aria-invalid");
        remember("filter", text);
        if (text) remember("history", [text, ...remembered("history", []).filter(other => other !== text)].slice(0, 20));
    }

    /** Shows what is wrong, below the place where it is. */
    refuse({ message, advice, column }) {
        this.input.setAttribute("aria-invalid", "true");
        this.problem.hidden = false;
        replace(this.problem, h("span", { class: "caret", "aria-hidden": "true" }, `${" ".repeat(Math.max(0, column - 1))}↑`),
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
        this.figure.textContent = this.accepted ? `${count(shown)}${isMore ? "+" : ""} of ${count(total)}` : count(isMore ? total : shown);
    }

    #typed() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#apply(this.input.value), WHILE_TYPING);
        this.#complete();
    }

    #apply(text) {
        clearTimeout(this.#timer);
        this.text = text;
        this.#press();
        this.#changed(text.trim());
    }

    #press() {
        for (const chip of this.chips) chip.setAttribute("aria-pressed", String(chip.dataset.filter === this.text.trim()));
    }

    // MARK: Completion

    #complete() {
        const before = this.input.value.slice(0, this.input.selectionStart ?? 0);
        const word = /(~\w*)$/.exec(before)?.[1];
        this.#options = word ? OPERATORS.filter(([name]) => name.startsWith(word) && name !== word) : [];
        this.#chosen = -1;
        this.#draw();
    }

    #draw() {
        const isOpen = this.#options.length > 0 && document.activeElement === this.input;
        this.completions.hidden = !isOpen;
        this.input.setAttribute("aria-expanded", String(isOpen));
        replace(this.completions, this.#options.map(([name, argument, what], index) => h("li", {
            role: "option", id: `option-${index}`, "aria-selected": String(index === this.#chosen),
            onmousedown: event => { event.preventDefault(); this.#insert(index); },
        }, h("code", {}, `${name} ${argument}`), h("span", { class: "quiet" }, what))));
        if (this.#chosen >= 0) this.input.setAttribute("aria-activedescendant", `option-${this.#chosen}`);
        else this.input.removeAttribute("aria-activedescendant");
    }

    #close() { this.#options = []; this.#draw(); }

    #insert(index) {
        const [name, argument] = this.#options[index];
        const place = this.input.selectionStart;
        const before = this.input.value.slice(0, place).replace(/~\w*$/, `${name}${argument ? " " : ""}`);
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
