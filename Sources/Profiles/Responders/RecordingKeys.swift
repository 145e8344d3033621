// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

import JSON
import Recordings

extension RecordingSettings {
    static let keys = Keys<Options>(
        "recording", "a route",
        [
            .one("recording", \.name, .text("letters, digits, `-`, `_` and `.`: the name of a file in Recordings, without its .har", schema: Schema.pattern("^[A-Za-z0-9][A-Za-z0-9._-]*$"), isName), "The name of a recording, whose entries are the responses: Recordings/NAME.har beside the folder of profiles.", see: "recordings.md"),
            .one("miss", \.miss, .choice, "The response to a request that was not recorded: error (404 with the nearest entry and the first difference), origin (the route's origin responds) or record (it responds, and its response is added to the recording).", default: .error),
            .one("after", \.after, .choice, "After the last of several responses to equal requests: last (it is repeated) or error (404).", default: .last),
            .one("dates", \.dates, .choice, "The values of Date, Expires, Last-Modified and the expiry of cookies: recorded (unchanged) or now (moved as if recorded just now).", default: .recorded),
            .one("timing", \.timing, .choice, "When a response, its parts and its messages are sent: none (at once) or recorded (with the recorded delays).", default: Timing.none),
            .one("end", \.end, .choice, "After the last message of a WebSocket or the last event of a stream: recorded (as it was: events end, and a WebSocket stays open unless its server closed it), close, open (until the client closes) or loop (from the first again, which needs recorded timing).", default: End.recorded, see: "recordings.md#websockets-and-event-streams"),
            .own("ignore", #"an object like { "query": ["utm_*"] }"#, Schema.object("ignore"), "The parts of a request that are not compared with recorded ones.", usual: "nothing") { ruleKeys.read($0.key, of: $1, into: &$2.rules) },
            .list("compare", \.rules.headers, .text("a name like \"Accept-Language\"", schema: Schema.fullText, isToken), "an array of header names", "Header fields that must equal the recorded ones.", usual: "none"),
        ])
    static let ruleKeys = Keys<RecordingRules>(
        "ignore", "\"ignore\"",
        [
            .list("query", \.ignoredQuery, .text("a name like \"utm_*\"", schema: Schema.fullText), "an array of parameters", "Parameters of queries and forms; utm_* stands for all names with this beginning."),
            .list("json", \.ignoredJSON, .text("a place like \"items.*.id\"", schema: Schema.fullText), "an array of places", "Paths in JSON bodies, such as items.*.id."),
            .one("host", \.ignoresHost, .flag, "true compares no hosts.", default: false),
            .one("body", \.ignoresBody, .flag, "true compares no bodies.", default: false),
        ])
}
