/// Names with a number each, found by their bytes.
struct NameTable: Sendable {
    private var slots: [Int32] = []
    private var names: [(bytes: [UInt8], value: Int)] = []

    init(_ names: [(name: String, value: Int)]) {
        self.names = names.map { (Array($0.name.utf8), $0.value) }
        var size = 4
        while size < 2 * names.count { size *= 2 }
        slots = Array(repeating: -1, count: size)
        for (index, name) in self.names.enumerated() {
            var slot = name.bytes.withUnsafeBufferPointer { Self.hash($0) } & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(truncatingIfNeeded: index)
        }
    }

    var isEmpty: Bool { names.isEmpty }
    var count: Int { names.count }

    func find(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard !names.isEmpty else { return nil }
        var slot = Self.hash(bytes) & (slots.count - 1)
        while slots[slot] >= 0 {
            let number = Int(slots[slot])
            if names[number].bytes.count == bytes.count,
                names[number].bytes.withUnsafeBytes({ $0.elementsEqual(UnsafeRawBufferPointer(bytes)) })
            {
                return names[number].value
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// The hash FNV-1a, without a key: the contract's author chooses the names, and no other contract is slower for it.
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ (hash >> 32))
    }
}
