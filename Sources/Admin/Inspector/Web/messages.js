// What a WebSocket or an event stream said, message by message.
import { h, plain, replace } from "./dom.js";
import { post } from "./api.js";
import { clock, count, size } from "./format.js";
import { lines } from "./hex.js";
import { withChips } from "./heads.js";
import { pretty } from "./pretty.js";

const LIMIT = 1000;
/** Bytes of a binary message that are shown. */
const FIRST = 16 << 10;

/** What is written for the exchange that is shown, which stays as new messages come. */
let composer;

function composerOf(id, isWebSocket) {
    if (composer?.dataset.of === String(id)) {
        // Drawing the tab anew takes the focus off.
        const focused = composer.contains(document.activeElement) && document.activeElement;
        if (focused) queueMicrotask(() => focused.focus());
        return composer;
    }
    const text = h("textarea", { rows: 2, "aria-label": "Message to send", placeholder: isWebSocket ? "Message" : "Data of an event", required: true });
    const to = isWebSocket && h("select", { "aria-label": "Receiver" }, h("option", { value: "client" }, "to the client"), h("option", { value: "origin" }, "to the origin"));
    const type = !isWebSocket && h("input", { "aria-label": "Type of the event", placeholder: "Type (message)" });
    const note = h("p", { class: "note", role: "status" });
    const send = async event => {
        event.preventDefault();
        try {
            await post(`/v1/traffic/${id}/messages`, { text: text.value, to: to ? to.value : "client", event: type && type.value ? type.value : undefined });
            text.value = "";
            replace(note);
        } catch (problem) { replace(note, plain(problem.message), " ", plain(problem.advice ?? "")); }
    };
    composer = h("form", { class: "composer", "data-of": String(id), onsubmit: send }, text, h("div", { class: "actions" }, to, type, h("button", { type: "submit" }, "Send")), note);
    return composer;
}

export function messagesTab({ id, messages, running, status }) {
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
        running && composerOf(id, status === 101),
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
        [[message.injected, "injected"], [message.withheld, "not sent on"], [message.edited, "sent instead"]].map(([is, word]) => is && h("span", { class: "tag" }, word)),
        message.kind !== "text" && h("span", { class: "tag" }, message.kind === "event" ? plain(message.event ?? "event") : message.kind),
        h("span", { class: "mono line" }, withChips(line)), h("span", { class: "quiet number" }, size(message.length))),
    h("pre", { class: bytes ? "hex mono" : "text mono" }, bytes ? text : withChips(pretty(text.slice(0, 100_000), "")))));
}

/** Bytes that happen to be UTF-8 come as text. */
const bytesOf = ({ text, base64 }) => base64 === undefined ? new TextEncoder().encode(text ?? "") : Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
