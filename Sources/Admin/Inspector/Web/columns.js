// The columns of the list: which there are, which are shown, how wide, and how rows are sorted by them.
import { h, iconButton, plain, popover } from "./dom.js";
import { clock, duration, size } from "./format.js";
import { marks, remember, remembered } from "./settings.js";
import { phasesOf } from "./timing.js";

const sign = row => row.running ? "…" : row.error ? "✕" : row.contract ? "≠" : row.status >= 500 || row.errors > 0 ? "!" : "";
const LETTERS = { mock: "M", recording: "R", files: "F", push: "P", bridge: "B", kept: "K", tunnel: "T", shunt: "S" };
const mark = row => marks.get(row.id) !== undefined ? "★" : "";

/** `text` is what a cell shows, `key` what it sorts by. */
export const COLUMNS = [
    { name: "id", title: "#", width: 64, number: true, text: row => mark(row) + row.id, key: row => row.id },
    { name: "time", title: "Time", width: 68, number: true, text: row => clock.format(row.time), key: row => row.time },
    { name: "method", title: "Method", width: 62, text: row => row.method, key: row => row.method },
    { name: "host", title: "Host", width: 150, text: row => row.host, key: row => row.host },
    { name: "path", title: "Path", width: 0, text: row => row.path.replace(SECRET, "⟨$1⟩") + (row.operation ? ` · ${row.operation}` : ""), key: row => row.path },
    {
        name: "status", title: "Status", width: 64, number: true, key: row => row.status ?? (row.error ? 999 : 0),
        text: row => `${row.status ?? (row.error ? "fail" : "")} ${sign(row)}`.trim(),
        className: row => `${row.error ? "s5" : `s${Math.floor((row.status ?? 0) / 100)}`} ${row.unverified ? "unverified" : ""} ${row.contract ? "warn" : ""}`,
    },
    { name: "by", title: "By", width: 30, text: row => LETTERS[row.by] ?? "", key: row => row.by ?? "" },
    { name: "type", title: "Type", width: 84, text: row => short(row.type), key: row => row.type ?? "" },
    { name: "size", title: "Size", width: 64, number: true, isLargestFirst: true, text: row => size(row.size), key: row => row.size },
    { name: "ms", title: "Duration", width: 68, number: true, isLargestFirst: true, text: row => row.running ? "" : duration(row.ms), key: row => row.ms },
    { name: "profile", title: "Profile", width: 84, text: row => row.profile ?? "", key: row => row.profile ?? "" },
    { name: "operation", title: "Operation", width: 120, text: row => row.operation ?? "", key: row => row.operation ?? "" },
    { name: "session", title: "Session", width: 90, text: row => row.session ?? "", key: row => row.session ?? "" },
    { name: "app", title: "Program", width: 90, text: row => row.app ?? "", key: row => row.app ?? "" },
    {
        name: "trust", title: "Trust", width: 46, text: row => row.unverified ? "⚠" : row.trust ? "✓" : "",
        key: row => row.unverified ? 2 : row.trust ? 1 : 0, className: row => row.unverified ? "warn" : "quiet",
    },
    { name: "waterfall", title: "Waterfall", width: 150, key: row => row.time, className: () => "waterfall" },
];
const FIRST_TO_GO = ["waterfall", "trust", "session", "operation", "app", "profile", "type", "host", "size", "by", "time", "id", "ms"];
const SECRET = /%3Credacted:([^:%]*):[0-9a-z]+%3E/g;
const USUAL = ["id", "time", "method", "host", "path", "status", "by", "type", "size", "ms", "waterfall"];

