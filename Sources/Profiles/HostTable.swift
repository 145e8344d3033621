/// Finds a host's list without making a string: open addressing over the bytes of all hosts.
struct HostTable: Sendable {
    private struct Slot {
        var hash: UInt32 = 0
        var start: Int32 = 0
        var count: Int32 = -1
        var value: Int32 = 0
    }

    // Not `Array`, whose `span` needs macOS 26: it may wrap an NSArray there.
    private var slots: ContiguousArray<Slot>
    private var keys: ContiguousArray<UInt8> = []

    /// The position of each host is its value.
    init(_ hosts: [String]) {
        // At most half full, so that a miss ends soon.
        var size = 4
        while size < hosts.count * 2 { size *= 2 }
        slots = ContiguousArray(repeating: Slot(), count: size)
        for (value, host) in hosts.enumerated() {
            let key = Array(host.utf8)
            var hash = Self.seed
            for byte in key { hash = Self.mix(hash, byte) }
            var at = Int(hash) & (size - 1)
            while slots[at].count >= 0 { at = (at + 1) & (size - 1) }
            slots[at] = Slot(
                hash: hash, start: Int32(keys.count), count: Int32(key.count), value: Int32(value))
            keys += key
        }
    }

    /// FNV-1a, without a secret.
    ///
    /// The keys come from the user's own profiles, so nobody can fill one bucket from outside.
    static let seed: UInt32 = 2_166_136_261

    @inline(__always)
    static func mix(_ hash: UInt32, _ byte: UInt8) -> UInt32 { (hash ^ UInt32(byte)) &* 16_777_619 }

    func find(_ key: Span<UInt8>, hash: UInt32) -> Int? {
        let (slots, keys) = (slots.span, keys.span)
        var at = Int(hash) & (slots.count - 1)
        while slots[at].count >= 0 {
            if slots[at].hash == hash, Int(slots[at].count) == key.count {
                let start = Int(slots[at].start)
                var same = 0
                while same < key.count, keys[start + same] == key[same] { same += 1 }
                if same == key.count { return Int(slots[at].value) }
            }
            at = (at + 1) & (slots.count - 1)
        }
        return nil
    }
}
