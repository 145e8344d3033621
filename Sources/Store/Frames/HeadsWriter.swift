import Bytes
import Platform

/// Writes the heads and trailers of an exchange in few bytes.
///
/// Each is a section: a byte for its kind, its length, and its bytes. Two heads resemble another one: the request to
/// the origin that of the client, the response to the client that of the origin. Of these, equal lines are written as
/// places in the other one. Numbers are in ``LEB128``.
package struct HeadsWriter {
    package enum Section: UInt8, CaseIterable {
        case clientRequest, originRequest, originResponse, clientResponse, requestTrailers, responseTrailers

        /// The head that it resembles.
        var base: Section? {
            switch self {
            case .originRequest: .clientRequest
            case .clientResponse: .originResponse
            default: nil
            }
        }
    }

    /// Added to the section's number: its bytes are steps, each a number with its bytes or its place.
    ///
    /// An even number is twice the count of bytes that follow; an odd one is twice the count of bytes of the other
    /// head, plus one, followed by their place.
    static let isLike: UInt8 = 8

    private var bytes: [UInt8] = []
    private var places = ContiguousArray<Range<Int>?>(repeating: nil, count: Section.allCases.count)
    private var steps: [UInt8] = []

    /// Adds a head as it is stored; a second one replaces the first.
    mutating func add(_ section: Section, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        places[Int(section.rawValue)] = start..<bytes.count
    }

    /// Writes the added heads, and forgets them; nil without any.
    mutating func finish(into out: inout [UInt8]) -> Range<Int>? {
        let start = out.count
        for section in Section.allCases {
            guard let place = places[Int(section.rawValue)] else { continue }
            if let base = section.base, let other = places[Int(base.rawValue)], compare(place, to: other) {
                out.append(section.rawValue | Self.isLike)
                LEB128.append(UInt64(steps.count), to: &out)
                out.append(contentsOf: steps)
            } else {
                out.append(section.rawValue)
                LEB128.append(UInt64(place.count), to: &out)
                bytes.withUnsafeBytes { out.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[place])) }
            }
        }
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16)
        for index in places.indices { places[index] = nil }
        return out.count > start ? start..<out.count : nil
    }

    /// Writes a head as steps; returns false if they are no shorter.
    private mutating func compare(_ place: Range<Int>, to other: Range<Int>) -> Bool {
        steps.removeAll(keepingCapacity: true)
        let text = bytes[...]
        let span = text.span
        var index = place.lowerBound
        var at = other.lowerBound
        /// Pending ranges that no step covers yet: bytes of its own, or equal to the other head's.
        var own = index..<index
        var same = at..<at
        while index < place.upperBound {
            let line = index..<Self.endOfLine(span, index, place.upperBound)
            index = line.upperBound
            if let found = Self.find(span, line, at..<other.upperBound) {
                if !own.isEmpty { appendOwn(span, &own) }
                if same.upperBound != found.lowerBound { appendSame(&same, from: other.lowerBound) }
                same = (same.isEmpty ? found.lowerBound : same.lowerBound)..<found.upperBound
                at = found.upperBound
            } else {
                appendSame(&same, from: other.lowerBound)
                own = (own.isEmpty ? line.lowerBound : own.lowerBound)..<line.upperBound
            }
        }
        appendSame(&same, from: other.lowerBound)
        appendOwn(span, &own)
        return steps.count < place.count
    }

    private mutating func appendOwn(_ span: Span<UInt8>, _ own: inout Range<Int>) {
        guard !own.isEmpty else { return }
        LEB128.append(UInt64(own.count << 1), to: &steps)
        steps.append(span, own)
        own = own.upperBound..<own.upperBound
    }

    private mutating func appendSame(_ same: inout Range<Int>, from start: Int) {
        guard !same.isEmpty else { return }
        LEB128.append(UInt64(same.count << 1 | 1), to: &steps)
        LEB128.append(UInt64(same.lowerBound - start), to: &steps)
        same = same.upperBound..<same.upperBound
    }

    /// The same line at the beginning of a range, or a few lines further on.
    private static func find(_ span: Span<UInt8>, _ line: Range<Int>, _ range: Range<Int>) -> Range<Int>? {
        var start = range.lowerBound
        for _ in 0..<4 where start < range.upperBound {
            if range.upperBound - start >= line.count, span.isSame(line, start) { return start..<start + line.count }
            start = endOfLine(span, start, range.upperBound)
        }
        return nil
    }

    private static func endOfLine(_ span: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        min(ByteSearch.byte(0x0A, in: span, from: start, to: end) + 1, end)
    }
}
