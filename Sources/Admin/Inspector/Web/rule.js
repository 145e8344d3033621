// Makes a rule of an exchange, which edits a body of JSON on its way.
import { post } from "./api.js";
import { copy, dialog, failed, h, iconButton, plain, toast } from "./dom.js";

const KINDS = [["set", "set to"], ["remove", "remove"], ["append", "append"], ["increment", "add the number"]];
const shell = text => `'${text.replaceAll("'", "'\\''")}'`;

/** `at`: where the edit begins, such as `{ path: "$.items[0]", value: "7", isRequest: false }`. */
export function makeRule(exchange, profiles, at = {}) {
    const field = (id, label, input) => h("div", {}, h("label", { for: id }, label), Object.assign(input, { id }));
    const kind = h("select", {}, KINDS.map(([name, title]) => h("option", { value: name }, title)));
    const side = h("select", {}, [["response", "the response"], ["request", "the request"]].map(([name, title]) =>
        h("option", { value: name, selected: (name === "request") === (at.isRequest === true) }, title)));
    const path = h("input", { type: "text", class: "mono", value: at.path ?? "$.", spellcheck: "false", autocomplete: "off", required: true });
    const value = h("input", { type: "text", class: "mono", value: at.value ?? "", spellcheck: "false", autocomplete: "off", placeholder: "JSON, or else a text" });
    const profile = h("select", {}, profiles.map(({ name }) => h("option", { value: name, selected: name === exchange.profile }, name)));
    const code = h("code", {});
    const edit = () => kind.value === "remove" ? path.value : `${path.value}=${value.value}`;
    const update = () => {
        value.parentElement.hidden = kind.value === "remove";
        code.textContent = `shunt edit ${exchange.id} --${kind.value} ${shell(edit())}${side.value === "request" ? " --request" : ""} --profile ${profile.value}`;
    };
    const write = async event => {
        event.preventDefault();
        try {
            const wanted = { profile: profile.value, request: side.value === "request" };
            wanted[kind.value] = [edit()];
            const { file, note } = await post(`/v1/traffic/${exchange.id}/edit`, wanted);
            window.close();
            toast(`A route is in ${file}${note ? `, but ${note}` : ""}`, Boolean(note));
        } catch (problem) { failed(problem); }
    };
    const form = h("form", { onsubmit: write, oninput: update },
        field("rule-side", "In", side), field("rule-kind", "Edit", kind), field("rule-path", "Path", path), field("rule-value", "Value", value), field("rule-profile", "Into", profile),
        h("button", { type: "submit", "data-write": "" }, "Write it"));
    const window = dialog("Edit its body by a rule",
        h("p", {}, "From now on bodies of ", h("b", { class: "mono" }, `${plain(exchange.method)} ${plain(exchange.url.split("?")[0].replace(/^\w+:\/\//, ""))}`), " are edited so. This writes a route into the profile's file."),
        form, h("p", { class: "quiet" }, "The same from a terminal:"), h("pre", { class: "command" }, code, iconButton("copy", "Copy", () => copy(code.textContent))));
    update();
    path.focus();
}
