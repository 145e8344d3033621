/// A value of a JSON text that is edited in place: bytes that no edit touches stay as they are.
///
/// Objects and arrays are looked into when an edit leads there, and only their own members are noted.
final class JSONDocument {
    /// A member or an item, by its places in the text.
    struct Entry {
        /// White space behind the bracket or the comma.
        var lead: Range<Int>
        /// From the key's opening quote to the value; what was put in has ``front`` in its place.
        var head: Range<Int>
        /// Behind the colon.
        let keyEnd: Int
        let value: Range<Int>
        /// Of the white space behind the value.
        let end: Int
        /// The key with its colon, where the entry was put in.
        var front: [UInt8]?
        /// What takes the place of the value, or was looked into.
        var own: JSONDocument?
    }

    /// The inside of an object or an array.
    struct Inside {
        let isObject: Bool
        var entries: [Entry] = []
        /// White space in front of the closing bracket.
        var tail = 0..<0
    }

    private(set) var text: [UInt8]
    private(set) var place: Range<Int>
    /// Its text is not that of what it stands in.
    private var isReplaced: Bool
    /// White space around a whole text, with a byte order mark.
    private var around: (before: [UInt8], after: [UInt8]) = ([], [])
    /// nil as long as nothing looked inside, and for a scalar.
    var inside: Inside?

    /// Reads a whole text; a byte order mark and white space around the value stay.
    init(_ text: [UInt8]) throws(JSONFailure) {
        let read = text.withUnsafeBufferPointer { bytes -> (place: Range<Int>, inside: Inside?)? in
            let isMarked = text.starts(with: [0xEF, 0xBB, 0xBF])
            guard var skipper = JSONSkipper(bytes, at: isMarked ? 3 : 0) else { return nil }
            skipper.skipSpace()
            let start = skipper.at
            guard let read = Self.inside(&skipper) else { return nil }
            let end = skipper.at
            skipper.skipSpace()
            return skipper.at == bytes.count ? (start..<end, read.inside) : nil
        }
        guard let read else {
            _ = try JSONReader.read(text, dialect: .strict, sizeLimit: .max)
            throw JSONFailure(
                position: JSONPosition(offset: 0, line: 1, column: 1), message: "a text that cannot be edited")
        }
        (self.text, isReplaced, place, inside) = (text, false, read.place, read.inside)
        around = (Array(text[..<place.lowerBound]), Array(text[place.upperBound...]))
    }

    /// A value that was stepped over.
    private init(_ text: [UInt8], _ place: Range<Int>) { (self.text, self.place, isReplaced) = (text, place, false) }

    /// A value that is put in.
    init(value: [UInt8]) { (text, place, isReplaced) = (value, 0..<value.count, true) }

    /// A value that was stepped over; without an inside it is a scalar.
    private struct Reading {
        var inside: Inside?
    }

