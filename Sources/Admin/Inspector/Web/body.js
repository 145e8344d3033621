// A body by its type. Nothing of it ever becomes a part of this page but as text, or as a picture, sound or film.
import { bodyOf, get } from "./api.js";
import { copy, failed, h, iconButton, plain, replace } from "./dom.js";
import { size } from "./format.js";
import { withChips } from "./heads.js";
import { jsonTree } from "./json-tree.js";
import { mediaView } from "./media.js";
import { save } from "./save.js";
import { markupView } from "./markup.js";

/** Characters that are shown at once. */
const FIRST = 200_000;
/** Bytes that are loaded without a question. */
const LOADED = 32_000_000;

/** Lines that are asked for at once. */
const LINES = 2000;
/** What Shunt lays out itself, as `shunt show` does, by what it says that a body is. */
const RENDERED = { graphql: "GraphQL", lines: "Lines", form: "Form", parts: "Parts", protobuf: "Protobuf" };

const linesOf = (exchange, side, query) => get(`/v1/traffic/${exchange.id}/${side}/text`, { limit: LINES, ...query });

/** Lines that Shunt has laid out, page by page. */
export function linesView(page, more, kind = "text") {
    const element = h("pre", { class: `${kind} mono` }, withChips(page.text));
    const ends = h("p", { class: "quiet", hidden: !page.cut || page.next !== null }, "Some lines are longer; the whole body can be saved.");
    const button = h("button", {
        type: "button", hidden: page.next === null, onclick: async () => {
            try { page = await more(page.next); } catch (problem) { return failed(problem); }
            element.append(...withChips(page.text));
            button.hidden = page.next === null;
            ends.hidden = !page.cut || page.next !== null;
        },
    }, "More");
    return [element, button, ends];
}

/** The ways in which a body can be shown, the best one first: `[name, make]`. */
function ways(body, type, exchange, side) {
    const { text, bytes, page } = body;
    const kind = (type ?? "").split(";")[0].trim().toLowerCase();
    const list = [];
    const rendered = (page, query) => linesView(page, from => linesOf(exchange, side, { ...query, from }), query.as === "hex" ? "hex" : "text");
    if (/^(image|audio|video|font)\/|font-|woff/.test(kind) && !(body.cut || body.dropped)) list.push(["Preview", () => mediaView(bytes, kind)]);
    if (RENDERED[page.form]) list.push([RENDERED[page.form], () => rendered(page, {})]);
    if (text !== undefined) {
        if (page.form === "json" || page.form === "graphql" || /[/+]json$/.test(kind)) {
            list.push(["Tree", () => jsonTree(text).catch(problem => [h("p", { class: "note" }, `No JSON: ${problem.message}`), textView(text)])]);
        }
        if (/html|xml|svg/.test(kind)) list.push(["Source", () => markupView(text, FIRST)]);
        list.push(["Text", () => textView(text)]);
    }
    list.push(["Hex", async () => rendered(await linesOf(exchange, side, { as: "hex" }), { as: "hex" })]);
    return list;
}

export function bodyView(exchange, side, type) {
    const body = exchange.bodies[side];
    if (!body.kept) return h("p", { class: "quiet" }, body.dropped ? "The body was dropped: the disk was too slow." : exchange.bytes[side] ? "Nothing of the body is kept." : "No body.");
    const place = h("div", { class: "body" });
    const load = async () => {
        replace(place, h("p", { class: "quiet", role: "status" }, `Loading ${size(body.kept)} …`));
        try {
            const [bytes, page] = await Promise.all([bodyOf(exchange.id, side), linesOf(exchange, side)]);
            replace(place, choices({ ...body, bytes, page, text: textOf(bytes) }, type, exchange, side));
        } catch (problem) {
            replace(place, h("p", { class: "note" }, `${plain(problem.message)}. `), h("button", { type: "button", onclick: load }, "Load it"));
        }
    };
    if (body.kept <= LOADED) load();
    else replace(place, h("p", { class: "note" }, `${size(body.kept)} are more than is loaded at once.`), h("button", { type: "button", onclick: load }, "Load it"), " ", saver(exchange, side));
    return place;
}

let last;
function choices(body, type, exchange, side) {
    const list = ways(body, type, exchange, side);
    const content = h("div", {});
    const show = async name => {
        const [chosen, make] = list.find(([own]) => own === name) ?? list[0];
        for (const button of bar.querySelectorAll("[data-way]")) button.setAttribute("aria-pressed", String(button.dataset.way === chosen));
        const made = make();
        if (made instanceof Promise) replace(content, h("p", { class: "quiet" }, "Reading …"));
        try { replace(content, await made); } catch (problem) { replace(content, h("p", { class: "note" }, plain(problem.message))); }
    };
    const bar = h("div", { class: "ways" }, list.map(([name]) => h("button", {
        type: "button", "data-way": name, "aria-pressed": "false", onclick: () => { last = name; show(name); },
    }, name)), h("span", { class: "space" }), body.text !== undefined && iconButton("copy", "Copy the body", () => copy(body.text)), saver(exchange, side));
    show(last);
    return [bar, content];
}

const saver = (exchange, side) => iconButton("save", "Save the body", async () => {
    save(new Blob([await bodyOf(exchange.id, side)]), `${exchange.id}-${side}`);
});

/** Text, its first part at once. */
export function textView(text) {
    const element = h("pre", { class: "text mono" }, withChips(text.slice(0, FIRST)));
    if (text.length <= FIRST) return element;
    let end = FIRST;
    const label = () => `${size(text.length - end)} more`;
    const button = h("button", {
        type: "button", onclick: () => {
            element.append(plain(text.slice(end, end + FIRST)));
            end += FIRST;
            if (end >= text.length) button.remove(); else button.textContent = label();
        },
    }, label());
    return [element, button];
}

/** nothing for bytes that are no UTF-8. */
function textOf(bytes) {
    try { return new TextDecoder("utf-8", { fatal: true }).decode(bytes); } catch { return undefined; }
}
