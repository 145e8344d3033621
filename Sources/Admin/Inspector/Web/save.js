// Files for the user.
import { h } from "./dom.js";

/** Writes a file; its type is none that a browser would show. */
export function save(blob, name) {
    const url = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }));
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
