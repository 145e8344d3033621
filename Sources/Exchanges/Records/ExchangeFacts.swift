import Bytes

/// Facts without a column of their own, in few bytes.
///
/// A byte for the form, one that says which numbers are present (times of phases, a decoded length), one for
/// ``ExchangeRecord/Flags``, the numbers, and the ``ExchangeLists`` if there are any, each text behind its length.
/// Numbers are in ``LEB128``.
package enum ExchangeFacts {
    private static let form: UInt8 = 1
    private static let phases: [ExchangeRecord.Number] = [
        .blocked, .dns, .connect, .tls, .send, .wait, .receive, .decodedResponseBytes,
    ]

    /// Appends the facts, and returns their place; nil if there are none.
    package static func append(_ record: ExchangeRecord, to bytes: inout [UInt8]) -> Range<Int>? {
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

    private static func append(_ lists: ExchangeLists, to bytes: inout [UInt8]) {
        for list in lists.texts {
            LEB128.append(UInt64(list.count), to: &bytes)
            for text in list {
                LEB128.append(UInt64(text.utf8.count), to: &bytes)
                bytes.append(contentsOf: text.utf8)
            }
        }
    }

    /// Takes a list of texts from the front; broken ones are left out.
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
        exchange.bytes.decodedResponse = phase(7)
        let flags = ExchangeRecord.Flags(rawValue: Int64(facts[2]))
        exchange.origin?.isReused = flags.contains(.reused)
        exchange.origin?.isResumed = flags.contains(.resumed)
        exchange.isUnlocked = flags.contains(.unlocked)
        guard flags.contains(.lists) else { return }
        var lists: [[String]] = []
        while !rest.isEmpty, lists.count < ExchangeLists.count { lists.append(texts(&rest)) }
        ExchangeLists(texts: lists).store(in: &exchange)
    }
}

extension Exchange {
    /// Reads facts that ``ExchangeFacts`` wrote; broken ones are left out.
    package mutating func read(facts: [UInt8]) { ExchangeFacts.read(facts, to: &self) }
}
