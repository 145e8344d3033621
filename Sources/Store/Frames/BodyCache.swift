import Bytes
import Platform
import Redaction

/// A cache of repeated heads and bodies, each with the bytes that the store has for it.
///
/// It holds a bounded number of short ones, so that the batch's present frame has equal ones once.
struct BodyCache {
    /// How the bytes are read, since equal bytes may differ in meaning.
    struct Context {
        /// For heads which they are, and where the second begins; 0 for a body.
        var shape = 0
        /// The Content-Type of a body.
        var type: [UInt8]?
        var redaction: ProfileRedaction?
    }

    private struct Entry {
        /// 0 for an empty slot.
        var hash: UInt64 = 0
        /// nil if it was seen only once, since most are never repeated.
        var source: [UInt8]?
        var context = Context()
        /// The stored bytes; nil if they are equal to the source.
        var body: [UInt8]?
        /// The fields, for heads.
        var fields: HeadFields?
        /// Its place in a frame.
        var place = 0..<0
        var frame = -1
        /// Used since the last eviction pass (CLOCK bit).
        var isUsed = false
    }

    private static let count = 128
    static let longest = 8 << 10
    private var entries = ContiguousArray(repeating: Entry(), count: count)

    /// The hash of bytes; not secret, and no proof of equality.
    static func hash(_ bytes: UnsafeRawBufferPointer, shape: Int) -> UInt64 {
        var (one, other) = (UInt64(truncatingIfNeeded: shape) ^ 0x9E37_79B9_7F4A_7C15, UInt64(bytes.count))
        func word(_ at: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) }
        var index = 0
        while index &+ 32 <= bytes.count {
            one = fold(one ^ word(index), word(index &+ 8) ^ 0xC2B2_AE3D_27D4_EB4F)
            other = fold(other ^ word(index &+ 16), word(index &+ 24) ^ 0x1656_67B1_9E37_79F9)
            index &+= 32
        }
        while index &+ 8 <= bytes.count {
            one = fold(one ^ word(index), 0xC2B2_AE3D_27D4_EB4F)
            index &+= 8
        }
        while index < bytes.count {
            other = fold(other ^ UInt64(bytes[index]), 0x1656_67B1_9E37_79F9)
            index &+= 1
        }
        return max(1, fold(one ^ 0x27D4_EB2F_1656_67C5, other ^ 0x9FB2_1C65_1E98_DF25))
    }

    @inline(__always)
    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }

    /// Each entry has two possible slots, so that two that alternate do not evict each other.
    private func slot(of hash: UInt64) -> Int? {
        let first = Int(truncatingIfNeeded: hash) & (Self.count &- 1)
        if entries[first].hash == hash { return first }
        return entries[first ^ 1].hash == hash ? first ^ 1 : nil
    }

    /// Returns the place of the stored form of these bytes in the batch's present frame, where it puts them if needed;
    /// nil if they are not cached.
    mutating func find(
        _ source: UnsafeRawBufferPointer, _ hash: UInt64, _ context: borrowing Context, _ frames: inout FrameWriter
    ) -> (place: Range<Int>, fields: HeadFields?)? {
        guard let slot = slot(of: hash), isSame(slot, source, context) else { return nil }
        entries[slot].isUsed = true
        if entries[slot].frame != frames.number {
            entries[slot].place = frames.append(entries[slot].body ?? entries[slot].source ?? [])
            entries[slot].frame = frames.number
        }
        return (entries[slot].place, entries[slot].fields)
    }

    private func isSame(_ slot: Int, _ source: UnsafeRawBufferPointer, _ context: borrowing Context) -> Bool {
        guard let known = entries[slot].source, known.count == source.count,
            entries[slot].context.shape == context.shape, entries[slot].context.redaction === context.redaction,
            entries[slot].context.type == context.type
        else { return false }
        return known.withSpan { $0.equals(0..<known.count, source) }
    }

    /// Notes the stored form of these bytes and its place in the present frame.
    mutating func keep(
        _ source: UnsafeRawBufferPointer, _ hash: UInt64, _ context: consuming Context, _ fields: HeadFields?,
        _ place: Range<Int>, _ frames: borrowing FrameWriter
    ) {
        guard let slot = slot(of: hash) else {
            var slot = Int(truncatingIfNeeded: hash) & (Self.count &- 1)
            if entries[slot].isUsed {
                // The next entry takes this slot, unless it is used until then.
                entries[slot].isUsed = !entries[slot ^ 1].isUsed
                slot ^= 1
            }
            entries[slot] = Entry(hash: hash)
            return
        }
        guard source.count <= Self.longest, place.count <= Self.longest * 2 else { return }
        let body = frames.content(place)
        let isSame = body.count == source.count && body.elementsEqual(source)
        entries[slot] = Entry(
            hash: hash, source: Array(source), context: context, body: isSame ? nil : Array(body),
            fields: fields, place: place, frame: frames.number)
    }
}
