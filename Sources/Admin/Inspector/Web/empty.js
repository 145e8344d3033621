// What stands in place of rows: nothing yet, nothing found, no store.
import { copy, h, iconButton, plain } from "./dom.js";

const command = text => h("pre", { class: "command" }, h("code", {}, text), iconButton("copy", "Copy", () => copy(text)));

/** nil when there are rows and nothing is wrong. */
export function emptyState({ problem, isEmpty, filter, clear }) {
    if (problem?.status === 409) {
        return {
            kind: "off", content: [h("h2", {}, "The traffic store is off"), h("p", {}, "Shunt runs with --no-store, so nothing is recorded."),
                h("p", {}, "Without that option the traffic stays on this machine, with secrets replaced:"), command("shunt serve")],
        };
    }
    if (problem && problem.status !== 0) {
        return { kind: "problem", content: [h("h2", {}, "The traffic cannot be read"), h("p", {}, plain(problem.message)), h("p", {}, plain(problem.advice))] };
    }
    if (!isEmpty) return null;
    if (filter) {
        return {
            kind: "none", content: [h("h2", {}, "The filter finds nothing"), h("p", {}, h("code", {}, plain(filter))), excluding(filter),
                h("button", { type: "button", onclick: clear }, "Show everything")],
        };
    }
    const url = document.body.dataset.url ?? "http://localhost:4884";
    return {
        kind: "empty", content: [h("h2", {}, "No traffic yet"),
            h("p", {}, "Requests appear here as they pass. The address for your app is:"), command(url),
            h("p", { class: "quiet" }, "Or try it from a terminal:"), command(`curl -i ${url}/`)],
    };
}

/** Parts that are joined by & exclude each other most often. */
function excluding(filter) {
    const parts = filter.split("&");
    return parts.length > 1 ? h("p", { class: "quiet" }, `All ${parts.length} parts have to hold; take one away to see more.`) : null;
}
