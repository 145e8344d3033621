/// An exchange's facts as bytes without references, which are cheap to hand from thread to thread.
///
/// Numbers come first, then the lengths of its own texts and of its context, then these texts, then the context, then
/// lists. It never leaves the process.
package struct ExchangeRecord: Sendable {
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

    /// Where all texts lie, found in one pass.
    package var texts: Texts {
        var places = ContiguousArray<Range<Int>>()
        places.reserveCapacity(Text.allCases.count)
        var at = place.lowerBound + Self.headSize
        func add(_ count: Int) {
            places.append(count < 0 ? Texts.none : at..<at + count)
            at += max(0, count)
        }
        for text in 0..<Self.ownTexts { add(ownLength(text)) }
        let lengths = at - place.lowerBound
        at += Self.contextHead
        for text in 0..<Text.allCases.count - Self.ownTexts { add(Int(load(lengths + 4 * text) as Int32)) }
        return Texts(places: places)
    }

    /// The places of a record's texts.
    package struct Texts {
        fileprivate static let none = -1 ..< -1
        fileprivate let places: ContiguousArray<Range<Int>>

        /// nil if there is none.
        package subscript(text: Text) -> Range<Int>? {
            let place = places[text.rawValue]
            return place == Self.none ? nil : place
        }
    }

    package func string(_ text: Text) -> String? { self.text(text).map { String(decoding: bytes[$0], as: UTF8.self) } }

    private func ownLength(_ text: Int) -> Int { Int(load(Self.lengths + 4 * text) as Int32) }

    private func load<Value: BitwiseCopyable>(_ offset: Int) -> Value {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place.lowerBound + offset, as: Value.self) }
    }
}

extension ExchangeRecord {
    /// A fault of the route was applied.
    package var hasFault: Bool { lists.texts.first?.contains("+fault") == true }

    package var lists: ExchangeLists {
        var lists: [[String]] = []
        eachList { _, texts in lists.append(strings(texts)) }
        return ExchangeLists(texts: lists)
    }

    /// Where all of its lists lie, as ``ExchangeContext`` wrote them; empty where all of them are.
    package var listPlace: Range<Int> {
        (flags.contains(.lists) ? context.upperBound : place.upperBound)..<place.upperBound
    }

    /// The texts of a list, which lie one behind the other, each behind its length.
    package struct ListTexts {
        package let count: Int
        fileprivate var at: Int
    }

    /// Calls `use` with each list in its order; with none where all are empty.
    package func eachList(_ use: (_ index: Int, _ texts: ListTexts) -> Void) {
        var (at, index) = (listPlace.lowerBound, 0)
        while at < place.upperBound {
            var rest = ListTexts(count: count(at), at: at + 4)
            use(index, rest)
            for _ in 0..<rest.count { _ = next(&rest) }
            (at, index) = (rest.at, index + 1)
        }
    }

    /// The place of the next text, of which there are ``ListTexts/count``.
    package func next(_ rest: inout ListTexts) -> Range<Int> {
        let start = rest.at + 4
        rest.at = start + count(rest.at)
        return start..<rest.at
    }

    /// The texts of a list as values.
    package func strings(_ texts: ListTexts) -> [String] {
        var rest = texts
        return (0..<texts.count).map { _ in String(decoding: bytes[next(&rest)], as: UTF8.self) }
    }

    private func count(_ at: Int) -> Int { Int(load(at - place.lowerBound) as Int32) }

    package var failure: Exchange.Failure? {
        string(.failure).map { text in
            Exchange.Failure(side: string(.failureSide) ?? "", stage: string(.failureStage) ?? "", text: text)
        }
    }

    /// The facts as values.
    package var exchange: Exchange {
        var exchange = Exchange(
            startedAt: 0, client: Exchange.ClientFacts(address: string(.client) ?? "", version: "", tls: nil),
            method: "", url: string(.url) ?? "")
        for fact in ExchangeTable.texts {
            if let text = string(fact.text) { fact.set(&exchange, text) }
        }
        for fact in ExchangeTable.numbers {
            if let number = number(fact.number) { fact.set(&exchange, number) }
        }
        flags.store(in: &exchange)
        exchange.failure = failure
        lists.store(in: &exchange)
        return exchange
    }
}

extension ExchangeRecord.Flags {
    func store(in exchange: inout Exchange) {
        for fact in ExchangeTable.flags where contains(fact.flag) { fact.set(&exchange) }
    }
}
