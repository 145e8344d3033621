// The view of the traffic: what is loaded, filtered, grouped and marked.
import { ask, get } from "./api.js";
import { Columns } from "./columns.js";
import { dialog, failed, h, iconButton, menu, replace, toast } from "./dom.js";
import { emptyState } from "./empty.js";
import { icon } from "./icons.js";
import { Filter } from "./filter.js";
import { count } from "./format.js";
import { List } from "./list.js";
import { Rows, rowFrom, rowOf } from "./rows.js";
import { FORMS, saveExport } from "./save.js";
import { Selection } from "./selection.js";
import { marks, remember, remembered } from "./settings.js";
import { Stream } from "./stream.js";

const FIRST_PAGE = 300;
const PAGE = 1000;

export class TrafficView {
    rows = new Rows();
    isPaused = false;
    #events;
    #stream;
    #next = null;
    #isLoading = false;
    #closed = new Set();
    #grouping = remembered("grouping", "");
    #turn = 0;
    #wanted = "";
    #newest = 0;
    #lastArranged = 0;
    /** Rows end before the newest: what comes is counted, and loaded when it is asked for. */
    #isDetached = false;

    constructor(events) {
        this.#events = events;
        this.columns = new Columns(() => { this.list.resetColumns(); this.arrange(); });
        this.list = new List(this.columns, {
            select: (row, isOpening, { isMore, isRange } = {}) => {
                if (isRange && this.list.selected !== undefined) this.selection.range(this.list.items, this.list.selected, row.id);
                else if (isMore) this.selection.toggle(row.id, this.list.selected);
                else if (isOpening) this.selection.clear();
                if (isMore || isRange) return;
                this.list.select(row.id);
                events.show(row, isOpening);
            },
            menu: (row, place) => { this.list.select(row.id); events.menu(row, place); },
            older: () => this.#loadOlder(), newer: () => this.#loadNewer(), follow: () => this.follow(), toggle: group => this.#toggle(group),
        });
        this.selection = new Selection(() => this.list.schedule(), pair => events.compare(pair));
        this.list.chosen = this.selection.ids;
        this.list.frame.append(this.selection.element);
        this.filter = new Filter(text => this.load(text));
        this.state = h("div", { class: "state" });
        this.pauseButton = iconButton("pause", "Pause (Space)", () => this.togglePause());
        this.grouping = h("select", {
            "aria-label": "Group", onchange: event => {
                this.#grouping = event.target.value;
                remember("grouping", this.#grouping);
                this.arrange(true);
            },
        }, [["", "no groups"], ["host", "by host"], ["page", "by page"]].map(([value, text]) =>
            h("option", { value, selected: value === this.#grouping }, text)));
        this.tools = h("div", { class: "tools" }, this.filter.element, this.grouping, this.pauseButton,
            iconButton("add", "Compose a request (n)", () => events.compose()), iconButton("clear", "Clear", () => this.#clear()),
            iconButton("save", "Export what the filter finds", event => menu(event.currentTarget, FORMS.map(([form, name]) => [name, () => this.#export(form)])), { "aria-haspopup": "menu" }), this.columns.chooser());
        this.element = h("section", { class: "traffic", "aria-label": "Traffic" }, events.front, this.filter.strip.element, this.list.frame, this.state);
        addEventListener("marks", () => this.refreshMarks());
    }

    begin() { this.load(this.filter.text); }

    /** Shows what a filter finds, the newest first page of it at once. A wrong filter leaves the list as it is. */
    async load(text) {
        const turn = ++this.#turn;
        this.#wanted = text;
        this.state.dataset.kind = this.rows.all.length ? "" : "loading";
        try {
            // The stream begins there: what a filter found last may be so old that the stream would skip it again.
            const [newest] = (await get("/v1/traffic", { limit: 1 })).exchanges;
            const { exchanges, next } = await get("/v1/traffic", { filter: this.filter.query(text), limit: FIRST_PAGE });
            if (turn !== this.#turn) return;
            this.filter.accept(text);
            this.rows = new Rows();
            this.rows.take(exchanges.reverse().map(rowOf));
            this.#setNext(next);
            this.#isDetached = false;
            this.#newest = newest?.id ?? 0;
            this.list.isFollowing = true;
            this.#follow();
            this.arrange(true);
        } catch (problem) {
            if (turn !== this.#turn) return;
            this.#wanted = this.filter.accepted;
            if (problem.column !== undefined) this.filter.refuse(problem);
            else this.#explain(problem);
        }
        performance.mark("filtered");
    }

    #follow() {
        this.#stream?.stop();
        this.#stream = new Stream(this.filter.wanted, Math.max(this.rows.last ?? 0, this.#newest), told => this.#take(told));
    }

    #take({ rows, skipped, problem, isHeld, isOpen }) {
        if (problem) return this.#explain(problem);
        if (isHeld || isOpen) return this.#events.held();
        if (this.isPaused) return;
        // A filter that is being loaded must not be replaced by the one before.
        if (skipped) return this.load(this.#wanted);
        if (!rows) return;
        const taken = rows.map(rowFrom);
        this.filter.strip.grow();
        // Rows in front make room for new ones, but not while they are read.
        if (this.rows.isFull && !this.list.isFollowing && this.columns.isPlain) this.#detach();
        if (!this.#isDetached) return this.arrange(false, { news: this.rows.take(taken) });
        const { last } = this.rows;
        this.rows.take(taken.filter(row => row.id <= last));
        this.list.count(taken.filter(row => row.id > this.#newest).length);
        this.#newest = Math.max(this.#newest, taken.at(-1)?.id ?? 0);
        this.list.schedule();
    }

    #detach() {
        if (this.#isDetached) return;
        this.#isDetached = true;
        this.#newest = Math.max(this.#newest, this.rows.last ?? 0);
    }

    #setNext(next) {
        this.#next = next;
        this.rows.isWhole = next === null;
    }

    /** Asks for one page at a time; `take(exchanges, next)` gets it, unless another filter has come. */
    async #page(query, take) {
        if (this.#isLoading || !this.columns.isPlain) return;
        this.#isLoading = true;
        const turn = this.#turn;
        try {
            const { exchanges, next } = await get("/v1/traffic", { filter: this.filter.wanted, limit: PAGE, ...query });
            if (turn === this.#turn) take(exchanges.map(rowOf), next);
        } catch { /* The next scroll tries again. */ } finally { this.#isLoading = false; }
    }

    #loadOlder() {
        const cursor = this.#next;
        if (cursor === null || this.rows.isFull) return;
        this.#page({ cursor }, (rows, next) => {
            // Rows were dropped meanwhile, and these are no neighbours of the first one any more.
            if (cursor !== this.#next) return;
            this.#setNext(next);
            this.arrange(false, { before: this.rows.prepend(rows.reverse()) });
        });
    }

    #loadNewer() {
        if (!this.#isDetached) return false;
        this.#page({ order: "oldest", cursor: `o${this.rows.last}` }, (rows, next) => {
            this.rows.take(rows);
            this.#isDetached = next !== null;
            if (!this.#isDetached) {
                this.#newest = this.rows.last ?? 0;
                this.#follow();
            }
            this.arrange();
        });
        return true;
    }

    /** Shows the oldest exchanges that the filter finds, wherever the list is. */
    async toOldest() {
        if (this.#next === null || !this.columns.isPlain) return this.list.toStart();
        const turn = ++this.#turn;
        const found = await get("/v1/traffic", { filter: this.filter.wanted, limit: PAGE, order: "oldest" }).catch(failed);
        if (!found || turn !== this.#turn) return;
        this.#detach();
        this.rows = new Rows();
        this.rows.take(found.exchanges.map(rowOf));
        this.#setNext(null);
        this.list.isFollowing = false;
        this.arrange();
        this.list.toStart();
    }

    /** Shows the newest ones, and those that come. */
    follow() { return this.#isDetached ? this.load(this.filter.accepted) : this.list.toEnd(); }

    /** Puts the rows in order for the list: sorted, in groups, or as they came. */
    arrange(isNew = false, { before = 0, news = 0 } = {}) {
        const dropped = this.rows.takeDropped();
        // Older rows begin where these ended.
        if (dropped) this.#setNext(`n${this.rows.first}`);
        const shift = before - dropped;
        this.filter.tell(this.rows.all.length, this.#next !== null || this.#isDetached, Math.max(this.rows.last ?? 0, this.#newest));
        this.#explain(null);
        if (this.columns.isPlain && !this.#grouping) return this.list.show(this.rows.all, { shift, news, isNew });
        this.#news += news;
        // Sorting 100,000 rows at each batch would leave no time for anything else.
        const rest = isNew ? 0 : 500 - (performance.now() - this.#lastArranged);
        clearTimeout(this.#later);
        if (rest > 0) { this.#later = setTimeout(() => this.arrange(), rest); return; }
        const sorted = this.columns.isPlain ? this.rows.all : [...this.rows.all].sort(this.columns.compare());
        this.list.isFollowing = false;
        this.list.show(this.#grouping ? this.#groups(sorted) : sorted, { news: this.#news });
        this.#news = 0;
        this.#lastArranged = performance.now();
    }
    #later;
    #news = 0;

    #groups(rows) {
        const groups = new Map();
        // A page is a document with all that came after it, up to the next document.
        let page = "";
        for (const row of rows) {
            if (row.type === "text/html") page = `${row.host}${row.path}`;
            const name = this.#grouping === "host" ? row.host : page;
            const group = groups.get(name);
            if (group) group.push(row); else groups.set(name, [row]);
        }
        return [...groups].flatMap(([group, rows]) => {
            const isOpen = !this.#closed.has(group);
            return [{ group, rows, isOpen }, ...(isOpen ? rows : [])];
        });
    }

    #toggle(group) {
        if (!this.#closed.delete(group)) this.#closed.add(group);
        this.arrange(true);
    }

    #explain(problem) {
        const state = emptyState({
            problem, isEmpty: this.rows.all.length === 0, filter: this.filter.wanted,
            clear: () => this.filter.set(""), isPaused: this.isPaused,
        });
        const kind = state?.kind ?? "";
        if (this.state.dataset.kind === kind && kind === "") return;
        this.state.dataset.kind = kind;
        replace(this.state, state?.content);
    }

    select(id) { this.list.select(id); }

    togglePause() {
        this.isPaused = !this.isPaused;
        replace(this.pauseButton, icon(this.isPaused ? "play" : "pause"));
        this.pauseButton.classList.toggle("on", this.isPaused);
        const name = this.isPaused ? "Go on (Space)" : "Pause (Space)";
        this.pauseButton.title = name;
        this.pauseButton.setAttribute("aria-label", name);
        // While it is paused, the stream still tells of held exchanges.
        if (!this.isPaused) this.#follow();
    }

    toggleMark() {
        const id = this.list.selected;
        if (id !== undefined) marks.set(id, marks.get(id) === undefined ? "" : null);
    }

    refreshMarks() { this.list.schedule(); }

    /** The selected exchange beside the one that was marked last. */
    compareMarked() {
        const other = [...marks.all.keys()].filter(id => id !== this.list.selected).at(-1);
        if (this.list.selected === undefined || other === undefined) return toast("Mark one (x), then select another");
        this.#events.compare([other, this.list.selected]);
    }

    #clear() {
        const text = this.filter.wanted;
        const what = text ? `all that “${text}” finds` : "all recorded traffic";
        const window = dialog("Remove from the store", h("p", {}, `This removes ${what}. It cannot be undone.`),
            h("button", {
                type: "button", class: "danger", onclick: async () => {
                    window.close();
                    try {
                        const query = text ? `?filter=${encodeURIComponent(text)}` : "";
                        const { removed } = await (await ask("DELETE", `/v1/traffic${query}`)).json();
                        toast(`${count(removed)} removed`);
                        this.load(this.filter.accepted);
                    } catch (problem) { failed(problem); }
                },
            }, "Remove"));
    }

    async #export(form) {
        toast("Exporting …");
        await saveExport(form, this.filter.wanted, "traffic").catch(failed);
    }
}
