// Heads of requests and responses: as lists of fields, and their secrets as chips.
import { copy, h, iconButton, plain } from "./dom.js";
import { icon } from "./icons.js";

/** `{ line, fields: [[name, value]] }` of a head as text; nil without one. */
export function parseHead(text) {
    if (!text) return null;
    const lines = text.replace(/\r\n?/g, "\n").split("\n").filter(Boolean);
    const isFields = lines[0].startsWith(":");
    const fields = (isFields ? lines : lines.slice(1)).map(line => {
        const colon = line.indexOf(":", 1);
        return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    return { line: isFields ? "" : lines[0], fields };
}

export const fieldOf = (head, name) =>
    head?.fields.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1];

// In URLs the brackets are escaped.
const SECRET = /(?:<|%3C)redacted:([^:<>%]*):([0-9a-z]+)(?:>|%3E)/g;

/** Text of the network, its replaced secrets as chips; those that are equal light up together. */
export function withChips(text) {
    const parts = [];
    let end = 0;
    for (const found of text.matchAll(SECRET)) {
        parts.push(plain(text.slice(end, found.index)), chip(found[1], found[2]));
        end = found.index + found[0].length;
    }
    return [...parts, plain(text.slice(end))];
}

function chip(name, digest) {
    const light = isOn => {
        for (const other of document.querySelectorAll(`[data-digest="${CSS.escape(digest)}"]`)) other.classList.toggle("lit", isOn);
    };
    return h("span", {
        class: "secret", "data-digest": digest, title: `A secret (${plain(name)}); equal digests are equal values`, tabindex: "0",
        onmouseenter: () => light(true), onmouseleave: () => light(false), onfocus: () => light(true), onblur: () => light(false),
    }, icon("key"), digest.slice(0, 8));
}

/** A table of fields. */
export function fieldTable(fields, caption) {
    return h("table", { class: "fields", "aria-label": caption }, h("tbody", {}, fields.map(([name, value]) =>
        h("tr", {}, h("th", { scope: "row" }, plain(name)), h("td", {}, h("bdi", {}, withChips(value)),
            iconButton("copy", `Copy ${plain(name)}`, () => copy(value), { class: "icon hover" }))))));
}

/** A section that can be folded and stays as it was for the next exchange. */
const folded = new Set();
export function section(title, figure, ...content) {
    const element = h("details", { class: "section", open: !folded.has(title) },
        h("summary", {}, h("h3", {}, title), figure !== null && h("span", { class: "quiet" }, ` ${figure}`)), content);
    element.addEventListener("toggle", () => { if (element.open) folded.delete(title); else folded.add(title); });
    return element;
}
