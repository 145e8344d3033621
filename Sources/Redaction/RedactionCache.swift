import Bytes
import Platform

/// A cache of lines of heads and names of members, most of which are repeated.
///
/// It holds a bounded number of short ones and does not change results. Confined to its owner.
final class RedactionCache {
    var lines = LineCache()
    var names = NameCache()
}

/// Lines, and all lines of a head together, each with its redacted form.
struct LineCache {
    /// How they are read, since equal bytes may differ in meaning.
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
        /// The place of the line and of its redacted form behind it; empty if the line was seen only once, since most
        /// are never repeated.
        var start: Int32 = 0
        var count: Int32 = 0
        /// -1 if the line is kept unchanged.
        var redacted: Int32 = 0
        /// Used since the last eviction pass (CLOCK bit).
        var isUsed = false
    }

    private static let count = 1024
    private static let longest = 4096
    /// The number of bytes at which the cache is emptied.
    private static let limit = 1 << 20

    private var entries = ContiguousArray(repeating: Entry(), count: count)
    private var texts: [UInt8] = []

    /// The hash of a line; not secret, and no proof of equality.
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

    /// Each entry has two possible slots, so that two that alternate do not evict each other.
    @inline(__always)
    private func slot(of hash: UInt64) -> Int? {
        let first = Int(truncatingIfNeeded: hash) & (Self.count &- 1)
        if entries[first].hash == hash { return first }
        return entries[first ^ 1].hash == hash ? first ^ 1 : nil
    }

    /// Writes a line's redacted form, if it is cached.
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

    /// Caches the bytes that were written for a line, from `start` on.
    mutating func keep(_ bytes: Span<UInt8>, _ range: Range<Int>, _ hash: UInt64, _ out: [UInt8], from start: Int) {
        guard let slot = slot(of: hash) else {
            var slot = Int(truncatingIfNeeded: hash) & (Self.count &- 1)
            if entries[slot].isUsed {
                // The next entry takes this slot, unless it is used until then.
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

/// Short names, each with its meaning.
struct NameCache {
    enum Kind {
        case plain
        /// A secret's, or one that needs more than the name to decide.
        case secret
        /// Its value is a key's secret part if it looks like one.
        case key
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

    /// The meaning of a name, if it is cached.
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

    /// nil if the name is empty or too long.
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
