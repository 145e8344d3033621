import Bytes

/// Facts without a column of their own, in few bytes.
///
/// A byte for the form, one that says which of the ``ExchangeTable/numbers`` without a column are present,
/// one for ``ExchangeRecord/Flags``, the numbers, and the ``ExchangeLists`` if there are any, each text behind its
/// length. Numbers are in ``LEB128``.
package enum ExchangeFacts {
    private static let form: UInt8 = 1
    /// Eight at most.
    private static let packed = ExchangeTable.numbers.filter { $0.column == nil }
    private static let packedNumbers = packed.map(\.number)

    /// Appends the facts, and returns their place; nil if there are none.
    package static func append(_ record: ExchangeRecord, to bytes: inout [UInt8]) -> Range<Int>? {
        let flags = record.flags
        let start = bytes.count
        bytes.append(form)
        bytes.append(0)
        bytes.append(UInt8(truncatingIfNeeded: flags.rawValue))
        var known: UInt8 = 0
        let numbers = packedNumbers
        for index in numbers.indices {
            guard let number = record.number(numbers[index]) else { continue }
            known |= 1 << UInt8(index)
            LEB128.append(UInt64(clamping: number), to: &bytes)
        }
        bytes[start + 1] = known
        guard known != 0 || !flags.isEmpty else {
            bytes.removeLast(bytes.count - start)
            return nil
        }
        record.eachList { _, texts in
            LEB128.append(UInt64(texts.count), to: &bytes)
            var rest = texts
            for _ in 0..<texts.count {
                let text = record.next(&rest)
                LEB128.append(UInt64(text.count), to: &bytes)
                record.bytes.withUnsafeBytes { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[text])) }
            }
        }
        return start..<bytes.count
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
        for (index, number) in packed.enumerated() where facts[1] >> UInt8(index) & 1 != 0 {
            if let value = LEB128.read(&rest) { number.set(&exchange, Int64(value)) }
        }
        let flags = ExchangeRecord.Flags(rawValue: Int64(facts[2]))
        flags.store(in: &exchange)
        guard flags.contains(.lists) else { return }
        var lists: [[String]] = []
        while !rest.isEmpty, lists.count < ExchangeTable.lists.count { lists.append(texts(&rest)) }
        ExchangeLists(texts: lists).store(in: &exchange)
    }
}

extension Exchange {
    /// Reads facts that ``ExchangeFacts`` wrote; broken ones are left out.
    package mutating func read(facts: [UInt8]) { ExchangeFacts.read(facts, to: &self) }
}