    /// Steps over a value; nil where there is none.
    private static func inside(_ skipper: inout JSONSkipper) -> Reading? {
        let isObject = skipper.peek == UInt8(ascii: "{")
        guard isObject || skipper.peek == UInt8(ascii: "[") else {
            return skipper.skipValue(NestingLimit.values) ? Reading() : nil
        }
        let (opening, closing) = (skipper.peek, isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        var inside = Inside(isObject: isObject)
        _ = skipper.take(opening)
        var lead = skipper.at
        skipper.skipSpace()
        inside.tail = lead..<skipper.at
        if skipper.take(closing) { return Reading(inside: inside) }
        inside.entries.reserveCapacity(8)
        while true {
            skipper.skipSpace()
            let head = skipper.at
            if isObject, !skipper.skipKey() { return nil }
            let front = skipper.at
            skipper.skipSpace()
            let value = skipper.at
            guard skipper.skipValue(NestingLimit.values - 1) else { return nil }
            let valueEnd = skipper.at
            skipper.skipSpace()
            let isMore = skipper.take(UInt8(ascii: ","))
            let end = isMore ? skipper.at - 1 : valueEnd
            inside.entries.append(
                Entry(lead: lead..<head, head: head..<value, keyEnd: front, value: value..<valueEnd, end: end))
            lead = skipper.at
            if isMore { continue }
            inside.tail = valueEnd..<skipper.at
            return skipper.take(closing) ? Reading(inside: inside) : nil
        }
    }

    /// Looks inside; false for a scalar.
    func open() -> Bool {
        guard inside == nil else { return true }
        // It was stepped over before.
        inside = text.withUnsafeBufferPointer { bytes in
            JSONSkipper(bytes, at: place.lowerBound).flatMap { skipper in
                var skipper = skipper
                return Self.inside(&skipper)?.inside
            }
        }
        return inside != nil
    }

    /// Puts another value in its place; false where it is the same text.
    func replace(by value: [UInt8]) -> Bool {
        if inside == nil, text[place].elementsEqual(value) { return false }
        (text, place, inside, isReplaced) = (value, 0..<value.count, nil, true)
        return true
    }

    /// The document of an entry's value.
    func child(_ index: Int) -> JSONDocument {
        guard let entry = inside?.entries[index] else { return self }
        if let own = entry.own { return own }
        let child = JSONDocument(text, entry.value)
        inside?.entries[index].own = child
        return child
    }

    /// Whether an entry has a key, however it is escaped.
    func isNamed(_ entry: Entry, _ name: [UInt8]) -> Bool {
        if let front = entry.front { return front.starts(with: Self.front(name, [])) }
        let start = entry.head.lowerBound + 1
        let isSame = text.withUnsafeBufferPointer { bytes in
            start + name.count < entry.keyEnd && bytes[start + name.count] == UInt8(ascii: "\"")
                && name.indices.allSatisfy { bytes[start + $0] == name[$0] }
        }
        guard !isSame else { return !name.contains(UInt8(ascii: "\\")) }
        guard text[start..<entry.keyEnd].contains(UInt8(ascii: "\\")) else { return false }
        var reader = JSONReader(text, .strict)
        reader.at = entry.head.lowerBound
        return (try? reader.string()).map { $0.utf8.elementsEqual(name) } ?? false
    }

    /// A key with its colon.
    static func front(_ name: [UInt8], _ space: ArraySlice<UInt8>) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(utf8: name.span)
        return writer.bytes + [UInt8(ascii: ":")] + space
    }
}

extension JSONDocument {
    /// The text after the edits.
    var written: [UInt8] {
        var out = Output(text)
        out.add(around.before)
        write(to: &out)
        out.add(around.after)
        return out.finish()
    }

    /// The text of this value alone.
    var value: [UInt8] {
        var out = Output(text)
        write(to: &out)
        return out.finish()
    }

    /// Copies runs of one text.
    private struct Output {
        let text: [UInt8]
        var bytes: [UInt8] = []
        private var run = 0..<0

        init(_ text: [UInt8]) {
            self.text = text
            bytes.reserveCapacity(text.count + 64)
        }

        @inline(__always)
        mutating func copy(_ range: Range<Int>) {
            if range.lowerBound == run.upperBound {
                run = run.lowerBound..<range.upperBound
            } else {
                flush()
                run = range
            }
        }

        mutating func add(_ other: some Collection<UInt8>) {
            flush()
            bytes.append(contentsOf: other)
        }

        mutating func flush() {
            if !run.isEmpty { bytes.append(contentsOf: text[run]) }
            run = run.upperBound..<run.upperBound
        }

        mutating func finish() -> [UInt8] {
            flush()
            return bytes
        }
    }

    private func write(to out: inout Output) {
        guard let inside else { return out.copy(place) }
        out.copy(place.lowerBound..<place.lowerBound + 1)
        var isFirst = true
        for entry in inside.entries {
            if !isFirst {
                let comma = entry.lead.lowerBound - 1
                let isThere = entry.front == nil && comma > place.lowerBound && text[comma] == UInt8(ascii: ",")
                if isThere { out.copy(comma..<comma + 1) } else { out.add([UInt8(ascii: ",")]) }
            }
            isFirst = false
            out.copy(entry.lead)
            if let front = entry.front { out.add(front) } else { out.copy(entry.head) }
            if let own = entry.own {
                if own.isReplaced { out.add(own.value) } else { own.write(to: &out) }
            } else {
                out.copy(entry.value)
            }
            if entry.front == nil { out.copy(entry.value.upperBound..<entry.end) }
        }
        out.copy(inside.tail)
        out.copy(place.upperBound - 1..<place.upperBound)
    }
}
