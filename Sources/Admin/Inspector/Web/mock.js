// Makes a mock of an exchange.
import { copy, dialog, h, iconButton, plain } from "./dom.js";

export function makeMock(exchange, profiles) {
    const local = profiles.filter(({ kind }) => kind === "local");
    const command = name => `shunt mocks from ${exchange.id}${name ? ` --profile ${name}` : ""}`;
    const choice = h("select", { id: "profile" }, local.map(({ name }) => h("option", { value: name }, name)));
    const code = h("code", {}, command(local[0]?.name));
    choice.addEventListener("change", () => { code.textContent = command(choice.value); });
    dialog("Make a mock of it", h("p", {}, `${plain(exchange.method)} ${plain(exchange.url.split("?")[0].replace(/^\w+:\/\//, ""))} will get the recorded response. `
        + "This writes a route into the profile's file, and the body beside it:"),
    local.length > 1 && h("p", {}, h("label", { for: "profile" }, "Into "), choice),
    h("pre", { class: "command" }, code, iconButton("copy", "Copy", () => copy(code.textContent))));
}
