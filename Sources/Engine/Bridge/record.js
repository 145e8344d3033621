// Calls that the app has not replied to yet.
const pending = new Set();

// In the real app: calls go to the app's own bridge, and what it replies is reported.
const recorded = (name, object, method) => (...args) => {
    const call = begin(name, args);
    let reply;
    try {
        reply = object[method](...args);
    } catch (error) {
        report(call, { by: "app", error: error?.message ?? String(error) });
        throw error;
    }
    if (typeof reply?.then !== "function") {
        report(call, { by: "app", reply });
    } else {
        pending.add(call);
        const end = facts => {
            if (pending.delete(call)) report(call, { by: "app", ...facts });
        };
        reply.then(
            reply => end({ reply: reply === undefined ? null : reply }),
            error => end({ error: error?.message ?? String(error) }));
    }
    return reply;
};

// The same object with its methods wrapped; they are kept, since pages may compare them.
const recorder = (object, prefix, wrap) => {
    const kept = new Map();
    return new Proxy({}, {
        has: (_, key) => key in object,
        ownKeys: () => Reflect.ownKeys(object),
        getOwnPropertyDescriptor: (_, key) =>
            key in object ? { configurable: true, enumerable: true, value: object[key] } : undefined,
        get: (_, key) => {
            const value = object[key];
            if (typeof key !== "string" || value === undefined || value === null) return value;
            if (!kept.has(key)) kept.set(key, wrap(prefix + key, object, key, value));
            return kept.get(key);
        },
    });
};

if (contract.record) {
    addEventListener("pagehide", () => {
        for (const call of pending) report(call, { by: "app", isPending: true });
        pending.clear();
    });
    const native = window.webkit?.messageHandlers;
    if (native) {
        const messageHandlers = recorder(native, "webkit.", (name, _, __, handler) =>
            ({ postMessage: recorded(name, handler, "postMessage") }));
        Object.defineProperty(window, "webkit", { configurable: true, value: { messageHandlers } });
    }
    for (const name of Object.keys(contract.android)) {
        const object = window[name];
        if (!object) continue;
        const value = recorder(object, name + ".", (name, object, key, value) =>
            typeof value === "function" ? recorded(name, object, key) : value);
        Object.defineProperty(window, name, { configurable: true, writable: true, value });
    }
    window.prompt = recorded("prompt", { prompt: window.prompt.bind(window) }, "prompt");
}
