// The list of exchanges: only the rows that are seen are elements, however many there are.
import { h } from "./dom.js";
import { count } from "./format.js";
import { profileStyle } from "./profiles.js";
import { highlights } from "./quick.js";

export const HEIGHT = 24;

export class List {
    /** What is shown, in its order: rows, and groups (`{ group, rows, isOpen }`). */
    items = [];
    selected;
    /** The numbers of exchanges that are chosen beside it. */
    chosen = new Set();
    isFollowing = true;
    #columns;
    #events;
    #pool = [];
    #isScheduled = false;

    /** `events`: `select(row, isOpening, { isMore, isRange })`, `menu(row, place)`, `older()`, `newer()`, which says whether more follow behind
        the last row, `follow()`, `toggle(group)`. */
    constructor(columns, events) {
        this.#columns = columns;
        this.#events = events;
        this.head = h("div", { class: "heads", role: "rowgroup" });
        this.body = h("div", { class: "rows", role: "rowgroup" });
        this.tail = h("button", { type: "button", class: "tail", hidden: true, onclick: () => events.follow() });
        this.element = h("div", {
            class: "list", role: "grid", tabindex: "0", "aria-label": "Exchanges", "aria-multiselectable": "true",
            onscroll: () => this.#scrolled(),
        }, this.head, this.body);
        this.frame = h("div", { class: "frame" }, this.element, this.tail);
        this.body.addEventListener("mousedown", event => {
            const at = event.target.closest(".row")?.at;
            const item = this.items[at];
            if (!item || event.button !== 0) return;
            if (item.group !== undefined) this.#events.toggle(item.group);
            else this.#events.select(item, true, { isMore: event.metaKey || event.ctrlKey, isRange: event.shiftKey });
        });
        this.element.addEventListener("contextmenu", event => {
            // The menu key asks for what is selected.
            const element = event.target.closest(".rows .row") ?? this.body.querySelector(".row.selected:not([hidden])");
            const item = this.items[element?.at];
            if (!item || item.group !== undefined) return;
            event.preventDefault();
            const { left, top } = element.getBoundingClientRect();
            const isPointed = event.button === 2;
            this.#events.menu(item, new DOMRect(isPointed ? event.clientX : left + 40, isPointed ? event.clientY : top + HEIGHT, 0, 0));
        });
        new ResizeObserver(() => {
            if (this.#columns.fit(this.element.clientWidth - 16)) this.resetColumns();
            if (this.isFollowing) this.toEnd();
            this.schedule();
        }).observe(this.element);
        this.resetColumns();
    }

    resetColumns() {
        this.element.style.setProperty("--columns", this.#columns.template);
        this.head.replaceChildren(this.#columns.header());
        this.#pool = [];
        this.body.replaceChildren();
        this.schedule();
    }

    /** Shows other items. `shift` is how many rows came in front of what is read (less than 0: went), `news` how many behind. */
    show(items, { shift = 0, news = 0, isNew = false } = {}) {
        this.items = items;
        this.body.style.height = `${items.length * HEIGHT}px`;
        this.element.setAttribute("aria-rowcount", items.length);
        if (isNew) this.isFollowing = true;
        if (this.isFollowing) this.toEnd();
        else if (shift) this.element.scrollTop += shift * HEIGHT;
        this.count(news);
        this.schedule();
    }

    #unseen = 0;

    /** Notes rows that came where nobody looks. */
    count(news) {
        this.#unseen += news;
        this.#tellTail();
    }

    #tellTail() {
        if (this.isFollowing) this.#unseen = 0;
        this.tail.hidden = this.isFollowing || !this.items.length;
        this.tail.textContent = this.#unseen ? `↓ ${count(this.#unseen)} new` : "↓ Follow";
    }

    toEnd() {
        this.isFollowing = true;
        // One more for the heading, which stays in view.
        this.element.scrollTop = (this.items.length + 1) * HEIGHT;
        this.#tellTail();
    }

    toStart() {
        this.isFollowing = false;
        this.element.scrollTop = 0;
    }

    #scrolled() {
        const { scrollTop, scrollHeight, clientHeight } = this.element;
        const isAtEnd = scrollTop + clientHeight >= scrollHeight - 2 && !this.#events.newer();
        if (isAtEnd !== this.isFollowing) {
            this.isFollowing = isAtEnd;
            this.#tellTail();
        }
        if (scrollTop < clientHeight * 2) this.#events.older();
        this.schedule();
    }

    schedule() {
        if (this.#isScheduled) return;
        this.#isScheduled = true;
        requestAnimationFrame(() => { this.#isScheduled = false; this.#draw(); });
    }

    #draw() {
        const first = Math.max(0, Math.floor(this.element.scrollTop / HEIGHT) - 4);
        const last = Math.min(this.items.length, first + Math.ceil(this.element.clientHeight / HEIGHT) + 8);
        const rows = this.items.slice(first, last).filter(item => item.group === undefined);
        let [start, end] = [Infinity, 0];
        for (const row of rows) {
            start = Math.min(start, row.time);
            end = Math.max(end, row.time + row.ms);
        }
        while (this.#pool.length < last - first) this.#pool.push(this.#element());
        this.#pool.forEach((element, index) => {
            const at = first + index;
            element.hidden = at >= last;
            // Two elements with one number would be none for those who look for it.
            if (at < last) this.#fill(element, at, { start, end }); else element.removeAttribute("id");
        });
        // Readers of the screen look for the row that is named: one that is not drawn is not named.
        const active = `x${this.selected}`;
        if (this.#pool.some(element => element.id === active)) this.element.setAttribute("aria-activedescendant", active);
        else this.element.removeAttribute("aria-activedescendant");
    }

    #element() {
        const element = h("div", { class: "row", role: "row" },
            this.#columns.list.map(() => h("div", { class: "cell", role: "gridcell" })));
        element.cells = [...element.children];
        this.body.append(element);
        return element;
    }

    #fill(element, at, span) {
        const item = this.items[at];
        element.at = at;
        element.style.transform = `translateY(${at * HEIGHT}px)`;
        element.setAttribute("aria-rowindex", at + 1);
        if (item.group !== undefined) {
            element.className = "row group";
            element.dataset.text = `${item.isOpen ? "▾" : "▸"} ${item.group || "no host"}  ${count(item.rows.length)}`;
            element.removeAttribute("id");
            for (const cell of element.cells) cell.textContent = "";
            return;
        }
        const isSelected = item.id === this.selected;
        const { name, kind } = profileStyle(item.profile);
        element.id = `x${item.id}`;
        const isChosen = this.chosen.has(item.id);
        element.className = `row ${kind} p${name} ${isSelected ? "selected" : ""} ${isChosen ? "chosen" : ""} ${item.error ? "bad" : ""} ${highlights.has(item.host) ? "highlighted" : ""}`;
        delete element.dataset.text;
        element.setAttribute("aria-selected", isSelected || isChosen);
        this.#columns.fill(element.cells, item, span);
    }

    /** Where the selected exchange stands; -1 if it does not. */
    get place() { return this.selected === undefined ? -1 : this.items.findIndex(item => item.id === this.selected); }

    /** Moves the selection by some rows; with `isRange` what is passed is chosen. */
    step(by, isRange = false) {
        const at = this.place;
        const row = this.#rowAt(at < 0 ? this.items.length - 1 : at + by, Math.sign(by));
        if (!row) return;
        if (isRange) this.#events.select(row, false, { isRange });
        this.#events.select(row, false);
    }

    /** Selects the first row, or the last one. */
    stepTo(isEnd) {
        const row = this.#rowAt(isEnd ? this.items.length - 1 : 0, isEnd ? -1 : 1);
        if (row) this.#events.select(row, false);
    }

    /** The row at a place, within the list; past groups in a direction. */
    #rowAt(at, direction) {
        at = Math.max(0, Math.min(this.items.length - 1, at));
        while (this.items[at]?.group !== undefined) at += direction || 1;
        return this.items[at];
    }

    /** Selects an exchange and brings it into view; what is read does not move otherwise. */
    select(id) {
        this.selected = id;
        const at = this.place;
        if (at >= 0) {
            const { scrollTop, clientHeight } = this.element;
            if (at * HEIGHT < scrollTop) this.element.scrollTop = at * HEIGHT;
            else if ((at + 2) * HEIGHT > scrollTop + clientHeight) this.element.scrollTop = (at + 2) * HEIGHT - clientHeight;
        }
        this.schedule();
    }
}