const short = type => type ? type.replace(/^(application|text)\//, "").replace(/^x-www-form-urlencoded$/, "form") : "";

export class Columns {
    shown = remembered("columns", USUAL);
    widths = remembered("widths", {});
    order = remembered("order", COLUMNS.map(column => column.name));
    sort = remembered("sort", { name: "id", up: true });
    #changed;

    constructor(changed) { this.#changed = changed; }

    #room = Infinity;

    /** What there is room for: the less important columns give way first. */
    get list() {
        const list = this.all.filter(column => this.shown.includes(column.name));
        let width = list.reduce((sum, column) => sum + this.#width(column), 0);
        for (const name of FIRST_TO_GO) {
            if (width <= this.#room) break;
            const at = list.findIndex(column => column.name === name);
            if (at >= 0) width -= this.#width(list.splice(at, 1)[0]);
        }
        return list;
    }

    /** Every column in the chosen order; new ones are at the end. */
    get all() {
        const place = ({ name }) => this.order.includes(name) ? this.order.indexOf(name) : COLUMNS.length;
        return [...COLUMNS].sort((a, b) => place(a) - place(b));
    }

    /** Puts a column in front of another one. */
    move(name, before) {
        if (name === before) return;
        const others = this.all.map(column => column.name).filter(other => other !== name);
        others.splice(before === undefined ? others.length : others.indexOf(before), 0, name);
        this.order = others;
        this.#keep();
    }

    #width(column) { return this.widths[column.name] ?? (column.width || 170); }

    /** Tells the width that there is; returns whether that changes the columns. */
    fit(width) {
        const before = this.list.length;
        this.#room = width;
        return this.list.length !== before;
    }

    /** The grid of a row. */
    get template() {
        return this.list.map(column => {
            return column.name === "path" && !this.widths.path ? "minmax(60px, 1fr)" : `${this.#width(column)}px`;
        }).join(" ");
    }

    get isPlain() { return this.sort.name === "id" && this.sort.up; }

    compare() {
        const { key } = COLUMNS.find(column => column.name === this.sort.name) ?? COLUMNS[0];
        const turn = this.sort.up ? 1 : -1;
        return (left, right) => {
            const [a, b] = [key(left), key(right)];
            return a < b ? -turn : a > b ? turn : left.id - right.id;
        };
    }

    sortBy(name) {
        const { isLargestFirst = false } = COLUMNS.find(column => column.name === name);
        this.sort = { name, up: this.sort.name === name ? !this.sort.up : !isLargestFirst };
        this.#keep();
    }

    #keep() {
        remember("columns", this.shown);
        remember("widths", this.widths);
        remember("sort", this.sort);
        remember("order", this.order);
        this.#changed();
    }

    header() {
        return h("div", { class: "row head", role: "row" }, this.list.map(column => {
            const isSorted = this.sort.name === column.name;
            return h("div", {
                role: "columnheader", class: `cell ${column.number ? "number" : ""}`, "data-column": column.name,
                draggable: "true", ondragstart: event => this.#isResizing ? event.preventDefault() : event.dataTransfer.setData("text/x-column", column.name),
                ondragover: event => event.dataTransfer.types.includes("text/x-column") && event.preventDefault(),
                ondrop: event => { event.preventDefault(); this.move(event.dataTransfer.getData("text/x-column"), column.name); },
                "aria-sort": isSorted ? (this.sort.up ? "ascending" : "descending") : "none",
            },
            h("button", { type: "button", tabindex: "-1", onclick: () => this.sortBy(column.name) },
                column.title, isSorted && !this.isPlain ? (this.sort.up ? " ↑" : " ↓") : ""),
            h("span", { class: "grip", "aria-hidden": "true", onpointerdown: event => this.#resize(event, column) }));
        }));
    }

    #resize(event, column) {
        event.preventDefault();
        const grip = event.currentTarget;
        const [start, width] = [event.clientX, grip.parentElement.offsetWidth];
        grip.setPointerCapture(event.pointerId);
        this.#isResizing = true;
        grip.onpointermove = ({ clientX }) => {
            this.widths[column.name] = Math.max(28, width + clientX - start);
            grip.closest(".list").style.setProperty("--columns", this.template);
        };
        grip.onpointerup = () => { grip.onpointermove = null; this.#isResizing = false; this.#keep(); };
    }
    #isResizing = false;

    /** Lets the user choose. */
    choose(button) {
        const list = h("fieldset", { class: "choices" });
        const draw = () => list.replaceChildren(h("legend", {}, "Columns"), ...this.all.map((column, index, all) =>
            h("div", {}, h("label", {}, h("input", {
                type: "checkbox", checked: this.shown.includes(column.name), disabled: column.name === "path",
                onchange: event => {
                    this.shown = event.target.checked
                        ? [...this.shown, column.name] : this.shown.filter(name => name !== column.name);
                    this.#keep();
                },
            }), ` ${column.title}`), index > 0 && h("button", {
                type: "button", class: "icon", "aria-label": `${column.title} further to the left`, onclick: () => { this.move(column.name, all[index - 1].name); draw(); },
            }, "↑"))));
        draw();
        popover(button, list, h("button", {
            type: "button", onclick: () => {
                [this.shown, this.widths, this.sort, this.order] = [USUAL, {}, { name: "id", up: true }, COLUMNS.map(column => column.name)];
                this.#keep();
                draw();
            },
        }, "As at the start"));
    }

    chooser() { return iconButton("columns", "Choose columns", event => this.choose(event.currentTarget)); }

    /** Writes a row into the cells of an element that is used again and again. */
    fill(cells, row, span) {
        this.list.forEach((column, index) => {
            const cell = cells[index];
            const name = `cell ${column.number ? "number" : ""} ${column.className?.(row) ?? ""}`;
            if (cell.className !== name) cell.className = name;
            if (column.name === "waterfall") return waterfall(cell, row, span);
            const text = plain(column.text(row));
            if (cell.textContent !== text) cell.textContent = text;
        });
    }
}

/** A bar from the row's start to its end, with its phases, within the time that the visible rows span. */
function waterfall(cell, row, { start, end }) {
    let bar = cell.firstElementChild;
    if (!bar) {
        bar = h("i", {});
        cell.replaceChildren(bar);
    }
    const all = Math.max(1, end - start);
    bar.style.left = `${(row.time - start) / all * 100}%`;
    bar.style.width = `${row.ms / all * 100}%`;
    const name = `span ${row.simulated ? "simulated" : ""}`;
    if (bar.className !== name) bar.className = name;
    let at = 0;
    const stops = phasesOf(row).map(([phase, ms]) => {
        const from = at;
        at += ms / Math.max(row.ms, 0.001) * 100;
        return `var(--${phase}) ${from}% ${at}%`;
    });
    bar.style.backgroundImage = `linear-gradient(90deg, ${stops.join(", ")})`;
}
