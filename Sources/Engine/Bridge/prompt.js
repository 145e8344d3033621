// prompt("bridge://…"): native code takes the text, and the page gets its reply at once. Other texts are the user's.
if (!contract.record && contract.prompt.length > 0) {
    const { prompt } = window;
    window.prompt = (...args) => {
        const beginning = contract.prompt.find(([beginning]) => String(args[0]).startsWith(beginning));
        if (!beginning) return prompt.apply(window, args);
        const call = begin("prompt", args);
        const found = choose(beginning[1], call);
        block(found?.delay);
        sendLater(found?.events, call);
        let reply = found && "reply" in found ? fill(found.reply, call) : null;
        if (reply !== null) reply = text(reply);
        report(call, { by: "contract", reply });
        return reply;
    };
}
