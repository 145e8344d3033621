// A recorded request as a form: it is changed, and sent through Shunt like any client's.
import { parseCurl } from "./curl.js";
import { dialog, h, plain } from "./dom.js";
import { parseHead } from "./heads.js";

const REDACTED = /(?:<|%3C)redacted:[^<>%]*(?:>|%3E)/;
// What Shunt says of each connection and body itself.
const OWN = new Set(["host", "content-length", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "trailer", "upgrade",
    "expect", "accept-encoding"]);

/** A request that was not recorded, to be written from nothing or from a command of curl. */
export function composeRequest(url, profile, profiles, send) {
    editRequest({ id: null, method: "GET", url, profile, heads: { client_request: "" }, bodies: { request: { text: "", kept: 0 } } }, profiles, send);
}

/** Asks for the changes; `send(profile, edit)` sends them, and may throw why it could not. */
export function editRequest(exchange, profiles, send) {
    const body = exchange.bodies.request;
    const isText = body.text !== undefined && !body.cut && !body.dropped && !body.undecodable;
    const recorded = recordedFields(exchange);
    const method = h("input", { id: "edit-method", class: "mono", value: exchange.method, required: true, spellcheck: "false" });
    const url = h("input", { id: "edit-url", class: "mono", value: exchange.url, required: true, spellcheck: "false", onpaste: event => paste(event) });
    const fields = h("textarea", { id: "edit-fields", class: "mono", rows: "8", spellcheck: "false" });
    const text = h("textarea", { id: "edit-body", class: "mono", rows: "8", spellcheck: "false", placeholder: isText || !body.kept ? "" : "as it was recorded" });
    fields.value = recorded;
    text.value = isText ? body.text : "";
    const profile = h("select", { id: "edit-profile" }, profiles.map(({ name }) => h("option", { value: name, selected: name === exchange.profile }, name)));
    const secrets = h("p", { class: "note warn", role: "status", hidden: true });
    const problem = h("p", { class: "failure", role: "alert", hidden: true });
    const force = h("button", { type: "button", "data-force": "", hidden: true, onclick: () => submit(true) }, "Send it as it is written");

    const paste = event => {
        const found = parseCurl(event.clipboardData.getData("text"));
        if (!found) return;
        event.preventDefault();
        [method.value, url.value, text.value] = [found.method, found.url, found.body];
        fields.value = textOf(found.fields);
        warn();
        problem.textContent = `Left out: ${plain(found.left.join(", "))}`;
        problem.hidden = found.left.length === 0;
    };
    const warn = () => {
        const places = [[url, "the URL"], [fields, "the fields"], [text, "the body"]].filter(([input]) => REDACTED.test(input.value)).map(([, name]) => name);
        secrets.hidden = places.length === 0;
        secrets.textContent = `⚠ A secret in ${places.join(" and ")} was redacted when this was recorded. Write the value in its place, or remove it.`;
        problem.hidden = force.hidden = true;
    };
    const submit = async isForced => {
        const edit = { method: method.value.trim(), url: url.value.trim(), force: isForced };
        if (fields.value !== recorded) edit.fields = fieldsOf(fields.value);
        if (text.value !== (isText ? body.text : "")) edit.body = text.value;
        try {
            await send(profile.value, edit);
            window.close();
        } catch (refusal) {
            problem.textContent = plain(refusal.advice ? `${refusal.message}. ${refusal.advice}` : refusal.message);
            problem.hidden = false;
            force.hidden = !(refusal.status === 409 && refusal.advice);
        }
    };
    const form = h("form", { class: "edit", oninput: warn, onsubmit: event => { event.preventDefault(); submit(false); } },
        line("Method", method), line("URL", url), line("Fields, one in a line", fields),
        line(isText || !body.kept ? "Body" : "Body; what is written here takes the place of the recorded one", text), line("Through the profile", profile),
        secrets, problem, h("div", { class: "actions" }, h("button", { type: "submit", "data-send": "" }, "Send"), force));
    const window = dialog(exchange.id === null ? "Compose a request" : `Edit and resend #${exchange.id}`, form,
        h("p", { class: "quiet" }, "It goes through Shunt like a client's request: the guards of the profile hold. A command of curl can be pasted into the URL."));
    window.classList.add("wide");
    url.focus();
    warn();
}

export const line = (name, input) => [h("label", { for: input.id }, name), input];

const recordedFields = exchange => textOf((parseHead(exchange.heads.client_request ?? exchange.heads.origin_request)?.fields ?? [])
    .filter(([name]) => !OWN.has(name.toLowerCase()) && !name.startsWith(":"))
    .filter(([name]) => !(exchange.bodies.request.decoded && name.toLowerCase() === "content-encoding")));
export const textOf = fields => fields.map(([name, value]) => `${name}: ${value}`).join("\n");

/** Lines as fields, and fields as lines. */
export const fieldsOf = text => text.split("\n").filter(line => line.trim()).map(line => {
    const colon = line.indexOf(":");
    return colon < 0 ? [line.trim(), ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
});
