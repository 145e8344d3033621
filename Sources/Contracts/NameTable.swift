import Platform

/// A list of names, found by their bytes.
struct NameTable: Sendable {
    private var slots: [Int32] = []
    private let names: [[UInt8]]

    init(_ names: [String]) {
        self.names = names.map { Array($0.utf8) }
        guard !names.isEmpty else { return }
        var size = 4
        while size < 2 * names.count { size *= 2 }
        slots = Array(repeating: -1, count: size)
        for (index, name) in self.names.enumerated() {
            var slot = name.withUnsafeBufferPointer { Self.hash($0) } & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(truncatingIfNeeded: index)
        }
    }

    /// The place of a name in the list; nil for none.
    ///
    /// - Parameter guess: where it probably is, which spares the search.
    @inline(__always)
    func find(_ bytes: UnsafeBufferPointer<UInt8>, guess: Int) -> Int? {
        guess < names.count && isName(guess, bytes) ? guess : find(bytes)
    }

    private func find(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = Self.hash(bytes) & (slots.count - 1)
        while slots[slot] >= 0 {
            if isName(Int(slots[slot]), bytes) { return Int(slots[slot]) }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    @inline(__always)
    private func isName(_ number: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard names[number].count == bytes.count else { return false }
        return names[number].withUnsafeBufferPointer { name in
            guard let name = name.baseAddress, let other = bytes.baseAddress else { return true }
            return memcmp(name, other, bytes.count) == 0
        }
    }

    /// The hash FNV-1a, without a key: the contract's author chooses the names, and no other contract is slower for it.
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ (hash >> 32))
    }
}
