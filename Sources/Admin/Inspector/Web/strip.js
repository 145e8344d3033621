// The traffic over time, above the list: a range that is drawn in it limits the list.
import { get } from "./api.js";
import { h, iconButton, replace, svg } from "./dom.js";
import { clock, count } from "./format.js";

const STEPS = 160;
const HEIGHT = 24;
/** Milliseconds between two questions while traffic comes, and how many times as long as the last one took. */
const PATIENCE = 10_000;
const EASE = 50;

/** A time as filters take it. */
const instant = us => new Date(us / 1000).toISOString();

export class Strip {
    /** What is chosen, in microseconds: `{ from, to }`, or null. */
    range = null;
    #changed;
    #filter = "";
    #timeline = { counts: [] };
    #turn = 0;
    #next = 0;

    /** `changed()` is called behind each change of the range. */
    constructor(changed) {
        this.#changed = changed;
        this.drawing = svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
        this.chosen = h("i", { class: "range", hidden: true });
        this.lane = h("div", {
            class: "lane", tabindex: "0", role: "group", title: "Draw a range, or use ← → and Shift",
            onpointerdown: event => this.#begin(event), onkeydown: event => this.#key(event),
        }, this.drawing, this.chosen);
        this.times = h("span", { class: "times", role: "status" });
        this.element = h("div", { class: "strip", hidden: true }, this.lane, this.times);
    }

    /** Filters that have to hold beside what is typed. */
    get parts() { return this.range ? [`~since ${instant(this.range.from)}`, `!~since ${instant(this.range.to)}`] : []; }

    /** Shows when the traffic that a filter finds began. */
    async load(filter) {
        const turn = ++this.#turn;
        this.#filter = filter;
        const start = performance.now();
        const timeline = await get("/v1/traffic/timeline", { filter, steps: STEPS }).catch(() => null);
        if (turn !== this.#turn) return;
        this.#next = performance.now() + Math.max(PATIENCE, (performance.now() - start) * EASE);
        if (timeline) this.#timeline = timeline;
        this.#draw();
    }

    /** More traffic came. */
    grow() {
        if (performance.now() < this.#next || document.visibilityState !== "visible") return;
        this.#next = Infinity;
        this.load(this.#filter);
    }

    clear() {
        if (!this.range) return;
        this.range = null;
        this.#draw();
        this.#changed();
    }

    get #start() { return this.#timeline.start_us ?? 0; }
    get #length() { return this.#timeline.step_us ?? 1; }

    #draw() {
        const { counts, failed } = this.#timeline;
        // One moment leaves nothing to be chosen.
        this.element.hidden = counts.length < 2 && !this.range;
        const most = Math.max(1, ...counts);
        const part = number => number && Math.max(2, number / most * HEIGHT);
        this.drawing.setAttribute("viewBox", `0 0 ${Math.max(1, counts.length)} ${HEIGHT}`);
        replace(this.drawing, counts.flatMap((number, x) => number === 0 ? [] : [
            svg("rect", { x, width: 0.85, y: HEIGHT - part(number), height: part(number) }, svg("title", {}, `${clock.format((this.#start + x * this.#length) / 1000)}: ${count(number)}`)),
            failed[x] > 0 && svg("rect", { class: "bad", x, width: 0.85, y: HEIGHT - part(failed[x]), height: part(failed[x]) }),
        ]));
        const end = this.#start + counts.length * this.#length;
        this.lane.setAttribute("aria-label", `Traffic from ${clock.format(this.#start / 1000)} to ${clock.format(end / 1000)}; arrow keys choose a range`);
        this.chosen.hidden = !this.range;
        if (!this.range) return replace(this.times);
        const place = us => Math.min(100, Math.max(0, (us - this.#start) / (end - this.#start) * 100));
        this.chosen.style.left = `${place(this.range.from)}%`;
        this.chosen.style.width = `${place(this.range.to) - place(this.range.from)}%`;
        replace(this.times, `${clock.format(this.range.from / 1000)} – ${clock.format(this.range.to / 1000)}`, iconButton("close", "All times", () => this.clear()));
    }

    /** Chooses whole steps. */
    #choose(first, last) {
        const bounded = step => Math.min(this.#timeline.counts.length - 1, Math.max(0, step));
        const [from, to] = [bounded(Math.min(first, last)), bounded(Math.max(first, last))];
        this.range = { from: this.#start + from * this.#length, to: this.#start + (to + 1) * this.#length };
        this.#draw();
    }

    #begin(event) {
        if (event.button !== 0) return;
        event.preventDefault();
        this.lane.focus();
        const { left, width } = this.lane.getBoundingClientRect();
        const stepAt = x => Math.floor((x - left) / width * this.#timeline.counts.length);
        const first = stepAt(event.clientX);
        this.lane.setPointerCapture(event.pointerId);
        this.lane.onpointermove = ({ clientX }) => this.#choose(first, stepAt(clientX));
        this.lane.onpointerup = ({ clientX }) => {
            this.lane.onpointermove = this.lane.onpointerup = null;
            // A click without a movement takes the range back.
            if (stepAt(clientX) === first && this.range && Math.abs(clientX - event.clientX) < 3) return this.clear();
            this.#choose(first, stepAt(clientX));
            this.#changed();
        };
    }

    #key(event) {
        if (event.key === "Escape" && this.range) {
            event.stopPropagation();
            return this.clear();
        }
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        const last = this.#timeline.counts.length - 1;
        const stepOf = us => Math.round((us - this.#start) / this.#length);
        const [from, to] = this.range ? [stepOf(this.range.from), stepOf(this.range.to) - 1] : [last + 1, last + 1];
        // Shift moves one end, without it the range moves.
        if (event.shiftKey) this.#choose(step < 0 ? from - 1 : from, step < 0 ? to : to + 1);
        else this.#choose(from + step, Math.max(from + step, to + step));
        this.#changed();
    }
}
