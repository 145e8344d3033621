// window.NAME.method(…), as Android's WebView has it: the page stands still until the method returns.
const method = (name, cases) => (...args) => {
    const call = begin(name, args);
    const found = choose(cases, call);
    block(found?.delay);
    sendLater(found?.events, call);
    if (found && "error" in found) {
        const error = fill(found.error, call);
        report(call, { by: "contract", error });
        throw new Error(error);
    }
    let reply = found && "reply" in found ? fill(found.reply, call) : undefined;
    if (reply !== null && typeof reply === "object") reply = text(reply);
    report(call, { by: "contract", reply });
    return reply;
};

if (!contract.record) {
    for (const [object, methods] of Object.entries(contract.android)) {
        const value = {};
        for (const [name, cases] of Object.entries(methods)) value[name] = method(object + "." + name, cases);
        Object.defineProperty(window, object, { configurable: true, writable: true, value });
    }
}
