// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

extension NetworkConditions {
    static let keys = Keys<NetworkConditions>("network", "a network", [
        .own("preset", "a preset like \"lte\"", Schema.one(of: UnknownNetwork.names), "The preset for all figures that are not given.", usual: "none"),
        .one("latency", \.latency, .time("0ms", "1m", like: "300ms"), "A round trip; each direction takes half of it.", default: 0),
        .one("jitter", \.jitter, .time("0ms", "1m", like: "50ms"), "By how much a round trip varies.", default: 0),
        .one("distribution", \.distribution, .choice, "How it varies: evenly by at most the jitter (uniform), with the jitter as standard deviation (normal), or upwards with a long tail (pareto).", default: .uniform),
        .optional("down", \.down, .rate("1kbit/s", "10Gbit/s", like: "1.6Mbit/s"), "The bandwidth towards the client.", usual: "unlimited"),
        .optional("up", \.up, .rate("1kbit/s", "10Gbit/s", like: "1.6Mbit/s"), "The bandwidth from the client.", usual: "unlimited"),
        .one("loss", \.loss, .share(500_000, of: "packets"), "The share of packets (of 1460 bytes) that are lost; a lost packet is delayed by stall.", default: 0),
        .optional("stall", \.stall, .time("0ms", "1m", like: "500ms"), "The delay until a lost packet has been sent again.", usual: "a round trip and 200ms"),
        .optional("setup", \.setup, .time("0ms", "1m", like: "300ms"), "The delay of a new connection before its first bytes.", usual: "a round trip"),
        .own("outages", "an object like { \"every\": \"20s\", \"for\": \"5s\" }", Schema.object("outages"), "Times in which no bytes pass.", usual: "none") { $2.outages = Outages($1) },
        .one("seed", \.seed, .seed, "The seed of jitter, loss and outages: the same seed gives the same sequence.", default: 1),
    ])
    static let outageKeys = Keys<Void>("outages", "the \"outages\" of a network", required: ["every", "for"], [
        .own("every", Outages.expected, Schema.times, "The time between two outages, or the shortest and the longest."),
        .own("for", Outages.expected, Schema.times, "How long an outage lasts."),
    ])
    static let anySchema = Schema.any(Schema.one(of: UnknownNetwork.names), Schema.object("network"))
}

extension Fault {
    static let keys = Keys<Fault>("fault", "a fault", required: ["kind"], [
        .own("kind", "a fault like \"reset\"", Schema.one(of: Fault.Kind.allCases.map(\.rawValue)), "The kind of fault."),
        .one("probability", \.probability, .above0(1, like: "0.2"), "The share of requests that it affects.", default: 1),
        .one("seed", \.seed, .seed, "The seed of the random choice: the same seed selects the same requests.", default: 1),
        .one("at", \.place, Place.named, "Where in the response reset and close happen.", default: .beforeHead),
        .one("after", \.place, Place.counted, "After how many bytes of the body reset, close, truncate and stream-reset happen.", usual: "16 for truncate and stream-reset"),
        .one("rate", \.rate, .rate("100bit/s", "1Gbit/s", like: "8kbit/s"), "How fast a slow body is.", default: 8000),
        .one("size", \.size, .size(1...1 << 20, like: "64"), "Bytes of the pieces of slice.", default: 64),
        .optional("time", \.time, .time("1ms", "10m", like: "5s"), "The pause between the pieces of slice (100ms without this key), the delay of the last byte for slow-close (5s), the duration of hang and connect."),
        .one("status", \.status, .whole(200...599), "The response's status.", usual: "503, and 429 for rate-limit"),
        .one("limit", \.rateLimit.limit, .whole(1...1_000_000), "How many requests rate-limit lets through in a window.", default: 60),
        .one("window", \.rateLimit.window, .time("10ms", "24h", like: "1m"), "How long a window of rate-limit is, from its first request on.", default: 60_000_000_000),
        .one("by", \.rateLimit.counted, RateLimit.Counted.kind, "Whose requests rate-limit counts together: those of a client's address, of a session, with one value of a field, or all.", default: .client),
        .one("retryAfter", \.rateLimit.retryAfter, .choice, "The form of Retry-After in refusals of rate-limit.", default: .seconds),
        .one("fields", \.rateLimit.fields, .choice, "The fields that say in each response what rate-limit has left: RateLimit-Limit, -Remaining and -Reset, or X-RateLimit-… with the time of the next window in seconds since 1970.", default: .plain),
    ])
}

extension OfflineSettings {
    static let keys = Keys<OfflineSettings>("offline", "\"offline\"", [
        .one("maxSize", \.maxSize, .size(64 << 10...1 << 30, like: "64MB"), "The maximum size of all kept responses; beyond it the oldest are dropped, and a response longer than a quarter of it is not kept. Routes of a profile with the same value share it.", default: 64 << 20),
        .optional("slowerThan", \.slowerThan, .time("10ms", "10m", like: "2s"), "How long the origin may take to begin its response; after that the kept response is sent, if there is one, and the origin's is dropped.", usual: "Shunt waits for the origin"),
    ])
    static let expected = #""serve-last", an object like { "slowerThan": "2s" }, or false"#
    static let anySchema = Schema.any(#""enum": ["serve-last", false]"#, Schema.object("offline"))
}
