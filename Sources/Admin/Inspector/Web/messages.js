// What a WebSocket or an event stream said, message by message.
import { h, plain, replace } from "./dom.js";
import { get, post } from "./api.js";
import { linesView } from "./body.js";
import { clock, count, size } from "./format.js";
import { withChips } from "./heads.js";

const LIMIT = 1000;
/** Lines of one that are asked for at once. */
const LINES = 1000;

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
        replace(list, found.length > LIMIT && h("li", { class: "quiet" }, `The newest ${count(LIMIT)} of ${count(found.length)}`), found.slice(-LIMIT).map(message => row(id, message)));
    };
    draw("");
    return [
        h("input", { type: "search", placeholder: "Search in messages", "aria-label": "Search in messages", oninput: event => draw(event.target.value) }),
        running && h("p", { class: "note" }, "It is open; new messages appear here."),
        running && composerOf(id, status === 101),
        messages.length ? list : h("p", { class: "quiet" }, "No message yet."),
    ];
}

/** A message in a line; all of it comes from Shunt when it is unfolded. */
function row(id, message) {
    const isClient = message.from === "client";
    const line = message.hex ?? (message.text ?? (message.code ? `${message.code} ${message.reason ?? ""}` : "")).slice(0, 300);
    const linesFrom = from => get(`/v1/traffic/${id}/messages/text`, { number: message.number, limit: LINES, from });
    const all = h("div", {});
    return h("li", { class: message.from }, h("details", {
        ontoggle: async event => {
            if (!event.target.open || all.firstChild) return;
            replace(all, h("p", { class: "quiet" }, "Reading …"));
            try {
                const page = await linesFrom(0);
                replace(all, linesView(page, linesFrom, page.form === "hex" ? "hex" : "text"));
            } catch (problem) { replace(all, h("p", { class: "note" }, plain(problem.message))); }
        },
    }, h("summary", {},
        h("span", { class: "arrow", "aria-label": isClient ? "from the client" : "from the origin" }, isClient ? "↑" : "↓"),
        h("span", { class: "quiet number" }, clock.format(Date.parse(message.time))),
        [[message.injected, "injected"], [message.withheld, "not sent on"], [message.edited, "sent instead"]].map(([is, word]) => is && h("span", { class: "tag" }, word)),
        message.kind !== "text" && h("span", { class: "tag" }, message.kind === "event" ? plain(message.event ?? "event") : message.kind),
        h("span", { class: "mono line" }, withChips(line)), h("span", { class: "quiet number" }, size(message.length))), all));
}
