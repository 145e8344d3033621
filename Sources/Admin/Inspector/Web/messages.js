// What a WebSocket or an event stream said, message by message.
import { h, plain, replace } from "./dom.js";
import { clock, count, size } from "./format.js";
import { withChips } from "./heads.js";
import { pretty } from "./pretty.js";

const LIMIT = 1000;

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
    const text = message.text ?? (message.base64 ? `${message.base64.slice(0, 200)} (base64)` : message.code ? `${message.code} ${message.reason ?? ""}` : "");
    const line = text.slice(0, 300);
    return h("li", { class: message.from }, h("details", {}, h("summary", {},
        h("span", { class: "arrow", "aria-label": isClient ? "from the client" : "from the origin" }, isClient ? "↑" : "↓"),
        h("span", { class: "quiet number" }, clock.format(Date.parse(message.time))),
        message.kind !== "text" && h("span", { class: "tag" }, message.kind === "event" ? plain(message.event ?? "event") : message.kind),
        h("span", { class: "mono line" }, withChips(line)), h("span", { class: "quiet number" }, size(message.length))),
    h("pre", { class: "text mono" }, withChips(pretty(text.slice(0, 100_000), "")))));
}
