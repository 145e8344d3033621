// Where the time went.
import { h } from "./dom.js";
import { duration } from "./format.js";

const PHASES = [
    ["send", "Send", "until the request is written to the origin"], ["wait", "Wait", "until the response's first byte"],
    ["receive", "Receive", "until its last byte is written to the client"],
];
const WITHIN = [["dns", "Resolve"], ["connect", "Connect"], ["tls", "TLS"]];

/** The three phases in one bar. */
export function phaseBar(timings) {
    const total = Math.max(1, timings.total);
    return h("div", { class: "phases", role: "img", "aria-label": PHASES.map(([key, name]) => `${name} ${duration((timings[key] ?? 0) / 1000)}`).join(", ") },
        PHASES.map(([key]) => {
            const part = h("i", { class: key });
            part.style.width = `${(timings[key] ?? 0) / total * 100}%`;
            return part;
        }));
}

export function timingTab({ timings_us: timings, running, retries, attempts, origin }) {
    if (running) return h("p", { class: "note" }, "It is still running.");
    const total = Math.max(1, timings.total);
    let start = 0;
    const rows = [];
    for (const [key, name, what] of PHASES) {
        const length = timings[key];
        rows.push(row(name, what, start, length, total, key));
        if (key === "send") {
            let inner = start;
            for (const [key, name] of WITHIN) {
                if (timings[key] === null) continue;
                rows.push(row(name, "", inner, timings[key], total, "within"));
                inner += timings[key];
            }
        }
        start += length ?? 0;
    }
    return [
        h("table", { class: "timing" }, h("tbody", {}, rows, h("tr", { class: "total" }, h("th", { scope: "row" }, "Total"), h("td", {}),
            h("td", { class: "number" }, duration(timings.total / 1000))))),
        origin?.reused && h("p", { class: "quiet" }, "The connection had carried other exchanges before, so nothing was resolved and connected."),
        retries > 0 && h("p", { class: "quiet" }, "A pooled connection turned out to be closed, and a new one was used."),
        attempts?.length > 0 && h("p", { class: "quiet" }, "Send includes the attempts at other origins."),
    ];
}

function row(name, what, start, length, total, kind) {
    const bar = h("i", { class: `span ${kind}` });
    bar.style.left = `${start / total * 100}%`;
    bar.style.width = `${Math.max(0.3, (length ?? 0) / total * 100)}%`;
    return h("tr", { class: kind === "within" ? "inner" : "" }, h("th", { scope: "row", title: what }, name),
        h("td", { class: "lane" }, length === null ? null : bar), h("td", { class: "number" }, length === null ? "–" : duration(length / 1000)));
}
