// Where the time went: what Shunt did before it had a connection, and what the origin took.
import { get } from "./api.js";
import { h, plain } from "./dom.js";
import { quoted } from "./filter.js";
import { count, duration } from "./format.js";
import { isSimulated } from "./rows.js";

const PHASES = {
    queued: ["Shunt", "from the request's first byte until a connection was wanted"], resolve: ["Look up", "the origin's name"],
    connect: ["Connect", "TCP"], tls: ["TLS", "the handshake with the origin"], send: ["Send", "until the origin has the request"],
    held: ["Held", "at a breakpoint"],
    wait: ["Wait", "for the response's first byte"], receive: ["Receive", "until the client has the last byte"],
};

/** The phases of a row of the list, `[[name, ms]]` in their order; together they take all of its time. */
export const phasesOf = ({ ms, connect, wait, receive }) =>
    [["queued", Math.max(0, ms - connect - wait - receive)], ["connect", connect], ["wait", wait], ["receive", receive]];

/** The same of an exchange, in microseconds, without phases that did not happen. */
export function phases({ dns, connect, tls, send, wait, receive, total }, held = []) {
    const [before, behind] = ["request", "response"].map(phase => held.filter(hold => hold.phase === phase).reduce((sum, hold) => sum + hold.time_us, 0));
    const known = [["resolve", dns], ["connect", connect], ["tls", tls], ["send", send], ["wait", wait], ["receive", receive]]
        .filter(([, us]) => us !== null && us !== undefined);
    const rest = Math.max(0, total - known.reduce((sum, [, us]) => sum + us, 0));
    // A held response counts as being received, and where Shunt itself responds as its own part.
    const last = receive === null || receive === undefined ? 0 : Math.min(behind, receive);
    const own = Math.min(rest, before + behind - last);
    return [["queued", rest - own], ["held", own], ...known.map(([phase, us]) => [phase, phase === "receive" ? us - last : us]), ["held", last]]
        .filter(([phase, us]) => phase !== "held" || us > 0);
}

/** All phases in one bar. */
export function phaseBar(exchange) {
    const { timings_us: timings } = exchange;
    const parts = phases(timings, exchange.held).filter(([, us]) => us > 0);
    return h("div", { class: "phases", role: "img", "aria-label": parts.map(([phase, us]) => `${PHASES[phase][0]} ${duration(us / 1000)}`).join(", ") },
        parts.map(([phase, us]) => {
            const part = h("i", { class: `${phase} ${phase === "queued" && isSimulated(exchange) ? "simulated" : ""}` });
            part.style.width = `${us / Math.max(1, timings.total) * 100}%`;
            return part;
        }));
}

export function timingTab(exchange) {
    const { timings_us: timings, running, retries, attempts, origin } = exchange;
    if (running) return h("p", { class: "note" }, "It is still running.");
    const simulated = isSimulated(exchange);
    const total = Math.max(1, timings.total);
    let start = 0;
    const rows = phases(timings, exchange.held).map(([phase, us]) => {
        const line = lane(phase, start, us, total, phase === "queued" && simulated);
        start += us;
        return line;
    });
    // The connection is drawn where it would have been made.
    if (origin?.reused) rows.splice(1, 0, h("tr", { class: "reused" }, h("th", { scope: "row" }, "Connection"), h("td", { class: "lane" }, h("span", { class: "quiet" }, "used before: nothing to look up, no handshake")), h("td", { class: "number" }, "–")));
    return [
        h("table", { class: "timing" }, h("tbody", {}, rows, h("tr", { class: "total" }, h("th", { scope: "row" }, "Total"), h("td", {}),
            h("td", { class: "number" }, duration(timings.total / 1000))))),
        simulated && h("p", { class: "note warn" }, "Shunt's part includes what it simulated: the network or the fault of the profile (hatched)."),
        retries > 0 && h("p", { class: "quiet" }, "A pooled connection turned out to be closed, and a new one was used."),
        attempts?.length > 0 && h("p", { class: "quiet" }, "Shunt's part includes the attempts at other origins."),
        others(exchange),
    ];
}

/** How long others of the same route and method took, and where this one stands among them. */
function others({ method, route, timings_us: { total } }) {
    const place = h("section", { class: "others" });
    if (!route) return place;
    const filter = `~m ^${method}$ & ~route ${quoted(route)}`;
    get("/v1/traffic/stats", { filter, limit: 1 }).then(({ total: { count: number, p50_us: p50, p95_us: p95 } }) => {
        if (number < 2) return;
        const scale = Math.max(total, p95, 1);
        const marks = [["p50", p50], ["p95", p95], ["this one", total]];
        place.append(h("h3", {}, `Among ${count(number)} of the same route`), h("table", { class: "timing" }, h("tbody", {}, marks.map(([name, us]) => {
            const bar = h("i", { class: `span ${name === "this one" ? "wait" : "queued"}` });
            bar.style.width = `${Math.max(0.3, us / scale * 100)}%`;
            return h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "lane" }, bar), h("td", { class: "number" }, duration(us / 1000)));
        }))), h("p", { class: "quiet" }, plain(filter)));
    }, () => { /* The phases stand for themselves. */ });
    return place;
}

function lane(phase, start, us, total, isSimulated) {
    const bar = h("i", { class: `span ${phase} ${isSimulated ? "simulated" : ""}` });
    bar.style.left = `${start / total * 100}%`;
    bar.style.width = `${Math.max(0.3, us / total * 100)}%`;
    const [name, what] = PHASES[phase];
    return h("tr", {}, h("th", { scope: "row", title: what }, name), h("td", { class: "lane" }, bar), h("td", { class: "number" }, duration(us / 1000)));
}
