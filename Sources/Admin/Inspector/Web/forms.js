// Bodies of forms: names and values, parts, and GraphQL with its variables.
import { h, plain } from "./dom.js";
import { fieldTable, withChips } from "./heads.js";
import { readJSON, writeJSON, Members } from "./json-model.js";

/** Characters of a request that is looked at whether it is one. */
const LIMIT = 1_000_000;

const decoded = text => {
    try { return decodeURIComponent(text.replaceAll("+", " ")); } catch { return text; }
};

export function formView(text) {
    return fieldTable(text.split("&").filter(Boolean).slice(0, 2000).map(pair => {
        const at = pair.indexOf("=");
        return at < 0 ? [decoded(pair), ""] : [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))];
    }));
}

export function multipartView(text, type) {
    const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
    if (!boundary) return h("p", { class: "note" }, "The type names no boundary.");
    const parts = text.split(`--${boundary}`).slice(1).filter(part => !part.startsWith("--")).slice(0, 500);
    return parts.map(part => {
        const end = part.search(/\r?\n\r?\n/);
        const fields = part.slice(0, Math.max(0, end)).trim().split(/\r?\n/).map(line => {
            const colon = line.indexOf(":");
            return [line.slice(0, colon), line.slice(colon + 1).trim()];
        });
        const content = part.slice(end).replace(/^\r?\n\r?\n/, "").replace(/\r?\n$/, "");
        const name = /name="([^"]*)"/.exec(fields.map(([, value]) => value).join(";"))?.[1] ?? "part";
        return h("details", { open: true, class: "part" }, h("summary", {}, h("b", {}, plain(name)), h("span", { class: "quiet" }, ` ${content.length} characters`)),
            fieldTable(fields), h("pre", { class: "text mono" }, withChips(content.slice(0, 20_000))));
    });
}

/** nil for JSON that is no GraphQL request. */
export function graphQLView(text) {
    if (text.length > LIMIT || !text.includes('"query"')) return null;
    let root;
    try { root = readJSON(text); } catch { return null; }
    const all = (Array.isArray(root) ? root : [root]).map(request => {
        if (!(request instanceof Members)) return null;
        const member = name => request.values[request.keys.indexOf(name)];
        const query = member("query");
        if (typeof query !== "string" || !/[{]/.test(query)) return null;
        return [member("operationName") && h("p", {}, h("b", {}, plain(member("operationName")))), h("pre", { class: "text mono" }, withChips(query)),
            member("variables") && [h("h4", {}, "Variables"), h("pre", { class: "text mono" }, withChips(writeJSON(member("variables"))))]];
    });
    return all.length && all.every(Boolean) ? all : null;
}
