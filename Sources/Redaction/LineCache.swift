import Bytes
import Platform

/// Holds a cache; confined to its owner.
final class LineMemo {
    var lines = LineCache()
}

/// A cache of lines of heads, and of all lines of a head together, most of which are repeated, with their redacted forms.
///
/// It holds a bounded number of short ones and does not change results.
struct LineCache {
    /// How they are read, since equal bytes may differ in meaning.
    enum Kind: UInt64 {
        case start = 0x9E37_79B9_7F4A_7C15
        case field = 0xC2B2_AE3D_27D4_EB4F
        case fields = 0x27D4_EB2F_1656_67C5
        case url = 0x1656_67B1_9E37_79F9
        /// Texts that many exchanges have in common.
        case facts = 0x9FB2_1C65_27D4_EB4F
        /// The lists of an exchange, likewise.
        case lists = 0x2545_F491_4F6C_DD1D
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
