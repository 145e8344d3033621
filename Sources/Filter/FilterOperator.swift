import Patterns

/// One of the words with a tilde that a filter is made of.
public struct FilterOperator: Sendable {
    /// Without its tilde.
    public let name: String
    /// The argument, as a placeholder for help texts; nil without one.
    public let argument: String?
    /// What it finds, in a few words.
    public let meaning: String
    let reading: Reading

    /// How the argument becomes a term.
    enum Reading: Sendable {
        case nothing(FilterTerm)
        case pattern(PatternDots, isWhole: Bool, @Sendable (Pattern) -> FilterTerm)
        case literal(@Sendable (Pattern) -> FilterTerm)
        /// A pattern of ours.
        case fixed(String, FilterText)
        /// Takes the time of day, too, in microseconds since 1970.
        case value(expected: String, @Sendable (String, Int64) -> FilterTerm?)
    }

    private init(_ name: String, _ argument: String?, _ meaning: String, _ reading: Reading) {
        self.name = name
        self.argument = argument
        self.meaning = meaning
        self.reading = reading
    }

    private init(_ name: String, _ meaning: String, _ term: FilterTerm) {
        self.init(name, nil, meaning, .nothing(term))
    }

    private init(_ name: String, in text: FilterText, dots: PatternDots = .anyByte, _ meaning: String) {
        self.init(name, "REGEX", meaning, .pattern(dots, isWhole: false) { .text(text, $0) })
    }

    /// - Parameter text: A name of ours, which a pattern covers from its start to its end.
    private init(_ name: String, name text: FilterText, _ meaning: String) {
        self.init(name, "NAME", meaning, .pattern(.literal, isWhole: true) { .text(text, $0) })
    }

    private init(_ name: String, fieldsOf sides: [FilterSide], _ meaning: String) {
        self.init(name, "REGEX", meaning, .pattern(.anyByte, isWhole: false) { .field(sides, $0) })
    }

    private init(_ name: String, bodyOf sides: [FilterSide], _ meaning: String) {
        self.init(name, "REGEX", meaning, .pattern(.anyByte, isWhole: false) { .body(sides, $0) })
    }

