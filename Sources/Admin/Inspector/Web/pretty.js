// Text that is laid out for reading: JSON with its values as they were spelled, all else unchanged.
import { readJSON, writeJSON } from "./json-model.js";

const LIMIT = 2_000_000;

export const isJSON = (type, text) => /[/+]json\b/.test(type) || /^\s*[{[]/.test(text.slice(0, 100)) && !/html|xml|css|javascript/.test(type);

export function pretty(text, type) {
    if (text.length > LIMIT || !isJSON(type, text)) return text;
    try { return writeJSON(readJSON(text)); } catch { return text; }
}
