// What Shunt changed between the client and the origin, line by line, with the reason.
import { difference } from "./difference.js";
import { h } from "./dom.js";
import { parseHead, section, withChips } from "./heads.js";

export function changesTab(exchange) {
    const { client_request, origin_request, origin_response, client_response } = exchange.heads;
    if (!origin_request && !origin_response) {
        return h("p", { class: "note" }, exchange.answered_by === "origin" ? "The request did not reach an origin." : "Shunt responded itself, so no origin was asked and nothing was changed.");
    }
    const rewritten = exchange.rewritten ?? [];
    return [
        h("p", { class: "quiet" }, h("ins", {}, "+ put in"), "  ", h("del", {}, "- taken out"), "  by Shunt, on the way"),
        side("Request", "from the client to the origin", client_request, origin_request, rewritten),
        side("Response", "from the origin to the client", origin_response, client_response, rewritten),
    ];
}

function side(title, direction, before, after, rewritten) {
    if (!before || !after) return section(title, "it did not get so far", h("p", { class: "quiet" }, "There is only one side of it."));
    const lines = difference(canonical(before), canonical(after));
    const changed = lines.filter(([sign]) => sign !== " ").length;
    return section(title, changed ? `${direction}, ${changed} lines` : `${direction}, unchanged`, diffLines(lines, line => reason(line, rewritten)));
}

/** HTTP/2 has names in small letters and pseudo fields in place of the first line: only real changes count. */
function canonical(text) {
    const { line, fields } = parseHead(text);
    const pseudo = name => fields.find(([own]) => own === name)?.[1];
    const isStreams = fields.some(([name]) => name === ":method");
    const first = isStreams ? `${pseudo(":method")} ${pseudo(":path")}` : line.replace(/ HTTP\/[\d.]+$/, "");
    const host = isStreams && pseudo(":authority") ? [["host", pseudo(":authority")]] : [];
    return [first, ...[...host, ...fields.filter(([name]) => !name.startsWith(":"))].map(([name, value]) => `${capital(name)}: ${value}`)];
}

const capital = name => name.toLowerCase().replace(/(^|-)\w/g, letter => letter.toUpperCase());

const CONNECTION = new Set(["connection", "keep-alive", "transfer-encoding", "te", "upgrade", "proxy-connection"]);
const OWN = new Set(["shunt-profile", "shunt-trust", "via", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded"]);

/** Why a line is different, as far as the record tells. */
function reason(line, rewritten) {
    const name = line.split(":")[0].trim().toLowerCase();
    if (!line.includes(": ")) return rewritten.some(part => part === "path" || part === "query") ? "the route changes path or query" : "";
    if (name === "host") return "the origin's own name";
    if (CONNECTION.has(name)) return "of one connection only (RFC 9110, 7.6.1)";
    if (OWN.has(name) || name.startsWith("shunt-")) return "Shunt tells about itself";
    if (rewritten.some(part => part.replace(/^[-+]/, "").toLowerCase() === name)) return "rewritten: addresses, cookies or pins of the origin";
    if (rewritten.includes("request headers") || rewritten.includes("response headers")) return "the route's header changes";
    if (name === "accept-encoding" || name === "content-encoding" || name === "content-length") return "the body is decoded to be rewritten";
    return "";
}

/** Lines of a difference; long stretches of equal lines are folded. */
export function diffLines(lines, why = () => "") {
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
    for (const [sign, line] of lines) {
        const row = h("div", { class: `line ${{ "+": "added", "-": "removed", " ": "same" }[sign]}` },
            h("span", { class: "sign" }, sign), h("span", { class: "text" }, withChips(line)), sign === " " ? null : h("span", { class: "quiet why" }, why(line)));
        if (sign === " ") equal.push(row); else { flush(); rows.push(row); }
    }
    flush();
    return h("div", { class: "diff mono" }, rows);
}
