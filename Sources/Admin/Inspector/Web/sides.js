// The request and the response, as the client saw them.
import { bodyView } from "./body.js";
import { h, plain } from "./dom.js";
import { size } from "./format.js";
import { fieldOf, fieldTable, parseHead, section, withChips } from "./heads.js";

export const requestTab = exchange => side(exchange, "request", exchange.heads.client_request ?? exchange.heads.origin_request);
export const responseTab = exchange => side(exchange, "response", exchange.heads.client_response ?? exchange.heads.origin_response);

function side(exchange, name, text) {
    const head = parseHead(text);
    const body = exchange.bodies[name];
    const trailers = parseHead(exchange.trailers[name] && `x\n${exchange.trailers[name]}`);
    if (!head) {
        return h("div", { class: "state" }, h("p", { class: "quiet" }, name === "response"
            ? (exchange.running ? "The response has not begun." : "No response was sent.") : "The request could not be read."));
    }
    return [
        h("p", { class: "mono startline" }, withChips(head.line)),
        name === "request" && parameters(exchange.url),
        section("Fields", head.fields.length, fieldTable(head.fields, "Fields")),
        cookies(name, head),
        trailers && section("Trailers", trailers.fields.length, fieldTable(trailers.fields)),
        section("Body", notes(body), h("div", { dataset: { side: name } }, bodyView(exchange, name, fieldOf(head, "content-type") ?? body.type))),
    ];
}

function parameters(url) {
    const start = url.indexOf("?");
    if (start < 0) return null;
    const pairs = url.slice(start + 1).split("&").map(pair => {
        const [name, ...rest] = pair.split("=");
        return [decoded(name), decoded(rest.join("="))];
    });
    return section("Parameters", pairs.length, fieldTable(pairs));
}

const decoded = text => {
    try { return decodeURIComponent(text.replaceAll("+", " ")); } catch { return text; }
};

function cookies(name, head) {
    const values = head.fields.filter(([own]) => own.toLowerCase() === (name === "request" ? "cookie" : "set-cookie"));
    if (!values.length) return null;
    const pairs = values.flatMap(([, value]) => name === "request" ? value.split(";") : [value]).map(pair => {
        const at = pair.indexOf("=");
        return [pair.slice(0, at).trim(), pair.slice(at + 1)];
    });
    return section("Cookies", pairs.length, fieldTable(pairs));
}

/** How the body that is kept differs from the bytes on the wire. */
function notes(body) {
    const notes = [size(body.kept), body.type ? plain(body.type) : null, body.cut && "cut at the store's limit", body.decoded && "its coding decoded",
        body.undecodable && "its coding could not be decoded", body.dropped && "dropped: the disk was too slow"];
    return notes.filter(Boolean).join(" · ");
}
