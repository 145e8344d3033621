// Pictures, sound, films and fonts of recorded bodies.
import { h } from "./dom.js";
import { size } from "./format.js";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/x-icon", "image/vnd.microsoft.icon"]);

export function mediaView(bytes, type) {
    // In a document of its own an SVG could hold scripts: as data it would have no origin, and a picture runs none.
    if (type === "image/svg+xml") return picture(`data:image/svg+xml;base64,${btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""))}`, bytes);
    if (PICTURES.has(type)) return picture(link(bytes, type), bytes);
    if (type.startsWith("audio/")) return h("audio", { controls: true, src: link(bytes, type) });
    if (type.startsWith("video/")) return h("video", { controls: true, src: link(bytes, type) });
    if (/font|woff/.test(type)) return font(bytes);
    return h("p", { class: "note" }, "There is no preview of this type.");
}

const links = new Set();
/** Of what was shown before nothing is kept. */
function link(bytes, type) {
    for (const url of links) URL.revokeObjectURL(url);
    links.clear();
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    links.add(url);
    return url;
}

function picture(src, bytes) {
    const note = h("figcaption", { class: "quiet" }, size(bytes.length));
    const image = h("img", {
        src, alt: "The picture of the body", onload: () => { note.textContent = `${image.naturalWidth} × ${image.naturalHeight}, ${size(bytes.length)}`; },
        onerror: () => { note.textContent = "The browser cannot show it."; },
    });
    return h("figure", {}, image, note);
}

async function font(bytes) {
    const face = new FontFace("inspected", bytes);
    try { document.fonts.add(await face.load()); } catch { return h("p", { class: "note" }, "The browser cannot read the font."); }
    return h("p", { class: "specimen" }, "Hamburgefonstiv 0123456789 ÄÖÜß");
}
