// The source of HTML and XML, with its tags told apart from text.
import { h, plain } from "./dom.js";
import { size } from "./format.js";
import { withChips } from "./heads.js";

const TOKEN = /<!--[\s\S]*?(?:-->|$)|<[/!?]?[A-Za-z][^>]*(?:>|$)/g;

export function markupView(text, limit) {
    const shown = text.slice(0, limit);
    const parts = [];
    let end = 0;
    for (const found of shown.matchAll(TOKEN)) {
        if (found.index > end) parts.push(...withChips(shown.slice(end, found.index)));
        parts.push(h("span", { class: found[0].startsWith("<!--") ? "remark" : "tagged" }, withChips(found[0])));
        end = found.index + found[0].length;
        if (parts.length > 20_000) break;
    }
    parts.push(plain(shown.slice(end)));
    return [h("pre", { class: "text mono" }, parts), text.length > limit && h("p", { class: "quiet" }, `${size(text.length - limit)} more: see Text.`)];
}
