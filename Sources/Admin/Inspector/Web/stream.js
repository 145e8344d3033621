// The stream of exchanges (server-sent events), read by fetch: EventSource cannot send the key.
import { ask } from "./api.js";

/** Follows the traffic until it is stopped; reconnects, and goes on where it was. */
export class Stream {
    #abort = new AbortController();
    #last;
    #filter;
    #tell;
    #batch = [];
    #scheduled = false;

    /** `tell` is called with `{ rows }`, at most once per frame, and with `{ skipped }`, `{ isOpen }`, and
        `{ isHeld }` after a change of what breakpoints hold. */
    constructor(filter, last, tell) {
        this.#filter = filter;
        this.#last = last;
        this.#tell = tell;
        this.#run();
    }

    stop() { this.#abort.abort(); }

    async #run() {
        let patience = 250;
        while (!this.#abort.signal.aborted) {
            try {
                await this.#read(() => { patience = 250; });
            } catch (problem) {
                if (this.#abort.signal.aborted) return;
                // Nothing is there to be followed, or nobody is logged in.
                if (problem.status === 409 || problem.status === 401 || problem.status === 400) {
                    return this.#tell({ problem });
                }
            }
            if (this.#abort.signal.aborted) return;
            this.#tell({ isOpen: false });
            await new Promise(resolve => setTimeout(resolve, patience));
            patience = Math.min(patience * 2, 4000);
        }
    }

    async #read(opened) {
        const query = this.#filter ? `&filter=${encodeURIComponent(this.#filter)}` : "";
        const response = await ask("GET", `/v1/traffic/events?form=row${query}`, {
            signal: this.#abort.signal,
            headers: this.#last === undefined ? {} : { "Last-Event-ID": String(this.#last) },
        });
        opened();
        this.#tell({ isOpen: true });
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        while (true) {
            const { value, done } = await reader.read();
            if (done) return;
            const blocks = (rest + value).split("\n\n");
            rest = blocks.pop();
            for (const block of blocks) this.#take(block);
        }
    }

    #take(block) {
        let [event, data] = ["message", ""];
        for (const line of block.split("\n")) {
            if (line.startsWith("event: ")) event = line.slice(7);
            else if (line.startsWith("data: ")) data += line.slice(6);
            else if (line.startsWith("id: ")) this.#last = Number(line.slice(4));
        }
        if (!data) return;
        if (event === "skipped") return this.#tell({ skipped: JSON.parse(data).exchanges });
        if (event === "held") return this.#tell({ isHeld: true });
        if (event !== "rows") return;
        this.#batch.push(...JSON.parse(data));
        if (this.#scheduled) return;
        this.#scheduled = true;
        // Hidden tabs get no frames.
        const flush = () => {
            if (!this.#scheduled) return;
            this.#scheduled = false;
            const rows = this.#batch;
            this.#batch = [];
            if (!this.#abort.signal.aborted) this.#tell({ rows });
        };
        requestAnimationFrame(flush);
        setTimeout(flush, 200);
    }
}
