// Protocol Buffers without their description: numbers, wire types, values. The type of a field with a length is a guess.
import { h, plain } from "./dom.js";

const MAX_FIELDS = 2000;
const MAX_DEPTH = 12;

/** `isGRPC`: messages with a flag and a length in front of each. */
export function protobufView(bytes, isGRPC) {
    if (!isGRPC) return message(bytes, 0) ?? h("p", { class: "note" }, "This is no Protocol Buffers message.");
    const parts = [];
    let at = 0;
    while (at + 5 <= bytes.length && parts.length < 200) {
        const length = new DataView(bytes.buffer, bytes.byteOffset + at + 1, 4).getUint32(0);
        const content = bytes.subarray(at + 5, at + 5 + length);
        parts.push(h("h4", {}, `Message ${parts.length + 1}`, h("span", { class: "quiet" }, ` ${length} B${bytes[at] ? ", compressed" : ""}`)),
            bytes[at] ? h("p", { class: "note" }, "Compressed messages are not shown.") : message(content, 0) ?? h("p", { class: "note" }, "It cannot be read."));
        at += 5 + length;
    }
    return parts;
}

function message(bytes, depth) {
    const fields = read(bytes);
    if (!fields) return null;
    return h("ul", { class: "tree mono" }, fields.map(({ number, wire, value }) => h("li", {}, h("span", { class: "key" }, number),
        h("span", { class: "quiet" }, ` ${wire} `), wire === "bytes" ? guess(value, depth) : h("span", { class: "value number" }, value))));
}

function guess(bytes, depth) {
    if (bytes.length === 0) return h("span", { class: "quiet" }, "empty");
    try {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        if (!/[\u0000-\u0008\u000e-\u001f]/.test(text)) return h("span", { class: "value string" }, plain(JSON.stringify(text)));
    } catch { /* It is no text. */ }
    const inner = depth < MAX_DEPTH ? message(bytes, depth + 1) : null;
    return inner ?? h("span", {}, [...bytes.subarray(0, 64)].map(byte => byte.toString(16).padStart(2, "0")).join(" "));
}

function read(bytes) {
    const fields = [];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    const varint = () => {
        let [value, shift] = [0n, 0n];
        while (at < bytes.length && shift < 70n) {
            const byte = bytes[at++];
            value |= BigInt(byte & 127) << shift;
            if (byte < 128) return value;
            shift += 7n;
        }
        return null;
    };
    while (at < bytes.length && fields.length < MAX_FIELDS) {
        const tag = varint();
        if (tag === null || tag >> 3n === 0n) return null;
        const field = { number: Number(tag >> 3n) };
        switch (Number(tag & 7n)) {
        case 0: field.wire = "varint"; field.value = varint()?.toString(); if (field.value === undefined) return null; break;
        case 1: if (at + 8 > bytes.length) return null; field.wire = "64 bits"; field.value = `${view.getBigUint64(at, true)}, ${view.getFloat64(at, true)}`; at += 8; break;
        case 5: if (at + 4 > bytes.length) return null; field.wire = "32 bits"; field.value = `${view.getUint32(at, true)}, ${view.getFloat32(at, true)}`; at += 4; break;
        case 2: {
            const length = varint();
            if (length === null || BigInt(at) + length > BigInt(bytes.length)) return null;
            field.wire = "bytes";
            field.value = bytes.subarray(at, at + Number(length));
            at += Number(length);
            break;
        }
        default: return null;
        }
        fields.push(field);
    }
    return fields;
}
