/// The facts of an exchange, each in one line: its column in stores, its members in the log and in archives, its value.
///
/// Records in memory, rows of stores, lines of the log and entries of archives all come from here.
package enum ExchangeTable {
    /// The names of the members that have a fact; nil where none has, or where an object has it.
    package struct Members: Sendable {
        /// In the log, where names are written as they stand.
        package var log: StaticString?
        package var archive: String?
        /// The log has it as null, too, if it is not known.
        package var isAlwaysLogged = false
    }

    /// A text that many exchanges share.
    package struct Text: Sendable {
        package let text: ExchangeRecord.Text
        package let column: String
        package let members: Members
        package let get: @Sendable (borrowing Exchange) -> String?
        package let set: @Sendable (inout Exchange, String) -> Void

        init(
            _ text: ExchangeRecord.Text, _ column: String, _ get: @escaping @Sendable (borrowing Exchange) -> String?,
            _ set: @escaping @Sendable (inout Exchange, String) -> Void, _ members: Members = Members()
        ) {
            (self.text, self.column, self.members, self.get, self.set) = (text, column, members, get, set)
        }
    }

    /// How many bytes a column of numbers needs, where a database asks for that.
    package enum Width: Sendable { case small, medium, large }

    package struct Number: Sendable {
        package let number: ExchangeRecord.Number
        /// nil for one that is packed with others, see ``ExchangeFacts``.
        package let column: (name: String, width: Width)?
        package let members: Members
        package let get: @Sendable (borrowing ExchangeFigures) -> Int64?
        package let set: @Sendable (inout Exchange, Int64) -> Void

        init(
            _ number: ExchangeRecord.Number, _ column: (String, Width)?,
            _ get: @escaping @Sendable (borrowing ExchangeFigures) -> Int64?,
            _ set: @escaping @Sendable (inout Exchange, Int64) -> Void, _ members: Members = Members()
        ) {
            (self.number, self.column, self.members, self.get, self.set) = (number, column, members, get, set)
        }
    }

    package struct Flag: Sendable {
        package let flag: ExchangeRecord.Flags
        package let members: Members
        package let get: @Sendable (borrowing ExchangeFigures) -> Bool
        package let set: @Sendable (inout Exchange) -> Void

        init(
            _ flag: ExchangeRecord.Flags, _ get: @escaping @Sendable (borrowing ExchangeFigures) -> Bool,
            _ set: @escaping @Sendable (inout Exchange) -> Void, _ members: Members = Members()
        ) {
            (self.flag, self.members, self.get, self.set) = (flag, members, get, set)
        }
    }

    /// A fact of which there may be several.
    package struct List: Sendable {
        package let members: Members
        /// The parts of each, one behind the other among its texts; empty where each is one text.
        package let parts: [Part]
        package let get: @Sendable (borrowing Exchange) -> [String]
        package let set: @Sendable (inout Exchange, [String]) -> Void

        package struct Part: Sendable {
            package let name: String
            package var isNumber = false
        }

        init(
            _ members: Members, parts: [Part] = [], _ get: @escaping @Sendable (borrowing Exchange) -> [String],
            _ set: @escaping @Sendable (inout Exchange, [String]) -> Void
        ) {
            (self.members, self.parts, self.get, self.set) = (members, parts, get, set)
        }
    }

    /// In the order of ``ExchangeRecord/Text``; setting the origin's URL makes the origin that the next lines describe.
    package static let texts: [Text] = [
        Text(.clientProtocol, "client_protocol", { $0.client.version }, { $0.client.version = $1 }),
        Text(.clientTLS, "client_tls", { $0.client.tls }, { $0.client.tls = $1 }),
        Text(.method, "method", { $0.method }, { $0.method = $1 }),
        Text(.profile, "profile", { $0.profile }, { $0.profile = $1 }, .always("profile", "_profile")),
        Text(.reason, "reason", { $0.reason }, { $0.reason = $1 }, .always("chosen_by", "_chosenBy")),
        Text(.route, "route", { $0.route }, { $0.route = $1 }, .always("route", "_route")),
        Text(.responder, "responder", { $0.responder }, { $0.responder = $1 }, Members(archive: "_responder")),
        Text(.origin, "origin", { $0.origin?.url }, { $0.origin = Exchange.OriginFacts(url: $1) }),
        Text(.originAddress, "origin_address", { $0.origin?.address }, { $0.origin?.address = $1 }),
        Text(.originProtocol, "origin_protocol", { $0.origin?.version }, { $0.origin?.version = $1 }),
        Text(.originTLS, "origin_tls", { $0.origin?.tls }, { $0.origin?.tls = $1 }),
        Text(.trust, "trust", { $0.origin?.trust }, { $0.origin?.trust = $1 }, Members(archive: "_trustPolicy")),
        Text(
            .trustDecision, "trust_decision", { $0.origin?.trustDecision }, { $0.origin?.trustDecision = $1 },
            Members(archive: "_trustDecision")),
        Text(.trustRule, "trust_rule", { $0.origin?.trustRule }, { $0.origin?.trustRule = $1 }),
        Text(.chain, "chain", { $0.origin?.chain }, { $0.origin?.chain = $1 }),
        Text(.app, "app", { $0.client.app }, { $0.client.app = $1 }),
        Text(.session, "session", { $0.session }, { $0.session = $1 }, Members(log: "session", archive: "_session")),
        Text(
            .operation, "operation", { $0.operation }, { $0.operation = $1 },
            Members(log: "operation", archive: "_operation")),
    ]

    /// In the order of ``ExchangeRecord/Number``.
    package static let numbers: [Number] = [
        Number(.startedAt, ("started_us", .large), { $0.startedAt }, { $0.startedAt = $1 }),
        Number(
            .status, ("status", .small), { small($0.status) }, { $0.status = Int(clamping: $1) }, .always("status", nil)
        ),
        Number(
            .retries, ("retries", .medium), { small($0.retries) }, { $0.retries = Int(clamping: $1) },
            .always("retries", "_retries")),
        Number(.total, ("total_us", .large), { large($0.timings.total) }, { $0.timings.total = UInt64(clamping: $1) }),
        Number(
            .requestBytes, ("request_bytes", .large), { large($0.bytes.request) },
            { $0.bytes.request = UInt64(clamping: $1) }),
        Number(
            .responseBytes, ("response_bytes", .large), { large($0.bytes.response) },
            { $0.bytes.response = UInt64(clamping: $1) }),
        Number(.blocked, nil, { large($0.timings.blocked) }, { $0.timings.blocked = UInt64(clamping: $1) }),
        Number(.dns, nil, { large($0.timings.dns) }, { $0.timings.dns = UInt64(clamping: $1) }),
        Number(.connect, nil, { large($0.timings.connect) }, { $0.timings.connect = UInt64(clamping: $1) }),
        Number(.tls, nil, { large($0.timings.tls) }, { $0.timings.tls = UInt64(clamping: $1) }),
        Number(.send, nil, { large($0.timings.send) }, { $0.timings.send = UInt64(clamping: $1) }),
        Number(.wait, nil, { large($0.timings.wait) }, { $0.timings.wait = UInt64(clamping: $1) }),
        Number(.receive, nil, { large($0.timings.receive) }, { $0.timings.receive = UInt64(clamping: $1) }),
        Number(
            .decodedResponseBytes, nil, { large($0.bytes.decodedResponse) },
            { $0.bytes.decodedResponse = UInt64(clamping: $1) }),
        Number(
            .graphQLErrors, ("graphql_errors", .medium), { small($0.graphQLErrors) },
            { $0.graphQLErrors = Int(clamping: $1) },
            Members(log: "graphql_errors", archive: "_graphQLErrors")),
        Number(
            .grpcStatus, ("grpc_status", .medium), { small($0.grpcStatus) }, { $0.grpcStatus = Int(clamping: $1) },
            Members(log: "grpc_status", archive: "_grpcStatus")),
    ]

    // Closures that hold nothing are called without counting references.
    private static func small(_ number: Int?) -> Int64? { number.map { Int64($0) } }
    private static func large(_ number: UInt64?) -> Int64? { number.map { Int64(clamping: $0) } }

    package static let flags: [Flag] = [
        Flag(.reused, { $0.isReused }, { $0.origin?.isReused = true }),
        Flag(.resumed, { $0.isResumed }, { $0.origin?.isResumed = true }),
        Flag(
            .unlocked, { $0.isUnlocked }, { $0.isUnlocked = true }, Members(log: "unlocked", archive: "_unlocked")),
    ]

    /// In the order in which they are kept: a new one comes last.
    package static let lists: [List] = [
        List(Members(log: "rewritten", archive: "_rewritten"), { $0.rewritten }, { $0.rewritten = $1 }),
        List(
            Members(log: "attempts", archive: "_attempts"),
            parts: [List.Part(name: "origin"), List.Part(name: "outcome")],
            { $0.attempts.flatMap { [$0.origin, $0.outcome] } },
            { exchange, texts in
                exchange.attempts = groups(of: 2, texts) { Exchange.Attempt(origin: $0[0], outcome: $0[1]) }
            }),
        List(Members(log: "redirects_to", archive: "_redirectsTo"), { $0.redirectedTo }, { $0.redirectedTo = $1 }),
        List(Members(log: "mocks_off", archive: "_mocksOff"), { $0.passedMocks }, { $0.passedMocks = $1 }),
        // Its number, that of the exchange's span, and that of the client's if there is one; empty without a trace.
        List(Members(), { $0.trace?.texts ?? [] }, { $0.trace = Exchange.Trace(texts: $1) }),
        List(Members(log: "origin_sent", archive: "_originSent"), { $0.originSent }, { $0.originSent = $1 }),
        List(
            Members(log: "held", archive: "_held"),
            parts: [
                List.Part(name: "phase"), List.Part(name: "time_us", isNumber: true), List.Part(name: "outcome"),
            ],
            { $0.holds.flatMap { [$0.phase, "\($0.microseconds)", $0.outcome] } },
            { exchange, texts in
                exchange.holds = groups(of: 3, texts) {
                    Exchange.Hold(phase: $0[0], microseconds: UInt64($0[1]) ?? 0, outcome: $0[2])
                }
            }),
        List(Members(log: "contract", archive: "_contract"), { $0.contract }, { $0.contract = $1 }),
    ]
    /// Where among ``lists`` the trace is, which has digits alone.
    package static let traceIndex = 4

    /// Whole groups of so many texts, as values.
    private static func groups<Value>(of count: Int, _ texts: [String], _ value: ([String]) -> Value) -> [Value] {
        stride(from: 0, through: texts.count - count, by: count).map { value(Array(texts[$0..<$0 + count])) }
    }
}

extension ExchangeTable.Members {
    fileprivate static func always(_ log: StaticString, _ archive: String?) -> Self {
        Self(log: log, archive: archive, isAlwaysLogged: true)
    }
}

extension ExchangeRecord {
    package enum Number: Int {
        case startedAt, status, retries, total, requestBytes, responseBytes
        case blocked, dns, connect, tls, send, wait, receive
        case decodedResponseBytes
        case graphQLErrors, grpcStatus
        case flags
    }

    package enum Text: Int, CaseIterable {
        case client, url, failure, failureSide, failureStage
        // These are in the context.
        case clientProtocol, clientTLS, method, profile, reason, route, responder
        case origin, originAddress, originProtocol, originTLS, trust, trustDecision, trustRule, chain
        case app, session, operation
    }

    package struct Flags: OptionSet, Sendable {
        package let rawValue: Int64
        package init(rawValue: Int64) { self.rawValue = rawValue }

        package static let reused = Flags(rawValue: 1)
        package static let resumed = Flags(rawValue: 2)
        package static let unlocked = Flags(rawValue: 4)
        package static let lists = Flags(rawValue: 8)
    }
}
