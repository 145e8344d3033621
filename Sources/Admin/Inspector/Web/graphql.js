// GraphQL requests with their variables.
import { h, plain } from "./dom.js";
import { withChips } from "./heads.js";
import { readJSON, writeJSON, Members } from "./json-model.js";

/** Characters of a request that is looked at whether it is one. */
const LIMIT = 1_000_000;

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
