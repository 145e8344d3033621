// Every call and what came of it goes to Shunt, which writes it down. What this needs is kept here, before the page's
// own scripts can replace it.
const { console, document, fetch, location, performance, setTimeout } = window;
const maxReport = 60000;

document.currentScript?.remove();

// A copy as JSON has it; undefined where there is none.
const copy = value => {
    try {
        return JSON.parse(JSON.stringify(value));
    } catch {
        return undefined;
    }
};

// A text is often an object in JSON, since Android's methods take no objects.
const parsed = value => {
    if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
    try {
        return JSON.parse(value);
    } catch {
        return value;
    }
};

const begin = (name, values) => {
    const args = Array.from(values, copy);
    return { name, arguments: args, message: parsed(args[0]), start: performance.now() };
};

// Facts are by, which of "contract" and "app" replied, and one of reply and error, or none.
const report = (call, facts) => {
    const known = { page: location.pathname, name: call.name, ms: Math.round(performance.now() - call.start) };
    const encode = more => new TextEncoder().encode(JSON.stringify({ ...known, ...more }));
    let body = encode({ arguments: call.arguments, ...facts, reply: copy(facts.reply) });
    if (body.length > maxReport) body = encode({ by: facts.by, isCut: true });
    fetch(location.origin + "/__shunt/bridge/" + encodeURIComponent(call.name), {
        method: "POST", headers: { "Content-Type": "application/json" }, body, keepalive: body.length < 4000,
    }).catch(() => {});
};

const warn = text => console.warn("shunt bridge: " + text);
