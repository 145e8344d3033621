extension ExchangeRecord {
    /// Writes facts into `bytes`, replacing its content.
    package static func write(_ exchange: borrowing Exchange, to bytes: inout [UInt8]) {
        write(
            exchange.figures, client: exchange.client.address, url: exchange.url, exchange.failure,
            ExchangeContext(exchange), to: &bytes)
    }

    /// Writes facts into `bytes`, replacing its content.
    package static func write(
        _ figures: borrowing ExchangeFigures, client: String, url: String, _ failure: borrowing Exchange.Failure?,
        _ context: ExchangeContext, to bytes: inout [UInt8]
    ) {
        bytes.removeAll(keepingCapacity: true)
        var lengths = (noText, noText, noText, noText, noText, Int32(truncatingIfNeeded: context.texts.count))
        withUnsafeBytes(of: (figures.numbers(hasLists: !context.lists.isEmpty), lengths)) {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<headSize]))
        }
        lengths.0 = append(client, to: &bytes)
        lengths.1 = append(url, to: &bytes)
        if let failure = copy failure {
            lengths.2 = append(failure.text, to: &bytes)
            lengths.3 = append(failure.side, to: &bytes)
            lengths.4 = append(failure.stage, to: &bytes)
        }
        bytes.append(contentsOf: context.texts)
        if !context.lists.isEmpty { bytes.append(contentsOf: context.lists) }
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: lengths, toByteOffset: Self.lengths, as: type(of: lengths)) }
    }

    /// Appends a text, or the beginning of a very long one, and returns its length.
    fileprivate static func append(_ string: String, to bytes: inout [UInt8]) -> Int32 {
        var string = string
        // Not through its UTF-8 view, which is slower.
        return string.withUTF8 {
            let part = UnsafeBufferPointer(rebasing: $0.prefix(Int(Int32.max) >> 8))
            bytes.append(contentsOf: part)
            return Int32(truncatingIfNeeded: part.count)
        }
    }
}

extension ExchangeContext {
    static func texts(_ exchange: borrowing Exchange) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: ExchangeRecord.contextHead)
        func add(_ text: ExchangeRecord.Text, _ string: String?) {
            let length = string.map { ExchangeRecord.append($0, to: &bytes) } ?? ExchangeRecord.noText
            let place = 4 * (text.rawValue - ExchangeRecord.ownTexts)
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: place, as: Int32.self) }
        }
        add(.clientProtocol, exchange.client.version)
        add(.clientTLS, exchange.client.tls)
        add(.method, exchange.method)
        add(.profile, exchange.profile)
        add(.reason, exchange.reason)
        add(.route, exchange.route)
        add(.responder, exchange.responder)
        let origin = exchange.origin
        add(.origin, origin?.url)
        add(.originAddress, origin?.address)
        add(.originProtocol, origin?.version)
        add(.originTLS, origin?.tls)
        add(.trust, origin?.trust)
        add(.trustDecision, origin?.trustDecision)
        add(.trustRule, origin?.trustRule)
        add(.chain, origin?.chain)
        add(.app, exchange.client.app)
        add(.session, exchange.session)
        add(.operation, exchange.operation)
        return bytes
    }

    static func lists(_ exchange: borrowing Exchange) -> [UInt8] { bytes(of: ExchangeLists(exchange)) }

    /// Each list behind its count, each text behind its length; empty if all lists are empty.
    package static func bytes(of lists: ExchangeLists) -> [UInt8] {
        guard !lists.isEmpty else { return [] }
        var bytes: [UInt8] = []
        func add(count: Int) { withUnsafeBytes(of: Int32(truncatingIfNeeded: count)) { bytes.append(contentsOf: $0) } }
        for list in lists.texts {
            add(count: list.count)
            for text in list {
                let text = text.utf8.prefix(Int(Int32.max) >> 8)
                add(count: text.count)
                bytes.append(contentsOf: text)
            }
        }
        return bytes
    }
}

extension ExchangeFigures {
    fileprivate typealias Numbers = (
        Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64,
        Int64, Int64, Int64
    )

    /// In the order of ``ExchangeRecord/Number``.
    fileprivate func numbers(hasLists: Bool) -> Numbers {
        var flags: ExchangeRecord.Flags = isUnlocked ? .unlocked : []
        if isReused { flags.insert(.reused) }
        if isResumed { flags.insert(.resumed) }
        if hasLists { flags.insert(.lists) }
        func phase(_ time: UInt64?) -> Int64 { time.map { Int64(clamping: $0) } ?? ExchangeRecord.noNumber }
        func small(_ number: Int?) -> Int64 { number.map { Int64($0) } ?? ExchangeRecord.noNumber }
        return (
            startedAt, small(status), Int64(retries),
            Int64(clamping: timings.total), Int64(clamping: self.bytes.request), Int64(clamping: self.bytes.response),
            phase(timings.blocked), phase(timings.dns), phase(timings.connect), phase(timings.tls),
            phase(timings.send), phase(timings.wait), phase(timings.receive),
            phase(self.bytes.decodedResponse), small(graphQLErrors), small(grpcStatus), flags.rawValue
        )
    }
}
