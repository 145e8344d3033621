// Two exchanges beside each other.
import { difference } from "./difference.js";
import { diffLines } from "./changes.js";
import { h, plain } from "./dom.js";
import { duration, size } from "./format.js";
import { section } from "./heads.js";
import { pretty } from "./pretty.js";

const MAX_LINES = 20_000;

export function compareView(a, b) {
    const facts = [
        ["Method", a.method, b.method], ["URL", a.url, b.url], ["Profile", a.profile, b.profile], ["Route", a.route, b.route],
        ["Origin", a.origin?.url, b.origin?.url], ["Status", a.status, b.status],
        ["Duration", duration(a.timings_us.total / 1000), duration(b.timings_us.total / 1000)],
        ["Size", size(a.bytes.response), size(b.bytes.response)], ["Failure", a.error?.message, b.error?.message],
    ].filter(([, left, right]) => left || right);
    return [
        h("table", { class: "compare" },
            h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, `#${a.id} ${plain(a.profile)}`), h("th", { scope: "col" }, `#${b.id} ${plain(b.profile)}`))),
            h("tbody", {}, facts.map(([name, left, right]) => h("tr", { class: left === right ? "same" : "differs" },
                h("th", { scope: "row" }, name), h("td", { class: "mono" }, plain(left ?? "–")), h("td", { class: "mono" }, plain(right ?? "–")))))),
        part("Request fields", head(a.heads.client_request), head(b.heads.client_request)),
        part("Request body", body(a, "request"), body(b, "request")),
        part("Response fields", head(a.heads.client_response), head(b.heads.client_response)),
        part("Response body", body(a, "response"), body(b, "response")),
    ];
}

function part(title, left, right) {
    if (!left.length && !right.length) return null;
    const lines = difference(left, right);
    const changed = lines.filter(([sign]) => sign !== " ").length;
    return section(title, changed ? `${changed} lines differ` : "equal", changed ? diffLines(lines) : null);
}

/** The order of fields with different names has no meaning (RFC 9110, 5.3). */
const head = text => (text ?? "").split(/\r?\n/).filter(Boolean).slice(1).map(line => line.replace(/^[^:]+/, name => name.toLowerCase()))
    .sort((left, right) => left.split(":")[0] < right.split(":")[0] ? -1 : 1);

function body(exchange, side) {
    const { text, base64, kept, type } = exchange.bodies[side];
    if (text === undefined) return kept ? [`${size(kept)} of ${type ?? "bytes"}${base64 ? `, ${base64.length} letters of base64: ${base64.slice(0, 60)} …` : ""}`] : [];
    return text ? pretty(text, type ?? "").split("\n").slice(0, MAX_LINES) : [];
}
