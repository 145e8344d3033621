// Two exchanges beside each other.
import { get } from "./api.js";
import { diffLines } from "./changes.js";
import { h, plain, replace } from "./dom.js";
import { duration, size } from "./format.js";
import { section } from "./heads.js";

export function compareView(a, b) {
    const facts = [
        ["Method", a.method, b.method], ["URL", a.url, b.url], ["Profile", a.profile, b.profile], ["Route", a.route, b.route],
        ["Origin", a.origin?.url, b.origin?.url], ["Status", a.status, b.status],
        ["Duration", duration(a.timings_us.total / 1000), duration(b.timings_us.total / 1000)],
        ["Size", size(a.bytes.response), size(b.bytes.response)], ["Failure", a.error?.message, b.error?.message],
    ].filter(([, left, right]) => left || right);
    const place = h("div", {}, h("p", { class: "quiet" }, "Reading …"));
    get(`/v1/traffic/${a.id}/differences`, { to: b.id }).then(({ request_fields, request_body, response_fields, response_body }) => replace(place,
        part("Request fields", request_fields), part("Request body", request_body), part("Response fields", response_fields), part("Response body", response_body)),
    problem => replace(place, h("p", { class: "note" }, plain(problem.message))));
    return [
        h("table", { class: "compare" },
            h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, `#${a.id} ${plain(a.profile)}`), h("th", { scope: "col" }, `#${b.id} ${plain(b.profile)}`))),
            h("tbody", {}, facts.map(([name, left, right]) => h("tr", { class: left === right ? "same" : "differs" },
                h("th", { scope: "row" }, name), h("td", { class: "mono" }, plain(left ?? "–")), h("td", { class: "mono" }, plain(right ?? "–")))))),
        place,
    ];
}

function part(title, lines) {
    if (!lines) return null;
    const changed = lines.filter(([sign]) => sign !== " ").length;
    return section(title, changed ? `${changed} lines differ` : "equal", changed ? diffLines(lines) : null);
}
