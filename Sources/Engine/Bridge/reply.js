// Which case of the contract responds to a call, and with what.

// Whether all of one JSON value is in another: objects may have more members unless they lie in an array.
const contains = (wanted, found, isWhole = false) => {
    if (wanted === null || typeof wanted !== "object") return wanted === found;
    if (found === null || typeof found !== "object" || Array.isArray(wanted) !== Array.isArray(found)) return false;
    const keys = Object.keys(wanted);
    if ((isWhole || Array.isArray(wanted)) && keys.length !== Object.keys(found).length) return false;
    return keys.every(key => Object.hasOwn(found, key) && contains(wanted[key], found[key], isWhole || Array.isArray(wanted)));
};

const counts = new Map();

// The case for a call; undefined, and a warning, where there is none.
const choose = (cases, call) => {
    const found = cases.find(item => !("match" in item) || contains(item.match, call.message));
    call.count = (counts.get(call.name) ?? 0) + 1;
    counts.set(call.name, call.count);
    if (!found) warn(call.name + ": no case of the contract matches " + JSON.stringify(call.message));
    return found;
};

const time = ([form, seconds]) => {
    const now = new Date(Date.now() + seconds * 1000);
    switch (form) {
        case "date": return now.toISOString().slice(0, 10);
        case "http": return now.toUTCString();
        case "unix": return Math.floor(now / 1000);
        case "unixms": return +now;
        default: return now.toISOString();
    }
};

const uuid = () => "10000000-1000-4000-8000-100000000000".replace(/[018]/g, digit =>
    (digit ^ crypto.getRandomValues(new Uint8Array(1))[0] & 15 >> digit / 4).toString(16));

const place = ([source, argument, fallback], call) => {
    switch (source) {
        case "argument":
            return argument.reduce((value, name) => {
                const object = parsed(value);
                return object !== null && typeof object === "object" && Object.hasOwn(object, name)
                    ? object[name] : undefined;
            }, call.arguments) ?? fallback;
        case "now": return time(argument);
        case "random": return argument[0] + Math.floor(Math.random() * (argument[1] - argument[0] + 1));
        case "counter": return call.count;
        default: return uuid();
    }
};

// A value of the contract with its places filled.
const fill = ([kind, ...rest], call) => {
    switch (kind) {
        case "array": return rest.map(item => fill(item, call));
        case "object": return Object.fromEntries(rest.map(([name, value]) => [name, fill(value, call)]));
        case "json": return copy(place(rest[0], call));
        case "text": return rest.map(part => typeof part === "string" ? part : text(place(part, call))).join("");
        default: return copy(rest[0]);
    }
};

// As Android's methods and prompts return it, which know no objects.
const text = value => typeof value === "string" ? value : JSON.stringify(value);

const pause = ([min, max] = [0, 0]) => min + Math.random() * (max - min);

// The page stands still, as it does while native code works.
const block = delay => {
    const end = performance.now() + pause(delay);
    while (performance.now() < end);
};
