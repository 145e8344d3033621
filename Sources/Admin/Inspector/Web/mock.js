// Makes a mock of an exchange.
import { post } from "./api.js";
import { copy, dialog, failed, h, iconButton, plain, toast } from "./dom.js";

export function makeMock(exchange, profiles) {
    const local = profiles.filter(({ kind }) => kind === "local");
    const command = name => `shunt mocks from ${exchange.id}${name ? ` --profile ${name}` : ""}`;
    const choice = h("select", { id: "profile" }, local.map(({ name }) => h("option", { value: name }, name)));
    const code = h("code", {}, command(local[0]?.name));
    choice.addEventListener("change", () => { code.textContent = command(choice.value); });
    const write = async () => {
        try {
            const { file, secrets } = await post(`/v1/traffic/${exchange.id}/mock`, { profile: choice.value || null });
            window.close();
            toast(`A mock is in ${file}${secrets ? `; ${secrets} secrets in it are to be filled in` : ""}`);
        } catch (problem) { failed(problem); }
    };
    const window = dialog("Make a mock of it",
        h("p", {}, h("b", { class: "mono" }, `${plain(exchange.method)} ${plain(exchange.url.split("?")[0].replace(/^\w+:\/\//, ""))}`), " will get the recorded response. "
            + "This writes a route into the profile's file, and the body beside it."),
        local.length > 1 && h("p", {}, h("label", { for: "profile" }, "Into "), choice),
        h("button", { type: "button", "data-write": "", onclick: write }, "Write it"),
        h("p", { class: "quiet" }, "The same from a terminal:"),
        h("pre", { class: "command" }, code, iconButton("copy", "Copy", () => copy(code.textContent))));
}
