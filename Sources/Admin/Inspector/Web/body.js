// A body by its type. Nothing of it ever becomes a part of this page but as text, or as a picture, sound or film.
import { bodyOf } from "./api.js";
import { formView, graphQLView, multipartView } from "./forms.js";
import { copy, h, iconButton, plain, replace } from "./dom.js";
import { size } from "./format.js";
import { withChips } from "./heads.js";
import { hexView } from "./hex.js";
import { jsonTree } from "./json-tree.js";
import { mediaView } from "./media.js";
import { isJSON } from "./pretty.js";
import { protobufView } from "./protobuf.js";
import { save } from "./save.js";
import { markupView } from "./markup.js";

/** Characters that are shown at once. */
const FIRST = 200_000;
/** Bytes that are loaded without a question. */
const LOADED = 32_000_000;

/** The ways in which a body can be shown, the best one first: `[name, make]`. */
function ways(body, type, exchange, side) {
    const { text, base64 } = body;
    const kind = (type ?? "").split(";")[0].trim().toLowerCase();
    const list = [];
    const bytes = () => body.bytes ?? (base64 !== undefined ? fromBase64(base64) : new TextEncoder().encode(text ?? ""));
    if (/^(image|audio|video|font)\/|font-|woff/.test(kind) && !(body.cut || body.dropped)) list.push(["Preview", () => mediaView(bytes(), kind)]);
    if (/grpc|protobuf/.test(kind)) list.push(["Protobuf", () => protobufView(bytes(), /grpc/.test(kind))]);
    if (text !== undefined) {
        if (isJSON(kind, text)) {
            const graphQL = side === "request" && graphQLView(text);
            if (graphQL) list.push(["GraphQL", () => graphQL]);
            list.push(["Tree", () => jsonTree(text).catch(problem => [h("p", { class: "note" }, `No JSON: ${problem.message}`), textView(text)])]);
        }
        if (kind === "application/x-www-form-urlencoded") list.push(["Form", () => formView(text)]);
        if (/html|xml|svg/.test(kind)) list.push(["Source", () => markupView(text, FIRST)]);
        if (kind.startsWith("multipart/")) list.push(["Parts", () => multipartView(text, type)]);
        list.push(["Text", () => textView(text)]);
    }
    list.push(["Hex", () => hexView(bytes())]);
    return list;
}

export function bodyView(exchange, side, type) {
    const body = exchange.bodies[side];
    if (!body.kept) return h("p", { class: "quiet" }, body.dropped ? "The body was dropped: the disk was too slow." : exchange.bytes[side] ? "Nothing of the body is kept." : "No body.");
    const place = h("div", { class: "body" });
    if (body.text !== undefined || body.base64 !== undefined) return replace(place, choices(body, type, exchange, side));
    const load = async () => {
        replace(place, h("p", { class: "quiet", role: "status" }, `Loading ${size(body.kept)} …`));
        const bytes = await bodyOf(exchange.id, side);
        let own;
        try { own = { ...body, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }; } catch { own = { ...body, bytes }; }
        replace(place, choices(own, type, exchange, side));
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
        replace(content, await made);
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

export const fromBase64 = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
