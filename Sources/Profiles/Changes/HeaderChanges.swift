import Bytes

/// Header fields that are removed, set and added, in this order.
public struct HeaderChanges: Hashable, Sendable {
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    /// In small letters.
    public let remove: [String]
    /// They take the place of all fields of their names.
    public let set: [Field]
    /// They go behind fields of their names.
    public let add: [Field]
    /// Names in small letters of fields that do not go on as they came.
    private let replaced: Set<[UInt8]>
    /// The lines of ``set`` and ``add``.
    private let lines: [UInt8]

    package init(remove: [String] = [], set: [Field] = [], add: [Field] = []) {
        (self.remove, self.set, self.add) = (remove, set, add)
        replaced = Set((remove + set.map { $0.name.lowercased() }).map { Array($0.utf8) })
        lines = (set + add).flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
    }

    public var isEmpty: Bool { replaced.isEmpty && lines.isEmpty }

    /// Field lines, each with its CRLF, as they are after the changes.
    public func applied(to fields: [UInt8]) -> [UInt8] {
        guard !replaced.isEmpty else { return fields + lines }
        var result: [UInt8] = []
        result.reserveCapacity(fields.count + lines.count)
        var start = 0
        while start < fields.count {
            let end = (fields[start...].firstIndex(of: 0x0A) ?? fields.count - 1) + 1
            let name = fields[start..<end].prefix { $0 != UInt8(ascii: ":") }.map { ByteSearch.lowercased($0) }
            if !replaced.contains(name) { result += fields[start..<end] }
            start = end
        }
        return result + lines
    }

    /// The same for names in small letters with their values.
    func applied(to fields: [(name: [UInt8], value: [UInt8])]) -> [(name: [UInt8], value: [UInt8])] {
        fields.filter { !replaced.contains($0.name) }
            + (set + add).map { (Array($0.name.lowercased().utf8), Array($0.value.utf8)) }
    }
}
