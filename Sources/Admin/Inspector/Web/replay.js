// What came when a recorded request was sent again, beside what was recorded.
import { dialog, h, plain } from "./dom.js";
import { duration } from "./format.js";
import { withChips } from "./heads.js";

export function replayView(exchange, result, profile) {
    const [replay] = result.replays;
    const real = replay.differences.filter(difference => !difference.volatile);
    const noise = replay.differences.filter(difference => difference.volatile);
    return [
        h("p", { class: `verdict ${result.equal ? "up" : "down"}` }, result.equal ? "✓ The same response" : `≠ ${real.length} ${real.length === 1 ? "difference" : "differences"}`),
        h("table", { class: "compare" },
            h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, `recorded (${plain(exchange.profile)})`), h("th", { scope: "col" }, `now (${plain(profile)})`))),
            h("tbody", {}, fact("Status", exchange.status, replay.status), fact("Duration", duration(exchange.timings_us.total / 1000), duration(replay.time_us / 1000), true),
                real.map(row))),
        noise.length > 0 && h("details", {}, h("summary", { class: "quiet" }, `${noise.length} that differ each time`), h("table", { class: "compare" }, h("tbody", {}, noise.map(row)))),
    ];
}

/** What was not recorded cannot be sent. */
export function askToForce(problem, act) {
    const window = dialog("Not all of it was recorded", h("p", {}, plain(problem.message)),
        h("p", { class: "quiet" }, "It can be sent as it is recorded, with the names of the secrets in their places."),
        h("button", { type: "button", "data-force": "", onclick: () => { window.close(); act(); } }, "Send it as it is recorded"));
}

const fact = (name, left, right, isNoise) => h("tr", { class: left === right || isNoise ? "same" : "differs" },
    h("th", { scope: "row" }, name), h("td", { class: "mono" }, left ?? "–"), h("td", { class: "mono" }, right ?? "–"));

const row = ({ part, place, old, new: now }) => h("tr", { class: "differs" }, h("th", { scope: "row", class: "mono" }, plain(place || part)),
    h("td", { class: "mono removed" }, withChips((old ?? "–").slice(0, 2000))), h("td", { class: "mono added" }, withChips((now ?? "–").slice(0, 2000))));
