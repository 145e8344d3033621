// What is added to the filter by a click: only some kinds of exchanges, some types, without what is hidden.
import { h, iconButton, plain, popover } from "./dom.js";
import { remember, remembered } from "./settings.js";

/** `[name, filter]`, in groups whose members add up. */
const GROUPS = [
    ["What", [["errors", "~e | ~c 5xx"], ["slow", "~slow 1s"], ["mocks", "~mock"], ["ws", "~websocket"]]],
    ["Types", [["JSON", "~ts json"], ["HTML", "~ts html"], ["scripts", "~ts script"], ["styles", "~ts css"], ["pictures", "~ts \"^image/\""],
        ["fonts", "~ts font"], ["media", "~ts \"^(audio|video)/\""], ["Protocol Buffers", "~ts \"protobuf|grpc\""], ["events", "~ts event-stream"]]],
];

/** Hosts whose rows are highlighted. */
export const highlights = new Set(remembered("highlights", []));

export class Quick {
    #changed;
    #pressed = new Set(remembered("pressed", []));
    #hidden = remembered("hidden", []);

    /** `changed()` is called behind each change. */
    constructor(changed) {
        this.#changed = changed;
        this.button = h("button", { type: "button", class: "only", "aria-haspopup": "true", onclick: event => this.#show(event.currentTarget) });
        this.chips = GROUPS[0][1].map(([name, text]) => this.#chip(name, text));
        this.#draw();
    }

    /** Filters that have to hold beside what is typed. */
    get parts() {
        const groups = GROUPS.map(([, members]) => members.filter(([, text]) => this.#pressed.has(text)).map(([, text]) => text).join(" | "));
        return [...groups.filter(Boolean).map(text => `(${text})`), ...this.#hidden.map(text => `!(${text})`)];
    }

    /** Nothing but what is hidden stays. */
    clear() {
        this.#pressed.clear();
        this.#keep(false);
    }

    hide(text) {
        if (!this.#hidden.includes(text)) this.#hidden.push(text);
        this.#keep();
    }

    isHighlighted(host) { return highlights.has(host); }

    highlight(host) {
        if (!highlights.delete(host)) highlights.add(host);
        remember("highlights", [...highlights]);
        dispatchEvent(new Event("marks"));
        this.#draw();
    }

    #toggle(text) {
        if (!this.#pressed.delete(text)) this.#pressed.add(text);
        this.#keep();
    }

    #keep(isChange = true) {
        remember("pressed", [...this.#pressed]);
        remember("hidden", this.#hidden);
        this.#draw();
        if (isChange) this.#changed();
    }

    #chip(name, text) {
        return h("button", { type: "button", class: "chip", "data-filter": text, "aria-pressed": "false", onclick: () => this.#toggle(text) }, name);
    }

    #draw() {
        for (const chip of document.querySelectorAll(".popover .chip")) chip.setAttribute("aria-pressed", String(this.#pressed.has(chip.dataset.filter)));
        for (const chip of this.chips) chip.setAttribute("aria-pressed", String(this.#pressed.has(chip.dataset.filter)));
        const count = this.#pressed.size + this.#hidden.length;
        this.button.textContent = count ? `Only (${count}) ▾` : "Only ▾";
        this.button.setAttribute("aria-label", "Only some kinds and types; what is hidden");
    }

    #show(button) {
        const list = (title, texts, remove) => texts.length > 0 && [h("h3", {}, title), h("ul", { class: "facts" }, texts.map(text => h("li", {}, h("code", {}, plain(text)), " ",
            iconButton("close", `Remove ${plain(text)}`, event => { remove(text); event.target.closest("li").remove(); }))))];
        popover(button, GROUPS.map(([title, members]) => [h("h3", {}, title), h("div", { class: "chips" }, members.map(([name, text]) => this.#chip(name, text)))]),
            list("Hidden", this.#hidden, text => { this.#hidden = this.#hidden.filter(other => other !== text); this.#keep(); }),
            list("Highlighted hosts", [...highlights], host => this.highlight(host)));
        this.#draw();
    }
}
