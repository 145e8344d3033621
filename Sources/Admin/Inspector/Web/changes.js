// What Shunt changed between the client and the origin, line by line, with the reason.
import { get } from "./api.js";
import { h, plain, replace } from "./dom.js";
import { section, withChips } from "./heads.js";

export function changesTab(exchange) {
    const { origin_request, origin_response } = exchange.heads;
    if (!origin_request && !origin_response) {
        return h("p", { class: "note" }, exchange.answered_by === "origin" ? "The request did not reach an origin." : "Shunt responded itself, so no origin was asked and nothing was changed.");
    }
    const place = h("div", {}, h("p", { class: "quiet" }, "Reading …"));
    get(`/v1/traffic/${exchange.id}/changes`).then(({ request, response, request_body, response_body }) => replace(place,
        h("p", { class: "quiet" }, h("ins", {}, "+ put in"), "  ", h("del", {}, "- taken out"), "  by Shunt, on the way"),
        side("Request", "from the client to the origin", request), request_body && side("Request body", "from the client to the origin", request_body),
        side("Response", "from the origin to the client", response), response_body && side("Response body", "from the origin to the client", response_body)),
    problem => replace(place, h("p", { class: "note" }, plain(problem.message))));
    return place;
}

function side(title, direction, lines) {
    if (!lines) return section(title, "it did not get so far", h("p", { class: "quiet" }, "There is only one side of it."));
    const changed = lines.filter(([sign]) => sign !== " ").length;
    return section(title, changed ? `${direction}, ${changed} lines` : `${direction}, unchanged`, diffLines(lines));
}

/** Lines of a difference, `[sign, line, reason]`; long stretches of equal lines are folded, a reason stands once. */
export function diffLines(lines) {
    const rows = [];
    let equal = [];
    const flush = () => {
        if (equal.length > 12) {
            const hidden = equal.slice(3, -3);
            const more = h("button", { type: "button", class: "fold", onclick: () => more.replaceWith(...hidden) }, `${hidden.length} equal lines`);
            rows.push(...equal.slice(0, 3), more, ...equal.slice(-3));
        } else { rows.push(...equal); }
        equal = [];
    };
    let told;
    for (const [sign, line, reason] of lines) {
        const row = h("div", { class: `line ${{ "+": "added", "-": "removed", " ": "same" }[sign]}` },
            h("span", { class: "sign" }, sign), h("span", { class: "text" }, withChips(line)), reason && reason !== told && h("span", { class: "quiet why" }, plain(reason)));
        told = reason;
        if (sign === " ") equal.push(row); else { flush(); rows.push(row); }
    }
    flush();
    return h("div", { class: "diff mono" }, rows);
}
