import Bytes
import Protobuf

/// What a line for people says of an exchange behind its URL.
struct LinePiece {
    enum Rank: Int, Comparable {
        /// Left out first where the room is short.
        case detail
        case fact
        /// Always there.
        case warning

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    var text: String
    /// A colour of ECMA-48; nil for none.
    let color: Int?
    let rank: Rank

    static let red = 31, green = 32, yellow = 33, magenta = 35, cyan = 36, dim = 2

    init(_ text: String, _ color: Int? = nil, _ rank: Rank = .fact) {
        (self.text, self.color, self.rank) = (PlainText.clean(text), color, rank)
    }

    func painted(_ wantsColor: Bool) -> String {
        guard wantsColor, let color else { return text }
        return "\u{1b}[\(color)m\(text)\u{1b}[0m"
    }
}

extension LinePiece {
    /// All of an exchange, the profile first and its failure last.
    /// - Parameter namesTrust: also where the trust rule is `default` and the certificate was verified.
    static func all(of exchange: Exchange, namesTrust: Bool) -> [LinePiece] {
        var pieces: [LinePiece] = []
        if let status = exchange.grpcStatus, status != 0 {
            pieces.append(LinePiece("gRPC \(GRPC.name(of: status))", red, .warning))
        }
        if let operation = exchange.operation { pieces.append(LinePiece(ReadableSecrets.text(operation), magenta)) }
        if let errors = exchange.graphQLErrors, errors > 0 {
            pieces.append(LinePiece(errors == 1 ? "1 error" : "\(errors) errors", red, .warning))
        }
        if let profile = exchange.profile {
            let reason = exchange.reason.flatMap { $0 == "active" ? nil : " by \($0)" } ?? ""
            pieces.append(LinePiece("[\(profile)\(reason)]", cyan))
        }
        if exchange.isUnlocked { pieces.append(LinePiece("UNLOCKED", red, .warning)) }
        if !exchange.redirectedTo.isEmpty {
            pieces.append(LinePiece("REDIRECTS TO \(exchange.redirectedTo.joined(separator: ", "))", red, .warning))
        }
        pieces += exchange.passedMocks.map { LinePiece("mock \($0) is off", dim) }
        pieces += exchange.attempts.map { attempt in
            let outcome = FailureClause.text(attempt.outcome, origin: attempt.origin)
            return LinePiece("✗ \(attempt.origin) \(ReadableSecrets.text(outcome))", yellow)
        }
        pieces += source(of: exchange, namesTrust: namesTrust)
        if !exchange.originSent.isEmpty {
            let faults = exchange.originSent.map { ReadableSecrets.text($0) }.joined(separator: ", ")
            pieces.append(LinePiece("the origin sent \(faults)", yellow, .warning))
        }
        if let first = exchange.contract.first {
            let more = exchange.contract.count - 1
            let text = ReadableSecrets.text(first) + (more > 0 ? ", and \(more) more" : "")
            pieces.append(LinePiece("not as its contract: \(text)", yellow, .warning))
        }
        if exchange.origin?.isReused == true { pieces.append(LinePiece("reused", dim, .detail)) }
        if exchange.retries > 0 { pieces.append(LinePiece("retried", nil, .detail)) }
        // What is said to caches changes with most responses, and is shown with the exchange.
        let fields = exchange.rewritten.filter {
            !$0.hasPrefix("!") && !$0.hasSuffix(" by hand")
                && !["+fault", "+network", "+stale", "cache"].contains($0)
        }
        if !fields.isEmpty { pieces.append(LinePiece("rewrote \(fields.joined(separator: ", "))", dim, .detail)) }
        if let failure = exchange.failure { pieces.append(Self.failure(failure, of: exchange)) }
        return pieces
    }

    /// What responded, and how far it can be trusted.
    private static func source(of exchange: Exchange, namesTrust: Bool) -> [LinePiece] {
        var pieces: [LinePiece] = []
        if let origin = exchange.origin {
            // A proxy's client names the origin by its URL.
            if !exchange.url.hasPrefix(origin.url + "/") { pieces.append(LinePiece("→ \(origin.url)")) }
            // A rule that did not come to judge says nothing.
            let isJudged = exchange.failure.map { $0.stage != "resolve" && $0.stage != "connect" } ?? true
            if let trust = origin.trust, isJudged { pieces += Self.trust(trust, isNamed: namesTrust) }
        } else if exchange.responder == "tunnel" {
            let isOpen = exchange.failure?.side != "origin"
            pieces.append(LinePiece(isOpen ? "→ tunnel, not read" : "no tunnel:", dim))
        } else if let responder = exchange.responder, responder != "shunt" {
            pieces.append(LinePiece("→ \(responder)", magenta))
        }
        for hold in exchange.holds {
            let time = TextLine.duration(hold.microseconds)
            pieces.append(LinePiece("held the \(hold.phase) for \(time), \(hold.outcome)", yellow))
        }
        if exchange.rewritten.contains("+fault") { pieces.append(LinePiece("fault", yellow)) }
        if exchange.rewritten.contains("+network") { pieces.append(LinePiece("network", yellow)) }
        if exchange.rewritten.contains("+stale") { pieces.append(LinePiece("stale", yellow)) }
        for name in exchange.rewritten where name.hasPrefix("!") {
            pieces.append(LinePiece("warning: \(name.dropFirst())", yellow))
        }
        return pieces
    }

    private static func trust(_ name: String, isNamed: Bool) -> [LinePiece] {
        // The names of the policies under which certificates of any server pass.
        let mark = "-unverified"
        let isUnverified = name == "disabled" || name.hasSuffix(mark)
        let policy = name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
        var pieces: [LinePiece] = []
        if isNamed || policy != "default" && policy != "disabled" { pieces.append(LinePiece("trust=\(policy)")) }
        if isUnverified { pieces.append(LinePiece("unverified", yellow, .warning)) }
        return pieces
    }

    private static func failure(_ failure: Exchange.Failure, of exchange: Exchange) -> LinePiece {
        let origin = exchange.origin?.url ?? tunnel(exchange)
        let clause = ReadableSecrets.text(FailureClause.text(failure.message, origin: origin))
        switch failure.side {
        case "origin" where origin != nil: return LinePiece(clause, red)
        case "proxy": return LinePiece("shunt: \(clause)", red)
        default: return LinePiece("\(failure.side): \(clause)", red)
        }
    }

    /// A tunnel's host as messages name it; nil for other exchanges.
    private static func tunnel(_ exchange: Exchange) -> String? {
        guard exchange.responder == "tunnel" else { return nil }
        let authority = TextLine.url(exchange)
        return "http://" + (authority.hasSuffix(":80") ? String(authority.dropLast(3)) : authority)
    }
}
