/// Finds the names of members by their quotes and colons.
enum JSONSearch {
    /// The first quote that a colon or white space follows, or that nothing follows; or the end.
    @inline(__always)
    static func nameEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
        let end = bytes.count
        var index = start
        while index &+ 8 <= end {
            let word = bytes.word(at: index)
            // Beyond the first hit there may be wrong ones, which cost a look.
            let blank = (word &- ByteSearch.ones &* 0x21) & ~word
            let follower = (blank | ByteSearch.equal(word, UInt8(ascii: ":"))) & ByteSearch.highs
            let hits = ByteSearch.equal(word, UInt8(ascii: "\"")) & follower &>> 8
            if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
            index &+= 7
        }
        while index < end {
            if bytes[index] == UInt8(ascii: "\"") {
                let next = index &+ 1
                if next == end || bytes[next] == UInt8(ascii: ":") || bytes[next] <= 0x20 { return index }
            }
            index &+= 1
        }
        return end
    }

    /// What follows the last quote before `end`, or `start` if there is none; nil if that is too far away.
    @inline(__always)
    static func nameStart(in bytes: Span<UInt8>, before end: Int, from start: Int, atMost longest: Int) -> Int? {
        var index = end
        let last = max(start, end &- longest)
        while index > last, bytes[index &- 1] != UInt8(ascii: "\"") { index &-= 1 }
        return index > last || index == start || bytes[index &- 1] == UInt8(ascii: "\"") ? index : nil
    }
}
