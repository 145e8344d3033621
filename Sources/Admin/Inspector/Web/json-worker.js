// Reads large JSON beside the page and hands out what is looked at.
import { countOf, Digits, isBranch, Members, readJSON, spelled } from "./json-model.js";

const MAX_FINDS = 1000;
const PREVIEW = 2000;
let root;

const child = (value, index) => value instanceof Members ? value.values[index] : value[index];
const at = path => path.reduce(child, root);

function describe(value) {
    if (isBranch(value)) return { branch: value instanceof Members ? "{}" : "[]", count: countOf(value) };
    const text = spelled(value);
    const kind = value === null ? "null" : value instanceof Digits ? "number" : typeof value;
    return { kind, text: text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text, length: text.length };
}

const actions = {
    read({ text }) { root = readJSON(text); return describe(root); },
    children({ path, from, count }) {
        const value = at(path);
        const end = Math.min(from + count, countOf(value));
        const items = [];
        for (let index = from; index < end; index += 1) {
            items.push({ key: value instanceof Members ? value.keys[index] : index, ...describe(child(value, index)) });
        }
        return items;
    },
    text({ path }) { const value = at(path); return typeof value === "string" ? value : spelled(value); },
    /** Paths of the members whose name or value has the text in it. */
    find({ text }) {
        const wanted = text.toLowerCase();
        const found = [];
        const work = [[root, []]];
        while (work.length && found.length < MAX_FINDS) {
            const [value, path] = work.pop();
            if (!isBranch(value)) {
                if (String(value instanceof Digits ? value.text : value).toLowerCase().includes(wanted)) found.push(path);
                continue;
            }
            const isObject = value instanceof Members;
            for (let index = countOf(value) - 1; index >= 0; index -= 1) {
                const inner = child(value, index);
                const place = [...path, index];
                if (isObject && value.keys[index].toLowerCase().includes(wanted) && isBranch(inner)) found.push(place);
                else if (isObject && value.keys[index].toLowerCase().includes(wanted)) { found.push(place); continue; }
                work.push([inner, place]);
            }
        }
        return found.sort(inOrder);
    },
};

function inOrder(left, right) {
    for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
        if (left[index] !== right[index]) return left[index] - right[index];
    }
    return left.length - right.length;
}

onmessage = ({ data: { number, action, ...more } }) => {
    try {
        postMessage({ number, result: actions[action](more) });
    } catch (problem) {
        postMessage({ number, problem: String(problem.message) });
    }
};