    /// All of them by subject: mitmproxy's, in its meaning, and ours.
    static let subjects: [(title: String, operators: [FilterOperator])] = [
        (
            "Where it came from and went",
            [
                FilterOperator("d", in: .host, dots: .literal, "host; a dot is a dot unless it is repeated"),
                FilterOperator("u", in: .url, "URL; a word or quoted text alone means the same"),
                FilterOperator("m", in: .method, "method"),
                FilterOperator("src", in: .client, dots: .literal, "the client's address, with or without port"),
                FilterOperator("app", in: .app, dots: .literal, "the program of this machine that sent it"),
                FilterOperator("dst", in: .destination, dots: .literal, "origin, as URL or address"),
                FilterOperator("env", name: .profile, "profile, by its whole name"),
                FilterOperator("route", "TEXT", "route; plain text", .literal { .text(.route, $0) }),
                FilterOperator("session", name: .session, "session, by its whole identifier"),
                FilterOperator("trust", name: .trust, "trust policy, by its whole name"),
                FilterOperator(
                    "node", name: .node, "the Shunt that recorded it, by its whole name, in a store of several"),
            ]
        ),
        (
            "Heads and bodies",
            [
                FilterOperator("h", fieldsOf: [.request, .response], "a field of either head, as \"Name: value\""),
                FilterOperator("hq", fieldsOf: [.request], "a field of the request"),
                FilterOperator("hs", fieldsOf: [.response], "a field of the response"),
                FilterOperator("t", in: .anyType, "media type of either side, without parameters"),
                FilterOperator("tq", in: .requestType, "media type of the request"),
                FilterOperator("ts", in: .responseType, "media type of the response"),
                FilterOperator("b", bodyOf: [.request, .response], "body of either side, or a message"),
                FilterOperator("bq", bodyOf: [.request], "body of the request, or a message from the client"),
                FilterOperator("bs", bodyOf: [.response], "body of the response, or a message from the origin"),
            ]
        ),
        (
            "What came of it",
            [
                FilterOperator(
                    "c", "STATUS", "status: 404, 4xx or 400-499",
                    .value(expected: "a status like 404, 4xx or 400-499") { text, _ in
                        FilterStatus.range(text).map(FilterTerm.status)
                    }),
                FilterOperator("e", "with an error", .error),
                FilterOperator("gqlerror", "a response of GraphQL that has errors, whatever its status", .graphQLError),
                FilterOperator("q", "without a response", .withoutResponse),
                FilterOperator("contract", "not as the contract of its route says", .contract),
                FilterOperator("s", "with a response", .withResponse),
                FilterOperator(
                    "slow", "TIME", "took at least this time: 500ms, 2s",
                    .value(expected: "a time like 500ms, 1.5s or 2m") { text, _ in
                        FilterTime.duration(text).map(FilterTerm.slow)
                    }),
            ]
        ),
        (
            "What it is",
            [
                FilterOperator("a", "responses that are style sheets, scripts, images or fonts", .asset),
                FilterOperator("websocket", "WebSockets", .webSocket),
                FilterOperator("bridge", "calls of a bridge", .bridge),
                FilterOperator(
                    "grpc", "REGEX", "service and method of a gRPC call: shop.v1.Cart/Get",
                    .pattern(.literal, isWhole: false) { .call($0) }),
                FilterOperator(
                    "grpcstatus", "STATUS", "status of a gRPC call: UNAVAILABLE, 14 or 1-16",
                    .value(expected: "a status like UNAVAILABLE, 14 or 1-16") { text, _ in
                        FilterCall.status(text).map(FilterTerm.callStatus)
                    }),
                FilterOperator(
                    "push", nil, "push notifications to APNs, FCM and browsers", .fixed(FilterPush.urls, .url)),
                FilterOperator(
                    "reason", "REGEX", "why a push notification was refused: Unregistered",
                    .pattern(.anyByte, isWhole: false) { .reason($0) }),
                FilterOperator(
                    "gql", "REGEX", "an operation of GraphQL, by its name or as \"mutation Pay\"",
                    .pattern(.anyByte, isWhole: false) { .operation($0) }),
                FilterOperator("http", "all exchanges, since all are HTTP", .all),
                FilterOperator("all", "all", .all),
            ]
        ),
        (
            "What Shunt did",
            [
                FilterOperator("mock", "a mock responded", .mock),
                FilterOperator("stale", "a kept response was sent in place of the origin's", .changed("+stale")),
                FilterOperator("fault", "a fault of the profile was applied", .changed("+fault")),
                FilterOperator("network", "a simulated network was applied", .changed("+network")),
            ]
        ),
        (
            "Which ones",
            [
                FilterOperator(
                    "id", "N", "those with these numbers: 7, or 3,7-9",
                    .value(expected: "numbers like 7 or 3,7-9, at most \(FilterIdentifiers.maxRanges)") { text, _ in
                        FilterIdentifiers.ranges(text).map(FilterTerm.identifiers)
                    }),
                FilterOperator(
                    "since", "TIME", "began after: 10m (ago), 2026-05-01T10:00:00Z",
                    .value(expected: "an age like 10m, or a time like 2026-05-01T10:00:00Z") { text, now in
                        (FilterTime.age(text, before: now) ?? FilterTime.instant(text)).map(FilterTerm.since)
                    }),
            ]
        ),
    ]

    static let all = subjects.flatMap(\.operators)
}

/// Statuses as filters take them.
private enum FilterStatus {
    /// `404`, `4xx` or `400-499`.
    static func range(_ text: String) -> ClosedRange<Int>? {
        let text = text.lowercased()
        if text.hasSuffix("xx"), text.count == 3, let hundreds = text.first?.decimalDigit {
            return hundreds * 100...hundreds * 100 + 99
        }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let low = ends.first.flatMap(status), let high = ends.last.flatMap(status), ends.count <= 2, low <= high
        else { return nil }
        return low...high
    }

    private static func status(_ text: Substring) -> Int? {
        text.count == 3 && text.allSatisfy { $0.decimalDigit != nil } ? Int(text) : nil
    }
}

/// Numbers of exchanges as filters take them.
private enum FilterIdentifiers {
    /// SQLite bounds the depth of a condition.
    static let maxRanges = 500

    /// `7`, `3,7-9`.
    static func ranges(_ text: String) -> [ClosedRange<Int64>]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= maxRanges else { return nil }
        var ranges: [ClosedRange<Int64>] = []
        for part in parts {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard let low = ends.first.flatMap(number), let high = ends.last.flatMap(number), ends.count <= 2,
                low <= high
            else { return nil }
            ranges.append(low...high)
        }
        return ranges
    }

    private static func number(_ text: Substring) -> Int64? {
        text.allSatisfy { $0.decimalDigit != nil } ? Int64(text) : nil
    }
}
