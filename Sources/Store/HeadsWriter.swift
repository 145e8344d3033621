import Bytes
import Platform

/// Writes the heads and trailers of an exchange in few bytes.
///
/// Each is a section: a byte that says which one it is, its length, and its bytes. Two heads are much like another one:
/// what the origin got like what the client sent, what the client got like what the origin sent. Of these, lines that
/// are the same are said by where they stand in the other one. Numbers are in ``LEB128``.
package struct HeadsWriter {
    package enum Section: UInt8, CaseIterable {
        case clientRequest, originRequest, originResponse, clientResponse, requestTrailers, responseTrailers

        /// The one that it is likely to be like.
        var base: Section? {
            switch self {
            case .originRequest: .clientRequest
            case .clientResponse: .originResponse
            default: nil
            }
        }
    }

    /// Beside the section's number: its bytes are steps, each a number and what it speaks of.
    ///
    /// Twice a count is so many bytes that follow; one more is that many bytes of the other head, from the place that
    /// follows.
    static let isLike: UInt8 = 8

    private var bytes: [UInt8] = []
    private var places = ContiguousArray<Range<Int>?>(repeating: nil, count: Section.allCases.count)
    private var steps: [UInt8] = []

    /// Adds a head as it comes to stand in the store; a second one takes the first one's place.
    mutating func add(_ section: Section, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        places[Int(section.rawValue)] = start..<bytes.count
    }

    /// Writes what was added, and forgets it; nil if that is nothing.
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

    /// Makes steps of the differences; false if they are no shorter.
    private mutating func compare(_ place: Range<Int>, to other: Range<Int>) -> Bool {
        steps.removeAll(keepingCapacity: true)
        let text = bytes[...]
        let span = text.span
        var index = place.lowerBound
        var at = other.lowerBound
        /// What neither step says as yet: bytes of its own, or the same as in the other one.
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

    /// The same line at the begin of a range, or a few lines further on.
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
