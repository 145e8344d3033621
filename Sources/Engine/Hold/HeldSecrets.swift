import Bytes
import Redaction

/// The secrets of a held message, which people see as `<redacted:name:digest>` and which are put back where that stays.
struct HeldSecrets {
    /// By their replacement.
    private var values: [[UInt8]: [UInt8]] = [:]

    var isEmpty: Bool { values.isEmpty }

    /// Learns what a text without its secrets hides; false where that cannot be told for certain.
    mutating func learn(shown: [UInt8], original: [UInt8]) -> Bool {
        guard shown != original else { return true }
        for takesNumbers in [false, true] {
            let places = Self.places(in: shown, takesNumbers: takesNumbers)
            guard let found = Self.match(shown, places, original) else { continue }
            for (place, value) in zip(places, found) where shown[place] != original[value] {
                values[Array(shown[place])] = Array(original[value])
            }
            return true
        }
        return false
    }

    /// The text with its secrets; nil, with the replacement, where one is not known.
    func restored(_ text: [UInt8]) -> Result<[UInt8], UnknownSecret> {
        let lengths = Set(values.keys.map(\.count)).sorted(by: >)
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var at = 0
        while at < text.count {
            let token = lengths.lazy.compactMap { length -> ArraySlice<UInt8>? in
                guard at + length <= text.count,
                    text[at] == 0x3C || text[at] == 0x25 || text[at] == 0x26
                        || text[at] &- 0x30 < 10
                else { return nil }
                let slice = text[at..<at + length]
                return values[Array(slice)] == nil ? nil : slice
            }.first
            if let token, let value = values[Array(token)] {
                result += value
                at += token.count
            } else {
                result.append(text[at])
                at += 1
            }
        }
        let known = Set(values.keys)
        for place in Self.places(in: text, takesNumbers: false) where !known.contains(Array(text[place])) {
            return .failure(UnknownSecret(text: String(decoding: text[place], as: UTF8.self)))
        }
        return .success(result)
    }

    /// The replacement in `text` whose value `redacted`, the text with its secrets and redacted again, shows; nil if it
    /// shows none.
    func revealed(by redacted: [UInt8], of text: [UInt8]) -> String? {
        values.first { replacement, value in
            text.firstRange(of: replacement) != nil && text.firstRange(of: value) == nil
                && redacted.firstRange(of: value) != nil
        }.map { String(decoding: $0.key, as: UTF8.self) }
    }

    struct UnknownSecret: Error { let text: String }

    // MARK: Places

    /// Where replacements are in a text.
    ///
    /// - Parameter takesNumbers: numbers of ten digits count as well, since a number is replaced by such a one.
    private static func places(in text: [UInt8], takesNumbers: Bool) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var at = 0
        while at < text.count {
            let byte = text[at]
            if byte == 0x3C || byte == 0x25 || byte == 0x26, let end = endOfReplacement(text, at) {
                places.append(at..<end)
                at = end
            } else if takesNumbers, byte &- 0x30 < 10 {
                let end = text[at...].firstIndex { $0 &- 0x30 >= 10 } ?? text.count
                if end - at == 10 { places.append(at..<end) }
                at = end
            } else {
                at += 1
            }
        }
        return places
    }

    private static func endOfReplacement(_ text: [UInt8], _ start: Int) -> Int? {
        var at = start
        func skip(_ words: String...) -> Bool {
            guard let word = words.first(where: { text[at...].starts(with: $0.utf8) }) else { return false }
            at += word.utf8.count
            return true
        }
        guard skip("<", "%3C", "&lt;"), skip("redacted"), skip(":", "%3A") else { return nil }
        let name = text[at...].prefix(33) { $0 == 0x2D || $0 == 0x5F || $0 &- 0x30 < 10 || $0 &- 0x61 < 26 }
        at += name.count
        guard (1...32).contains(name.count), skip(":", "%3A") else { return nil }
        let digest = text[at...].prefix(10) { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }
        at += digest.count
        guard digest.count == 10, skip(">", "%3E", "&gt;") else { return nil }
        return at
    }

    // MARK: What they stand for

    /// The parts of the original that the places stand for; nil where there are none, or several choices.
    private static func match(_ shown: [UInt8], _ places: [Range<Int>], _ original: [UInt8]) -> [Range<Int>]? {
        guard let first = places.first, let last = places.last else { return nil }
        let (head, tail) = (shown[..<first.lowerBound], shown[last.upperBound...])
        guard original.count >= head.count + tail.count, original.starts(with: head),
            original.suffix(tail.count).elementsEqual(tail)
        else { return nil }
        let between = zip(places, places.dropFirst()).map { shown[$0.upperBound..<$1.lowerBound] }
        let (start, end) = (head.count, original.count - tail.count)
        var fromFront: [Int] = []
        var at = start
        for text in between {
            guard let found = place(of: text, in: original, from: at + 1, to: end) else { return nil }
            fromFront.append(found)
            at = found + text.count
        }
        guard at < end else { return nil }
        // Matched from the end as well: where that gives other places, it is not known which are right.
        at = end
        for (text, found) in zip(between, fromFront).reversed() {
            guard lastPlace(of: text, in: original, from: start, to: at - 1) == found else { return nil }
            at = found
        }
        let ends = fromFront + [end]
        let starts = [start] + zip(fromFront, between).map { $0 + $1.count }
        return zip(starts, ends).map { $0..<$1 }
    }

    private static func place(of text: ArraySlice<UInt8>, in bytes: [UInt8], from start: Int, to end: Int) -> Int? {
        guard let first = text.first, start + text.count <= end else { return nil }
        var at = start
        while at + text.count <= end {
            if bytes[at] == first, bytes[at..<at + text.count] == text { return at }
            at += 1
        }
        return nil
    }

    private static func lastPlace(of text: ArraySlice<UInt8>, in bytes: [UInt8], from start: Int, to end: Int) -> Int? {
        var at = end - text.count
        while at >= start {
            if bytes[at] == text.first, bytes[at..<at + text.count] == text { return at }
            at -= 1
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate func prefix(_ limit: Int, while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        prefix(limit).prefix(while: isPart)
    }
}
