import Bytes

/// Finds where a token may begin, without a step per byte.
enum TokenSearch {
    static let bearer: StaticString = "bearer"
    /// The word, a blank and one letter; no token takes less.
    static let shortest = 8

    /// The first place from which bytes must be looked at one by one, or `end`.
    ///
    /// That is a `b` before `ea`, the begin of a token's header, an escape with what may be the begin of either in
    /// front of it, or such a begin at the very end.
    @inline(__always)
    static func candidate(in bytes: Span<UInt8>, from start: Int, to end: Int, escape: UInt8?) -> Int {
        var index = start
        /// Where the text begins behind the last escape, which nothing may be part of.
        var floor = start
        let mark = ByteSearch.ones &* UInt64(escape ?? UInt8(ascii: "e"))
        let marks: UInt64 = escape == nil ? 0 : ~0
        search: while index &+ 8 <= end {
            let word = bytes.word(at: index)
            let small = word | 0x2020_2020_2020_2020
            let second =
                zeros(small ^ (ByteSearch.ones &* 0x61)) | zeros(word ^ (ByteSearch.ones &* 0x77))
                | zeros(word ^ (ByteSearch.ones &* 0x79))
            var hits = zeros(small ^ (ByteSearch.ones &* 0x65)) & second &>> 8
            hits |= zeros(word ^ mark) & marks
            hits &= ByteSearch.highs
            while hits != 0 {
                let place = index &+ hits.trailingZeroBitCount &>> 3
                switch check(bytes, at: place, from: floor, to: end, escape: escape) {
                case .nothing: hits &= hits &- 1
                case .candidate(let found): return found
                case .escape(let next):
                    (index, floor) = (next, next)
                    continue search
                }
            }
            index &+= 7
        }
        while index < end {
            switch check(bytes, at: index, from: floor, to: end, escape: escape) {
            case .nothing: index &+= 1
            case .candidate(let found): return found
            case .escape(let next): (index, floor) = (next, next)
            }
        }
        return edge(bytes, at: end, from: floor)
    }

    private enum Finding {
        case nothing
        case candidate(Int)
        /// An escape that is no part of a token's begin, and where it ends.
        case escape(Int)
    }

    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- ByteSearch.ones) & ~word }

    private static func check(
        _ bytes: Span<UInt8>, at place: Int, from start: Int, to end: Int, escape: UInt8?
    ) -> Finding {
        let byte = bytes[place]
        if let escape, byte == escape {
            let edge = edge(bytes, at: place, from: start)
            if edge == place, let next = endOfPlainEscape(bytes, at: place, to: end) { return .escape(next) }
            return .candidate(edge)
        }
        guard byte | 0x20 == UInt8(ascii: "e"), place &+ 1 < end else { return .nothing }
        let next = bytes[place &+ 1]
        if next | 0x20 == UInt8(ascii: "a") {
            return place > start && bytes[place &- 1] | 0x20 == UInt8(ascii: "b") ? .candidate(place &- 1) : .nothing
        }
        guard byte == UInt8(ascii: "e"), isSecondOfHeader(next) else { return .nothing }
        let fits = place &+ 2 >= end || isThirdOfHeader(bytes[place &+ 2]) || bytes[place &+ 2] == escape
        return fits ? .candidate(place) : .nothing
    }

    /// The end of an escape that stands for no `b` and no `e`; nil for all others, and for one that is cut or broken.
    private static func endOfPlainEscape(_ bytes: Span<UInt8>, at place: Int, to end: Int) -> Int? {
        let isPercent = bytes[place] == UInt8(ascii: "%")
        var digits = place &+ 1
        if !isPercent {
            guard digits < end else { return nil }
            guard bytes[digits] == UInt8(ascii: "u") else {
                let isLetter = bytes[digits] | 0x20 == UInt8(ascii: "e") || bytes[digits] == UInt8(ascii: "B")
                return isLetter ? nil : digits &+ 1
            }
            digits &+= 3
        }
        guard digits &+ 2 <= end, let high = ByteSearch.hexDigit(bytes[digits]),
            let low = ByteSearch.hexDigit(bytes[digits &+ 1])
        else { return nil }
        if !isPercent {
            guard ByteSearch.hexDigit(bytes[digits &- 1]) != nil, ByteSearch.hexDigit(bytes[digits &- 2]) != nil else {
                return nil
            }
        }
        let small = (high &<< 4 | low) | 0x20
        return small == UInt8(ascii: "b") || small == UInt8(ascii: "e") ? nil : digits &+ 2
    }

    /// `place`, or where a `b`, an `e` or both begin that end there.
    private static func edge(_ bytes: Span<UInt8>, at place: Int, from start: Int) -> Int {
        guard place > start else { return place }
        let last = bytes[place &- 1] | 0x20
        if last == UInt8(ascii: "b") { return place &- 1 }
        guard last == UInt8(ascii: "e") else { return place }
        if place &- 1 > start, bytes[place &- 2] | 0x20 == UInt8(ascii: "b") { return place &- 2 }
        return bytes[place &- 1] == UInt8(ascii: "e") ? place &- 1 : place
    }

    /// `{` and a quote or white space, in base64, begin with `ey` or `ew`.
    @inline(__always)
    static func isSecondOfHeader(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "y") || byte == UInt8(ascii: "w") }

    /// The third letter for `{` followed by a quote, a blank, LF, CR or HTAB.
    @inline(__always)
    static func isThirdOfHeader(_ byte: UInt8) -> Bool { byte &- 0x49 < 4 || byte.isOne(of: "Aok0") }
}
