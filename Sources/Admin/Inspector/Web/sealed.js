// A store that is sealed: only its newest part is shown, unless somebody has lent the key for a while.
import { post } from "./api.js";
import { failed, h, popover } from "./dom.js";
import { countdown } from "./format.js";

/** The button in the bar; `changed()` is called behind each change. */
export class SealedState {
    #popover;
    #seconds;

    constructor(changed) {
        this.element = h("button", { type: "button", class: "quiet", hidden: true, "data-sealed": "", onclick: () => this.#show(changed) });
    }

    /** @param seconds for which all of the store is shown; null where it is not sealed. */
    draw(seconds) {
        this.element.hidden = seconds === null;
        this.element.textContent = seconds > 0 ? `Unsealed ${countdown(seconds)}` : "Sealed";
        this.element.classList.toggle("warn", seconds > 0);
        const hasChanged = this.#seconds !== undefined && this.#seconds > 0 !== seconds > 0;
        this.#seconds = seconds;
        if (!hasChanged) return;
        // What it says is not so any more.
        this.#popover?.hidePopover();
        dispatchEvent(new Event("sealed"));
    }

    #show(changed) {
        const isOpen = this.#seconds > 0;
        this.#popover = popover(this.element, h("h2", {}, "Sealed store"), h("p", {}, isOpen
            ? `All of it is shown for ${countdown(this.#seconds)} more.`
            : "The newest part is shown. With the key at hand, this shows what is older for a while:"),
        isOpen ? h("button", {
            type: "button", onclick: () => post("/v1/store/lock").then(changed).catch(failed),
        }, "Lock it again") : h("pre", { class: "command" }, h("code", {}, "shunt keys unlock --for 15m")));
    }
}
