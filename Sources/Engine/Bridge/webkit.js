// window.webkit.messageHandlers.NAME.postMessage(message), as WKWebView has it.
const postMessage = (name, cases) => message => {
    const call = begin("webkit." + name, [message]);
    const found = choose(cases, call);
    sendLater(found?.events, call);
    // A handler without replies returns nothing, one with replies a promise.
    if (!cases.some(item => "reply" in item || "error" in item)) return report(call, { by: "contract" });
    return new Promise((resolve, reject) => setTimeout(() => {
        if (found && !("error" in found)) {
            const reply = "reply" in found ? fill(found.reply, call) : undefined;
            report(call, { by: "contract", reply });
            return resolve(reply);
        }
        const error = found ? fill(found.error, call) : "the contract has no case for this message";
        report(call, { by: "contract", error });
        reject(new Error(error));
    }, pause(found?.delay)));
};

if (!contract.record && Object.keys(contract.webkit).length > 0) {
    const messageHandlers = {};
    for (const [name, cases] of Object.entries(contract.webkit)) {
        messageHandlers[name] = { postMessage: postMessage(name, cases) };
    }
    Object.defineProperty(window, "webkit", { configurable: true, value: { messageHandlers } });
}
