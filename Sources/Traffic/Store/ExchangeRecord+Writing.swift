extension ExchangeRecord {
    /// Writes facts in place of what `bytes` held.
    static func write(_ exchange: borrowing Exchange, to bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: repeatElement(0, count: headSize))
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: Text.failureStage.rawValue + 1) { lengths in
            lengths.initialize(repeating: noText)
            func add(_ text: Text, _ string: String?) {
                guard var string else { return }
                // Not through the view of its UTF-8, which goes the long way.
                lengths[text.rawValue] = string.withUTF8 {
                    let part = UnsafeBufferPointer(rebasing: $0.prefix(Int(Int32.max) >> 8))
                    bytes.append(contentsOf: part)
                    return Int32(truncatingIfNeeded: part.count)
                }
            }
            add(.client, exchange.client.address)
            add(.clientProtocol, exchange.client.version)
            add(.clientTLS, exchange.client.tls)
            add(.method, exchange.method)
            add(.url, exchange.url)
            add(.profile, exchange.profile)
            add(.reason, exchange.reason)
            add(.route, exchange.route)
            add(.responder, exchange.responder)
            if let origin = exchange.origin {
                add(.origin, origin.url)
                add(.originAddress, origin.address)
                add(.originProtocol, origin.version)
                add(.originTLS, origin.tls)
                add(.trust, origin.trust)
                add(.trustDecision, origin.trustDecision)
            }
            if let failure = exchange.failure {
                add(.failure, failure.message)
                add(.failureSide, failure.side)
                add(.failureStage, failure.stage)
            }
            let numbers = numbers(exchange)
            bytes.withUnsafeMutableBytes { bytes in
                withUnsafeBytes(of: numbers) { bytes.copyMemory(from: $0) }
                UnsafeMutableRawBufferPointer(rebasing: bytes[Self.lengths...])
                    .copyMemory(from: UnsafeRawBufferPointer(lengths))
            }
        }
        guard !exchange.rewritten.isEmpty || !exchange.hops.isEmpty else { return }
        add(lists: exchange, to: &bytes)
    }

    private typealias Numbers = (
        Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64
    )

    /// In the order of ``Number``.
    private static func numbers(_ exchange: borrowing Exchange) -> Numbers {
        var flags: Flags = exchange.isUnlocked ? .unlocked : []
        if exchange.origin?.isReused == true { flags.insert(.reused) }
        if exchange.origin?.isResumed == true { flags.insert(.resumed) }
        if !exchange.rewritten.isEmpty || !exchange.hops.isEmpty { flags.insert(.lists) }
        func phase(_ time: UInt64?) -> Int64 { time.map { Int64(clamping: $0) } ?? noNumber }
        let times = exchange.timings
        return (
            exchange.startedAt, exchange.status.map { Int64($0) } ?? noNumber, Int64(exchange.retries),
            Int64(clamping: times.total), Int64(clamping: exchange.bytes.request),
            Int64(clamping: exchange.bytes.answer), phase(times.blocked), phase(times.dns), phase(times.connect),
            phase(times.tls), phase(times.send), phase(times.wait), phase(times.receive), flags.rawValue
        )
    }

    private static func add(lists exchange: borrowing Exchange, to bytes: inout [UInt8]) {
        func add(count: Int) { withUnsafeBytes(of: Int32(truncatingIfNeeded: count)) { bytes.append(contentsOf: $0) } }
        func add(_ text: String) {
            let text = text.utf8.prefix(Int(Int32.max) >> 8)
            add(count: text.count)
            bytes.append(contentsOf: text)
        }
        add(count: exchange.rewritten.count)
        for name in exchange.rewritten { add(name) }
        add(count: exchange.hops.count)
        for hop in exchange.hops {
            add(hop.origin)
            add(hop.outcome)
        }
    }
}
