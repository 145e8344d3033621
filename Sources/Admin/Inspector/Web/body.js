// A body by its type. Nothing of it ever becomes a part of this page but as text, or as a picture, sound or film.
import { bodyOf, get } from "./api.js";
import { graphQLView } from "./graphql.js";
import { copy, h, iconButton, plain, replace } from "./dom.js";
import { size } from "./format.js";
import { withChips } from "./heads.js";
import { hexView } from "./hex.js";
import { jsonTree } from "./json-tree.js";
import { mediaView } from "./media.js";
import { isJSON } from "./pretty.js";
import { save } from "./save.js";
import { markupView } from "./markup.js";

/** Characters that are shown at once. */
const FIRST = 200_000;
/** Bytes that are loaded without a question. */
const LOADED = 32_000_000;

/** Types that Shunt lays out itself, as `shunt show` does. */
const RENDERED = [[/grpc|protobuf/, "Protobuf"], [/^application\/x-www-form-urlencoded$/, "Form"], [/^multipart\//, "Parts"]];

async function renderedView(exchange, side) {
    const { text, cut } = await get(`/v1/traffic/${exchange.id}/${side}/text`);
    return [textView(text), cut && h("p", { class: "quiet" }, "More follows; the whole body can be saved.")];
}

/** The ways in which a body can be shown, the best one first: `[name, make]`. */
function ways(body, type, exchange, side) {
    const { text, bytes } = body;
    const kind = (type ?? "").split(";")[0].trim().toLowerCase();
    const list = [];
    if (/^(image|audio|video|font)\/|font-|woff/.test(kind) && !(body.cut || body.dropped)) list.push(["Preview", () => mediaView(bytes, kind)]);
    const rendered = RENDERED.find(([types]) => types.test(kind));
    if (rendered) list.push([rendered[1], () => renderedView(exchange, side)]);
    if (text !== undefined) {
        if (isJSON(kind, text)) {
            const graphQL = side === "request" && graphQLView(text);
            if (graphQL) list.push(["GraphQL", () => graphQL]);
            list.push(["Tree", () => jsonTree(text).catch(problem => [h("p", { class: "note" }, `No JSON: ${problem.message}`), textView(text)])]);
        }
        if (/html|xml|svg/.test(kind)) list.push(["Source", () => markupView(text, FIRST)]);
        list.push(["Text", () => textView(text)]);
    }
    list.push(["Hex", () => hexView(bytes)]);
    return list;
}

export function bodyView(exchange, side, type) {
    const body = exchange.bodies[side];
    if (!body.kept) return h("p", { class: "quiet" }, body.dropped ? "The body was dropped: the disk was too slow." : exchange.bytes[side] ? "Nothing of the body is kept." : "No body.");
    const place = h("div", { class: "body" });
    const load = async () => {
        replace(place, h("p", { class: "quiet", role: "status" }, `Loading ${size(body.kept)} …`));
        try {
            const bytes = await bodyOf(exchange.id, side);
            replace(place, choices({ ...body, bytes, text: textOf(bytes) }, type, exchange, side));
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
