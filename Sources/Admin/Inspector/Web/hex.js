// Bytes in hexadecimal, with what of them is letters.
import { h } from "./dom.js";
import { size } from "./format.js";

const FIRST = 16 << 10;

export function hexView(bytes) {
    const element = h("pre", { class: "hex mono" }, lines(bytes, 0, FIRST));
    if (bytes.length <= FIRST) return element;
    let end = FIRST;
    const label = () => `${size(bytes.length - end)} more`;
    const button = h("button", {
        type: "button", onclick: () => {
            element.append(lines(bytes, end, end + FIRST));
            end += FIRST;
            if (end >= bytes.length) button.remove(); else button.textContent = label();
        },
    }, label());
    return [element, button];
}

/** A line for each sixteen bytes. */
export function lines(bytes, start = 0, end = bytes.length) {
    const all = [];
    for (let at = start; at < Math.min(end, bytes.length); at += 16) {
        const row = bytes.subarray(at, at + 16);
        const digits = [...row].map(byte => byte.toString(16).padStart(2, "0"));
        const text = [...row].map(byte => byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".").join("");
        all.push(`${at.toString(16).padStart(8, "0")}  ${digits.slice(0, 8).join(" ").padEnd(23)}  ${digits.slice(8).join(" ").padEnd(23)}  ${text}\n`);
    }
    return all.join("");
}
