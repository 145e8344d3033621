// Each key is one line, whose last text documents have as its description.
// swift-format-ignore-file

extension BridgeContract {
    static let keys = Keys<Void>("bridge", "a bridge contract", [
        .own("webkit", #"an object like { "session": { "reply": 1 } }"#, "", "Handlers that pages call as webkit.messageHandlers.NAME.postMessage(message)."),
        .own("android", #"an object like { "Bank": { "version": {} } }"#, "", "Objects that pages see as window.NAME, with their methods."),
        .own("prompt", #"an object like { "bank://version": { "reply": "7.2" } }"#, "", "Beginnings of texts that pages give to prompt(); the longest that fits counts."),
        .own("events", #"an array like [{ "after": "1s", "call": "onPush" }]"#, "", "Events that are sent to each page by themselves, but not to frames in it."),
        .own("record", "true or false", "", "true leaves calls to the app's own bridge, and reports them.", usual: "false"),
    ])
    static let caseKeys = Keys<Void>("bridgeCase", "a case of the bridge", [
        .own("match", "an object like { \"id\": 1 }", "", "What the message or the arguments must have, for this case to respond."),
        .own("reply", "any JSON", "", "The reply."),
        .own("error", "a text, which the page gets as an Error", "", "The error in place of a reply."),
        .own("delay", MockDelay.expected, "", "How long the reply is delayed; in android and prompt the page is blocked meanwhile, for at most 10s."),
        .own("events", #"an array like [{ "after": "1s", "call": "onPush" }]"#, "", "Events that the native side sends after the call."),
        .own("template", "true or false", "", "true fills places like {{message.id}} in the reply, the error and the events.", usual: "false"),
    ])
    static let eventKeys = Keys<Void>("bridgeEvent", "an event of the bridge", [
        .own("after", MockDelay.expected, "", "How long after the call; for events of the contract itself, after the page was loaded.", usual: "at once"),
        .own("call", "a function's name like \"app.onPush\"", "", "The function of the page that is called."),
        .own("with", "the function's arguments in an array", "", "Beside call: the arguments.", usual: "none"),
        .own("dispatch", "an event's type like \"resume\"", "", "The type of the event that is dispatched."),
        .own("detail", "any JSON", "", "Beside dispatch: the detail of a CustomEvent."),
        .own("target", #""window" or "document""#, "", "Beside dispatch: where it is dispatched.", usual: "\"window\""),
        .own("post", "any JSON", "", "A message, which the page receives as from postMessage."),
    ])
}
