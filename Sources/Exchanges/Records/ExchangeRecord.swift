/// An exchange's facts as bytes without references, which are cheap to hand from thread to thread.
///
/// Numbers come first, then the lengths of its own texts and of its context, then these texts, then the context, then
/// lists. It never leaves the process.
package struct ExchangeRecord: Sendable {
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

    package static let ownTexts = Text.clientProtocol.rawValue
    package static let contextTexts = Text.allCases.dropFirst(ownTexts)
    package static let lengths = 8 * (Number.flags.rawValue + 1)
    /// The place of the context's size.
    package static let contextSize = lengths + 4 * ownTexts
    package static let headSize = contextSize + 4
    /// The lengths of its texts, which a context begins with.
    package static let contextHead = 4 * (Text.allCases.count - ownTexts)
    /// A missing number and a missing text's length.
    package static let (noNumber, noText) = (Int64.min, Int32(-1))

    package let bytes: [UInt8]
    package let place: Range<Int>

    package init(_ bytes: [UInt8], _ place: Range<Int>) { (self.bytes, self.place) = (bytes, place) }

    /// The same in an array of its own.
    package var copy: ExchangeRecord { ExchangeRecord(Array(bytes[place]), 0..<place.count) }

    package func number(_ number: Number) -> Int64? {
        let value: Int64 = load(8 * number.rawValue)
        return value == Self.noNumber ? nil : value
    }

    package var flags: Flags { Flags(rawValue: number(.flags) ?? 0) }

    /// The place of the ``ExchangeContext``.
    package var context: Range<Int> {
        var start = place.lowerBound + Self.headSize
        for text in 0..<Self.ownTexts { start += max(0, ownLength(text)) }
        return start..<start + Int(load(Self.contextSize) as Int32)
    }

    /// The place of a text; nil if there is none.
    package func text(_ text: Text) -> Range<Int>? {
        text.rawValue < Self.ownTexts ? ownText(text.rawValue) : contextText(text.rawValue - Self.ownTexts)
    }

    private func ownText(_ text: Int) -> Range<Int>? {
        let count = ownLength(text)
        guard count >= 0 else { return nil }
        var start = place.lowerBound + Self.headSize
        for earlier in 0..<text { start += max(0, ownLength(earlier)) }
        return start..<start + count
    }

    private func contextText(_ text: Int) -> Range<Int>? {
        let context = context.lowerBound
        func length(_ text: Int) -> Int { Int(load(context - place.lowerBound + 4 * text) as Int32) }
        let count = length(text)
        guard count >= 0 else { return nil }
        var start = context + Self.contextHead
        for earlier in 0..<text { start += max(0, length(earlier)) }
        return start..<start + count
    }

    package func string(_ text: Text) -> String? { self.text(text).map { String(decoding: bytes[$0], as: UTF8.self) } }

    private func ownLength(_ text: Int) -> Int { Int(load(Self.lengths + 4 * text) as Int32) }

    private func load<Value: BitwiseCopyable>(_ offset: Int) -> Value {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place.lowerBound + offset, as: Value.self) }
    }
}

extension ExchangeRecord {
    /// As ``ExchangeContext`` wrote them.
    package var lists: ExchangeLists {
        guard flags.contains(.lists) else { return ExchangeLists(texts: []) }
        var rest = bytes[context.upperBound..<place.upperBound]
        var lists: [[String]] = []
        while !rest.isEmpty { lists.append((0..<Self.count(&rest)).map { _ in Self.string(&rest) }) }
        return ExchangeLists(texts: lists)
    }

    private static func count(_ rest: inout ArraySlice<UInt8>) -> Int {
        let count = rest.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
        rest = rest.dropFirst(4)
        return Int(count)
    }

    private static func string(_ rest: inout ArraySlice<UInt8>) -> String {
        let count = count(&rest)
        defer { rest = rest.dropFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }

    package var timings: Exchange.Timings {
        func phase(_ name: Number) -> UInt64? { number(name).map { UInt64(clamping: $0) } }
        var timings = Exchange.Timings()
        timings.total = phase(.total) ?? 0
        timings.blocked = phase(.blocked)
        timings.dns = phase(.dns)
        timings.connect = phase(.connect)
        timings.tls = phase(.tls)
        timings.send = phase(.send)
        timings.wait = phase(.wait)
        timings.receive = phase(.receive)
        return timings
    }

    /// The facts as values.
    package var exchange: Exchange {
        var exchange = Exchange(
            startedAt: number(.startedAt) ?? 0,
            client: Exchange.ClientFacts(
                address: string(.client) ?? "", version: string(.clientProtocol) ?? "", tls: string(.clientTLS)),
            method: string(.method) ?? "", url: string(.url) ?? "", status: number(.status).map { Int(clamping: $0) },
            profile: string(.profile), route: string(.route), timings: timings,
            retries: Int(clamping: number(.retries) ?? 0), responder: string(.responder))
        exchange.client.app = string(.app)
        exchange.session = string(.session)
        exchange.operation = string(.operation)
        exchange.graphQLErrors = number(.graphQLErrors).map { Int(clamping: $0) }
        exchange.grpcStatus = number(.grpcStatus).map { Int(clamping: $0) }
        exchange.reason = string(.reason)
        exchange.isUnlocked = flags.contains(.unlocked)
        exchange.bytes.request = UInt64(clamping: number(.requestBytes) ?? 0)
        exchange.bytes.response = UInt64(clamping: number(.responseBytes) ?? 0)
        exchange.bytes.decodedResponse = number(.decodedResponseBytes).map { UInt64(clamping: $0) }
        exchange.origin = string(.origin).map { url in
            var origin = Exchange.OriginFacts(
                url: url, address: string(.originAddress), isReused: flags.contains(.reused),
                tls: string(.originTLS), isResumed: flags.contains(.resumed), trust: string(.trust),
                trustDecision: string(.trustDecision), version: string(.originProtocol))
            (origin.trustRule, origin.chain) = (string(.trustRule), string(.chain))
            return origin
        }
        exchange.failure = string(.failure).map { text in
            Exchange.Failure(side: string(.failureSide) ?? "", stage: string(.failureStage) ?? "", text: text)
        }
        lists.store(in: &exchange)
        return exchange
    }
}
