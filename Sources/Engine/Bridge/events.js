// What the native side sends to the page.
const send = (event, call) => {
    const value = key => key in event ? fill(event[key], call) : undefined;
    if ("post" in event) return window.postMessage(value("post"), "*");
    if ("dispatch" in event) {
        const target = event.target === "document" ? document : window;
        return target.dispatchEvent(new CustomEvent(value("dispatch"), { detail: value("detail") }));
    }
    const names = value("call").split(".");
    const owner = names.slice(0, -1).reduce((object, name) => object?.[name], window);
    const method = owner?.[names.at(-1)];
    if (typeof method !== "function") throw new Error(names.join(".") + " is no function of the page");
    return method.apply(owner, value("with") ?? []);
};

const label = (event, call) => event.call ?? event.dispatch ? fill(event.call ?? event.dispatch, call) : "message";

const sendLater = (events, call) => {
    for (const event of events ?? []) {
        setTimeout(() => {
            const sent = begin("event." + label(event, call), "with" in event ? fill(event.with, call) : []);
            try {
                send(event, call);
                report(sent, { by: "contract" });
            } catch (error) {
                warn(sent.name + ": " + error.message);
                report(sent, { by: "contract", error: error.message });
            }
        }, pause(event.after));
    }
};

// Native code runs in the page's main frame.
if (!contract.record && window === window.top) {
    window.addEventListener("load", () => sendLater(contract.events, begin("load", [])));
}
