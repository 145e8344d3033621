// JSON as it was spelled: numbers keep their digits, objects the order and the repetitions of their members. Nothing
// recurses, so that no depth of nesting is too much.

/** A number whose digits a JavaScript number would change. */
export class Digits { constructor(text) { this.text = text; } }
/** An object; `keys` and `values` have the same length, but for a name that was read and whose value was not yet. */
export class Members { keys = []; values = []; }

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Values that are read in one step. */
const STEP = 10_000;

/**
 * Reads in steps: gives `{ root, open }` after each, the same object, and returns it; `open` are the branches, the
 * outermost one first, to which more may be added. Throws a SyntaxError with the place.
 */
export function* readingJSON(text) {
    let at = 0;
    const fail = what => { throw new SyntaxError(`${what} at ${at}`); };
    const skip = () => {
        let code = text.charCodeAt(at);
        while (code === 32 || code === 10 || code === 13 || code === 9) code = text.charCodeAt(at += 1);
    };
    const string = () => {
        // The pattern's stack is too small for strings of many megabytes: those are searched for their end.
        let end = at + 1;
        while (true) {
            end = text.indexOf('"', end);
            if (end < 0) fail("a string without its end");
            let slashes = 0;
            while (text.charCodeAt(end - 1 - slashes) === 92) slashes += 1;
            if (slashes % 2 === 0) break;
            end += 1;
        }
        const raw = text.slice(at, end + 1);
        at = end + 1;
        return raw.includes("\\") ? JSON.parse(raw) : raw.slice(1, -1);
    };
    const scalar = () => {
        // Most numbers are whole and short.
        let [place, code, whole] = [at, text.charCodeAt(at), 0];
        if (code !== 48) {
            while (code >= 48 && code <= 57 && place - at < 15) {
                whole = whole * 10 + code - 48;
                code = text.charCodeAt(place += 1);
            }
            if (place > at && !(code >= 48 && code <= 57) && code !== 46 && code !== 69 && code !== 101) {
                at = place;
                return whole;
            }
        }
        SCALAR.lastIndex = at;
        const found = SCALAR.exec(text)?.[0];
        if (!found) fail("an unexpected character");
        at += found.length;
        if (found === "true" || found === "false") return found === "true";
        if (found === "null") return null;
        const number = Number(found);
        return String(number) === found ? number : new Digits(found);
    };
    const open = [];
    const state = { root: undefined, open };
    let count = 0;
    const put = value => {
        const top = open.at(-1);
        if (!top) state.root = value; else if (top instanceof Members) top.values.push(value); else top.push(value);
    };
    const key = top => {
        skip();
        if (text[at] !== '"') fail("a member without a name");
        top.keys.push(string());
        skip();
        if (text[at] !== ":") fail("a name without its :");
        at += 1;
    };
    read: while (true) {
        count += 1;
        if (count % STEP === 0) yield state;
        skip();
        const letter = text[at];
        if (letter === "{" || letter === "[") {
            const value = letter === "{" ? new Members() : [];
            put(value);
            at += 1;
            skip();
            if (text[at] !== (letter === "{" ? "}" : "]")) {
                open.push(value);
                if (letter === "{") key(value);
                continue;
            }
            at += 1;
        } else {
            put(letter === '"' ? string() : scalar());
        }
        while (open.length) {
            skip();
            const top = open.at(-1);
            const isObject = top instanceof Members;
            if (text[at] === ",") {
                at += 1;
                if (isObject) key(top);
                continue read;
            }
            if (text[at] !== (isObject ? "}" : "]")) fail("a comma or the end is missing");
            at += 1;
            open.pop();
        }
        skip();
        if (at < text.length) fail("text behind the end");
        return state;
    }
}

export const isBranch = value => typeof value === "object" && value !== null && !(value instanceof Digits);
export const countOf = value => value instanceof Members ? value.values.length : value.length;

/** A value that is no object and no array, as it is written. */
export const spelled = value => value instanceof Digits ? value.text : JSON.stringify(value);
