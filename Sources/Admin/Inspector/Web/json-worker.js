// Reads large JSON beside the page and hands out what is looked at.
import { countOf, Digits, isBranch, Members, readingJSON, spelled } from "./json-model.js";

const MAX_FINDS = 1000;
const PREVIEW = 2000;
/** Milliseconds that are read without a look at what the page asks. */
const SLICE = 40;
let root;
/** Branches that are not read to their ends. */
let open = [];
/** Resolves when all is read. */
let rest;

const child = (value, index) => value instanceof Members ? value.values[index] : value[index];
const at = path => path.reduce(child, root);

function describe(value) {
    if (isBranch(value)) return { branch: value instanceof Members ? "{}" : "[]", count: countOf(value), grows: open.includes(value) };
    const text = spelled(value);
    const kind = value === null ? "null" : value instanceof Digits ? "number" : typeof value;
    return { kind, text: text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text, length: text.length };
}

/** Reads on for a slice; returns whether that was all. */
function readOn(steps) {
    const end = performance.now() + SLICE;
    let step;
    do step = steps.next(); while (!step.done && performance.now() < end);
    ({ root } = step.value);
    open = step.done ? [] : step.value.open;
    return step.done;
}

async function readRest(steps) {
    // Between two slices the messages of the page have their turn.
    do await new Promise(resolve => setTimeout(resolve)); while (!readOn(steps));
}

const actions = {
    /** What is there after the first slice. */
    read({ text }) {
        const steps = readingJSON(text);
        rest = readOn(steps) ? Promise.resolve() : readRest(steps);
        // Who asks for the rest gets the problem.
        rest.catch(() => {});
        return describe(root);
    },
    rest() { return rest; },
    describe({ path }) { return describe(at(path)); },
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
    async find({ text }) {
        await rest.catch(() => {});
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

onmessage = async ({ data: { number, action, ...more } }) => {
    try {
        postMessage({ number, result: await actions[action](more) });
    } catch (problem) {
        postMessage({ number, problem: String(problem.message) });
    }
};
