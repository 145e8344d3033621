import Bytes
import Platform

/// What was found out before: most lines of heads and most names of members come again and again.
///
/// It remembers a bounded number of short ones and changes nothing about what comes out. Confined to whoever made it.
final class RedactionCache {
    var lines = LineCache()
    var names = NameCache()
}

/// Lines, and all lines of a head together, each with what stands in their place.
struct LineCache {
    /// How they are read; the same bytes may mean something else elsewhere.
    enum Kind: UInt64 {
        case start = 0x9E37_79B9_7F4A_7C15
        case field = 0xC2B2_AE3D_27D4_EB4F
        case fields = 0x27D4_EB2F_1656_67C5
        case url = 0x1656_67B1_9E37_79F9
        /// Texts that many exchanges have in common.
        case facts = 0x9FB2_1C65_27D4_EB4F
    }

    private struct Entry {
        var hash: UInt64 = 0
        /// Where the line stands, and behind it what stands in its place; nothing where the line was seen once: most
        /// that come once never come again.
        var start: Int32 = 0
        var count: Int32 = 0
        /// -1 where the line stays as it is.
        var redacted: Int32 = 0
        /// It was asked for since it last had to fear for its place.
        var isUsed = false
    }

    private static let count = 1024
    private static let longest = 4096
    /// When so many bytes are known it begins anew.
    private static let limit = 1 << 20

    private var entries = ContiguousArray(repeating: Entry(), count: count)
    private var texts: [UInt8] = []

    /// What a line is found by; not secret, and no proof of being equal.
    static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>, _ kind: Kind) -> UInt64 {
        var hash = kind.rawValue ^ UInt64(truncatingIfNeeded: range.count)
        var index = range.lowerBound
        if range.count >= 8 {
            while index &+ 8 <= range.upperBound {
                hash = fold(hash ^ bytes.word(at: index))
                index &+= 8
            }
            return fold(hash ^ bytes.word(at: range.upperBound &- 8))
        }
        while index < range.upperBound {
            hash = fold(hash ^ UInt64(bytes[index]))
            index &+= 1
        }
        return hash
    }

    @inline(__always)
    private static func fold(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9FB2_1C65_1E98_DF25)
        return product.high ^ product.low
    }

    /// Each has two places where it may be, so that two that come by turns need not drive each other out.
    @inline(__always)
    private func slot(of hash: UInt64) -> Int? {
        let first = Int(truncatingIfNeeded: hash) & (Self.count &- 1)
        if entries[first].hash == hash { return first }
        return entries[first ^ 1].hash == hash ? first ^ 1 : nil
    }

    /// Writes what stands in a line's place, if that is known.
    mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>, _ hash: UInt64, into out: inout [UInt8]) -> Bool {
        guard let slot = slot(of: hash) else { return false }
        let entry = entries[slot]
        guard Int(entry.count) == range.count, !range.isEmpty else { return false }
        entries[slot].isUsed = true
        return texts.withUnsafeBytes { texts in
            let line = Int(entry.start)..<Int(entry.start) + range.count
            guard bytes.equals(range, UnsafeRawBufferPointer(rebasing: texts[line])) else { return false }
            let place = entry.redacted < 0 ? line : line.upperBound..<line.upperBound + Int(entry.redacted)
            out.append(contentsOf: UnsafeRawBufferPointer(rebasing: texts[place]))
            return true
        }
    }

    /// Takes note of what was written for a line, from `start` on.
    mutating func keep(_ bytes: Span<UInt8>, _ range: Range<Int>, _ hash: UInt64, _ out: [UInt8], from start: Int) {
        guard let slot = slot(of: hash) else {
            var slot = Int(truncatingIfNeeded: hash) & (Self.count &- 1)
            if entries[slot].isUsed {
                // The next one takes this place, unless it is asked for until then.
                entries[slot].isUsed = entries[slot ^ 1].isUsed == false
                slot ^= 1
            }
            entries[slot] = Entry(hash: hash)
            return
        }
        let redacted = out[start...]
        guard range.count <= Self.longest, redacted.count <= Self.longest * 2 else { return }
        if texts.count > Self.limit {
            texts.removeAll(keepingCapacity: true)
            for index in entries.indices { entries[index] = Entry() }
        }
        let isSame = redacted.withUnsafeBytes { bytes.equals(range, $0) }
        entries[slot] = Entry(
            hash: hash, start: Int32(clamping: texts.count), count: Int32(clamping: range.count),
            redacted: isSame ? -1 : Int32(clamping: redacted.count))
        texts.append(bytes, range)
        if !isSame { texts.append(contentsOf: redacted) }
    }
}

/// Short names, each with what it is.
struct NameCache {
    enum Kind {
        case plain
        /// A secret's, or one of which more than the name decides.
        case secret
        /// Its value is a name, or has one beside it (``NamedValue``).
        case label
        case value
    }

    private struct Entry {
        var name = ShortName()
        var kind = Kind.plain
    }

    private static let count = 256
    private var entries = ContiguousArray(repeating: Entry(), count: count)

    /// What a name is, if that is known.
    mutating func kind(_ name: ShortName) -> Kind? {
        let slot = name.hash & (Self.count &- 1)
        return entries[slot].name == name ? entries[slot].kind : nil
    }

    mutating func keep(_ name: ShortName, _ kind: Kind) {
        entries[name.hash & (Self.count &- 1)] = Entry(name: name, kind: kind)
    }
}

/// At most 16 bytes as numbers.
struct ShortName: Equatable {
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    private var count = 0

    /// No name at all.
    fileprivate init() {}

    /// nil for what is empty or too long.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard range.count > 0, range.count <= 16 else { return nil }
        count = range.count
        if range.count >= 8 {
            first = bytes.word(at: range.lowerBound)
            last = bytes.word(at: range.upperBound &- 8)
        } else {
            var index = range.lowerBound
            while index < range.upperBound {
                first = first &<< 8 | UInt64(bytes[index])
                index &+= 1
            }
        }
    }

    @inline(__always)
    var hash: Int {
        let product = (first ^ last &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: count))
            .multipliedFullWidth(by: 0x9FB2_1C65_1E98_DF25)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}
