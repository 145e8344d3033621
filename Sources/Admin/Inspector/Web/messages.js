// What a WebSocket or an event stream said, message by message.
import { h, plain, replace } from "./dom.js";
import { clock, count, size } from "./format.js";
import { lines } from "./hex.js";
import { withChips } from "./heads.js";
import { pretty } from "./pretty.js";

const LIMIT = 1000;
/** Bytes of a binary message that are shown. */
const FIRST = 16 << 10;

export function messagesTab({ messages, running }) {
    const list = h("ul", { class: "messages" });
    const draw = text => {
        const wanted = text.toLowerCase();
        const found = messages.filter(message => !wanted || (message.text ?? message.reason ?? "").toLowerCase().includes(wanted));
        replace(list, found.length > LIMIT && h("li", { class: "quiet" }, `The newest ${count(LIMIT)} of ${count(found.length)}`), found.slice(-LIMIT).map(row));
    };
    draw("");
    return [
        h("input", { type: "search", placeholder: "Search in messages", "aria-label": "Search in messages", oninput: event => draw(event.target.value) }),
        running && h("p", { class: "note" }, "It is open; new messages appear here."),
        messages.length ? list : h("p", { class: "quiet" }, "No message yet."),
    ];
}

function row(message) {
    const isClient = message.from === "client";
    const bytes = message.kind === "binary" ? bytesOf(message).subarray(0, FIRST) : null;
    const text = bytes ? lines(bytes) : message.text ?? (message.code ? `${message.code} ${message.reason ?? ""}` : "");
    const line = bytes ? lines(bytes, 0, 16).slice(10) : text.slice(0, 300);
    return h("li", { class: message.from }, h("details", {}, h("summary", {},
        h("span", { class: "arrow", "aria-label": isClient ? "from the client" : "from the origin" }, isClient ? "↑" : "↓"),
        h("span", { class: "quiet number" }, clock.format(Date.parse(message.time))),
        message.kind !== "text" && h("span", { class: "tag" }, message.kind === "event" ? plain(message.event ?? "event") : message.kind),
        h("span", { class: "mono line" }, withChips(line)), h("span", { class: "quiet number" }, size(message.length))),
    h("pre", { class: bytes ? "hex mono" : "text mono" }, bytes ? text : withChips(pretty(text.slice(0, 100_000), "")))));
}

/** Bytes that happen to be UTF-8 come as text. */
const bytesOf = ({ text, base64 }) => base64 === undefined ? new TextEncoder().encode(text ?? "") : Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
