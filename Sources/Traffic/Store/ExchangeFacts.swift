import JSON

/// What has no column of its own, in few bytes.
///
/// A byte for the form, one for the numbers that there are (times of phases, a decoded length), one for
/// ``ExchangeRecord/Flags``, the numbers, and where there are lists the fields that were rewritten and the hops, each
/// text behind its length. Numbers are in ``LEB128``.
enum ExchangeFacts {
    /// What was written before began with a brace, for it was JSON.
    private static let form: UInt8 = 1
    static let phases: [ExchangeRecord.Number] = [
        .blocked, .dns, .connect, .tls, .send, .wait, .receive, .decodedAnswerBytes,
    ]

    /// Appends the facts, and says where; nil if there are none.
    static func append(_ record: ExchangeRecord, to bytes: inout [UInt8]) -> Range<Int>? {
        let flags = record.flags
        let start = bytes.count
        bytes.append(form)
        bytes.append(0)
        bytes.append(UInt8(truncatingIfNeeded: flags.rawValue))
        var known: UInt8 = 0
        for phase in 0..<phases.count {
            guard let time = record.number(phases[phase]) else { continue }
            known |= 1 << UInt8(phase)
            LEB128.append(UInt64(clamping: time), to: &bytes)
        }
        bytes[start + 1] = known
        guard known != 0 || !flags.isEmpty else {
            bytes.removeLast(bytes.count - start)
            return nil
        }
        if flags.contains(.lists) { append(record.lists, to: &bytes) }
        return start..<bytes.count
    }

    private static func append(_ lists: (rewritten: [String], hops: [Exchange.Hop]), to bytes: inout [UInt8]) {
        func add(_ texts: [String]) {
            LEB128.append(UInt64(texts.count), to: &bytes)
            for text in texts {
                LEB128.append(UInt64(text.utf8.count), to: &bytes)
                bytes.append(contentsOf: text.utf8)
            }
        }
        add(lists.rewritten)
        add(lists.hops.flatMap { [$0.origin, $0.outcome] })
    }

    /// Takes a list of texts from the front; what is broken is left out.
    private static func texts(_ rest: inout ArraySlice<UInt8>) -> [String] {
        guard let count = LEB128.read(&rest) else { return [] }
        var texts: [String] = []
        while texts.count < count, let length = LEB128.read(&rest), length <= rest.count {
            texts.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length)
        }
        return texts
    }

    fileprivate static func read(_ facts: [UInt8], to exchange: inout Exchange) {
        guard facts.count >= 3, facts[0] == form else { return }
        var rest = facts[3...]
        func phase(_ index: UInt8) -> UInt64? {
            facts[1] >> index & 1 == 0 ? nil : LEB128.read(&rest).map { UInt64($0) }
        }
        exchange.timings.blocked = phase(0)
        exchange.timings.dns = phase(1)
        exchange.timings.connect = phase(2)
        exchange.timings.tls = phase(3)
        exchange.timings.send = phase(4)
        exchange.timings.wait = phase(5)
        exchange.timings.receive = phase(6)
        exchange.bytes.decodedAnswer = phase(7)
        let flags = ExchangeRecord.Flags(rawValue: Int64(facts[2]))
        exchange.origin?.isReused = flags.contains(.reused)
        exchange.origin?.isResumed = flags.contains(.resumed)
        exchange.isUnlocked = flags.contains(.unlocked)
        guard flags.contains(.lists) else { return }
        exchange.rewritten = texts(&rest)
        let hops = texts(&rest)
        exchange.hops = stride(from: 0, to: hops.count - 1, by: 2).map {
            Exchange.Hop(origin: hops[$0], outcome: hops[$0 + 1])
        }
    }
}

extension Exchange {
    /// Takes back what ``ExchangeFacts`` wrote, or an earlier version as JSON; what is broken is left out.
    mutating func read(facts: [UInt8]) {
        guard facts.first == UInt8(ascii: "{") else { return ExchangeFacts.read(facts, to: &self) }
        guard let value = try? JSONReader.read(facts, dialect: .strict) else { return }
        func phase(_ name: String) -> UInt64? { value[name]?.number?.int64.flatMap { UInt64(exactly: $0) } }
        func isSet(_ name: String) -> Bool { value[name]?.bool ?? false }
        timings.blocked = phase("blocked")
        timings.dns = phase("dns")
        timings.connect = phase("connect")
        timings.tls = phase("tls")
        timings.send = phase("send")
        timings.wait = phase("wait")
        timings.receive = phase("receive")
        origin?.isReused = isSet("reused")
        origin?.isResumed = isSet("resumed")
        isUnlocked = isSet("unlocked")
        rewritten = (value["rewritten"]?.array ?? []).compactMap { $0.string }
        hops = (value["hops"]?.array ?? []).compactMap { hop in
            guard let origin = hop["origin"]?.string, let outcome = hop["outcome"]?.string else { return nil }
            return Hop(origin: origin, outcome: outcome)
        }
    }
}
