/// Finds byte strings without making a string: open addressing over the bytes of all keys.
struct ByteTable: Sendable {
    private struct Slot {
        var hash: UInt32 = 0
        var start: Int32 = 0
        var count: Int32 = -1
        var group: Int32 = 0
        var value: Int32 = 0
    }

    // Not `Array`, whose `span` needs macOS 26: it may wrap an NSArray there.
    private var slots: ContiguousArray<Slot>
    private var bytes: ContiguousArray<UInt8> = []

    /// - Parameters:
    ///   - keys: different ones; the position of each is its value. Equal bytes may stand in several groups.
    ///   - hash: of the key's bytes, as ``find(_:hash:group:)`` will be given it.
    init(_ keys: [(bytes: [UInt8], group: Int)], hash: ([UInt8]) -> UInt32 = Self.forwards) {
        // At most half full, so that a miss ends soon.
        var size = 4
        while size < keys.count * 2 { size *= 2 }
        slots = ContiguousArray(repeating: Slot(), count: size)
        for (value, key) in keys.enumerated() {
            let hash = hash(key.bytes)
            var at = Self.place(hash, Int32(key.group)) & (size - 1)
            while slots[at].count >= 0 { at = (at + 1) & (size - 1) }
            slots[at] = Slot(
                hash: hash, start: Int32(bytes.count), count: Int32(key.bytes.count), group: Int32(key.group),
                value: Int32(value))
            bytes += key.bytes
        }
    }

    init(_ keys: [String], hash: ([UInt8]) -> UInt32 = Self.forwards) {
        self.init(keys.map { (Array($0.utf8), 0) }, hash: hash)
    }

    /// FNV-1a, without a secret.
    ///
    /// The keys come from the user's own profiles, so clients cannot fill one bucket.
    static let seed: UInt32 = 2_166_136_261

    @inline(__always)
    static func mix(_ hash: UInt32, _ byte: UInt8) -> UInt32 { (hash ^ UInt32(byte)) &* 16_777_619 }

    static func forwards(_ key: [UInt8]) -> UInt32 { key.reduce(seed, mix) }

    static func backwards(_ key: [UInt8]) -> UInt32 { key.reversed().reduce(seed, mix) }

    @inline(__always)
    private static func place(_ hash: UInt32, _ group: Int32) -> Int {
        Int(hash ^ (UInt32(truncatingIfNeeded: group) &* 0x9E37_79B1))
    }

    func find(_ key: Span<UInt8>, hash: UInt32, group: Int = 0) -> Int? {
        let (slots, bytes) = (slots.span, bytes.span)
        var at = Self.place(hash, Int32(truncatingIfNeeded: group)) & (slots.count - 1)
        while slots[at].count >= 0 {
            if slots[at].hash == hash, Int(slots[at].group) == group, Int(slots[at].count) == key.count {
                let start = Int(slots[at].start)
                var same = 0
                while same < key.count, bytes[start + same] == key[same] { same += 1 }
                if same == key.count { return Int(slots[at].value) }
            }
            at = (at + 1) & (slots.count - 1)
        }
        return nil
    }
}
