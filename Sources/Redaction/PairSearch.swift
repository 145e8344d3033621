import Bytes

/// Finds the names of pairs by the quotes, colons and equals signs behind them.
enum PairSearch {
    /// The first quote that a colon, white space or the end follows; the first opening bracket, equals sign or question
    /// mark, or colon behind anything but a quote; or the end.
    @inline(__always)
    static func mark(in bytes: Span<UInt8>, from start: Int) -> Int {
        let end = bytes.count
        var index = start
        while index &+ 8 <= end {
            let word = bytes.word(at: index)
            // Beyond the first hit there may be wrong ones, which cost a check.
            let blank = (word &- ByteSearch.ones &* 0x21) & ~word
            let colon = ByteSearch.equal(word, UInt8(ascii: ":"))
            let quote = ByteSearch.equal(word, UInt8(ascii: "\""))
            // The first byte of all words but the first was the last one of the word before.
            let bare = colon & ~(quote &<< 8) & (index == start ? ~0 : ~0xFF)
            let equals =
                ByteSearch.equal(word, UInt8(ascii: "=")) | ByteSearch.equal(word, UInt8(ascii: "["))
                | ByteSearch.equal(word, UInt8(ascii: "?"))
            let follower = (blank | colon) & ByteSearch.highs
            let found = quote & follower &>> 8 | bare | equals
            if found != 0 { return index &+ found.trailingZeroBitCount &>> 3 }
            index &+= 7
        }
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let next = index &+ 1
                if next == end || bytes[next] == UInt8(ascii: ":") || bytes[next] <= 0x20 { return index }
            case UInt8(ascii: "="), UInt8(ascii: "["), UInt8(ascii: "?"): return index
            case UInt8(ascii: ":"):
                if index == start || bytes[index &- 1] != UInt8(ascii: "\"") { return index }
            default: break
            }
            index &+= 1
        }
        return end
    }

    /// The place behind the last quote before `end`, or `start` if there is none; nil if that is too far away.
    @inline(__always)
    static func nameStart(in bytes: Span<UInt8>, before end: Int, from start: Int, atMost longest: Int) -> Int? {
        var index = end
        let last = max(start, end &- longest)
        while index > last, bytes[index &- 1] != UInt8(ascii: "\"") { index &-= 1 }
        return index > last || index == start || bytes[index &- 1] == UInt8(ascii: "\"") ? index : nil
    }
}
