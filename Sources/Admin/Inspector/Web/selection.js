// Several exchanges at once: chosen with Ctrl or Shift, to be exported or compared.
import { post } from "./api.js";
import { failed, h, iconButton, menu, replace, toast } from "./dom.js";
import { count } from "./format.js";
import { FORMS, saveExport } from "./save.js";
import { marks } from "./settings.js";

const MOST_REPLAYED = 50;

export class Selection {
    /** The numbers of the chosen exchanges. */
    ids = new Set();
    #changed;
    #compare;

    /** `changed()` is called behind each change, `compare(pair)` for two. */
    constructor(changed, compare) {
        [this.#changed, this.#compare] = [changed, compare];
        this.element = h("div", { class: "selection", role: "toolbar", "aria-label": "Selection", hidden: true });
    }

    /** Adds or removes one; what was selected before counts as chosen, too. */
    toggle(id, before) {
        if (!this.ids.size && before !== undefined && before !== id) this.ids.add(before);
        if (!this.ids.delete(id)) this.ids.add(id);
        this.#tell();
    }

    /** Chooses the rows from one to the other, as they stand in the list. */
    range(items, from, to) {
        const [a, b] = [from, to].map(id => items.findIndex(item => item.id === id));
        if (a < 0 || b < 0) return this.toggle(to, from);
        for (const item of items.slice(Math.min(a, b), Math.max(a, b) + 1)) if (item.group === undefined) this.ids.add(item.id);
        this.#tell();
    }

    clear() {
        if (!this.ids.size) return;
        this.ids.clear();
        this.#tell();
    }

    #tell() {
        const { size } = this.ids;
        this.element.hidden = size === 0;
        replace(this.element, h("span", { role: "status" }, `${count(size)} selected`),
            h("button", {
                type: "button", title: "e", "aria-haspopup": "menu", "data-export": "",
                onclick: event => menu(event.currentTarget, FORMS.map(([form, name]) => [name, () => this.export(form), form === "har" && "e"])),
            }, "Export ▾"),
            size === 2 && h("button", { type: "button", onclick: () => this.#compare([...this.ids].sort((a, b) => a - b)) }, "Compare"),
            h("button", { type: "button", onclick: () => this.replay() }, "Replay"),
            h("button", { type: "button", onclick: () => { for (const id of this.ids) marks.set(id, marks.get(id) ?? ""); } }, "Mark"),
            iconButton("close", "Select none (Esc)", () => this.clear()));
        this.#changed();
    }

    /** Sends them again, one behind the other, as they were sent. */
    async replay() {
        const ids = [...this.ids].sort((a, b) => a - b);
        if (ids.length > MOST_REPLAYED) return toast(`At most ${MOST_REPLAYED} are sent again at once`, true);
        const figures = { equal: 0, different: 0, refused: 0 };
        for (const [index, id] of ids.entries()) {
            toast(`Sending ${index + 1} of ${ids.length} …`);
            const name = await post(`/v1/traffic/${id}/replay`).then(({ equal }) => equal ? "equal" : "different", () => "refused");
            figures[name] += 1;
        }
        toast(Object.entries(figures).filter(([, number]) => number).map(([name, number]) => `${number} ${name}`).join(", "), figures.refused > 0);
    }

    async export(form = "har") {
        if (!this.ids.size) return toast("Select rows with Ctrl or Shift first");
        const parts = ranges([...this.ids].sort((a, b) => a - b));
        if (parts.length > 500) return toast("Too many separate rows; export what a filter finds instead", true);
        try {
            await saveExport(form, `~id ${parts.join(",")}`, "selection");
            toast(`${count(this.ids.size)} exported`);
        } catch (problem) { failed(problem); }
    }
}

/** `[1, 2, 3, 7]` as `["1-3", "7"]`. */
function ranges(ids) {
    const parts = [];
    for (const id of ids) {
        const last = parts.at(-1);
        if (last && last[1] === id - 1) last[1] = id; else parts.push([id, id]);
    }
    return parts.map(([from, to]) => from === to ? `${from}` : `${from}-${to}`);
}
