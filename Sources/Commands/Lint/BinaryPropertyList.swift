import Bytes
import JSON

/// Apple's binary property lists, version 00.
struct BinaryPropertyList {
    /// So that a few objects that are used again and again cannot take for ever.
    private static let maxVisits = 1_000_000
    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    private var visits = 0

    static func read(_ bytes: [UInt8]) throws(LintFailure) -> PropertyList {
        var reader = try BinaryPropertyList(bytes)
        return try reader.value(reader.top, depth: 0)
    }

    private let top: Int

    private init(_ bytes: [UInt8]) throws(LintFailure) {
        guard bytes.count >= 40, bytes.starts(with: Array("bplist00".utf8)) else {
            throw LintFailure("it is no binary property list of version 00")
        }
        let trailer = bytes.count - 32
        func number(_ at: Int, _ size: Int) -> Int? {
            guard (1...8).contains(size), at >= 0, at + size <= bytes.count else { return nil }
            let value = bytes[at..<at + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int(exactly: value)
        }
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard let count = number(trailer + 8, 8), let top = number(trailer + 16, 8),
            let table = number(trailer + 24, 8),
            (1...8).contains(offsetSize), (1...8).contains(referenceSize), count > 0, top < count, table >= 8,
            table <= trailer, count <= (trailer - table) / offsetSize
        else { throw LintFailure("the property list's trailer is broken") }
        var offsets: [Int] = []
        for index in 0..<count {
            guard let offset = number(table + index * offsetSize, offsetSize), (8..<table).contains(offset) else {
                throw LintFailure("object \(index) of the property list is nowhere")
            }
            offsets.append(offset)
        }
        (self.bytes, self.offsets, self.top) = (bytes, offsets, top)
    }

    private func number(_ at: Int, _ size: Int) throws(LintFailure) -> Int {
        guard at + size <= bytes.count, size <= 8 else { throw LintFailure("the property list is cut off") }
        let value = bytes[at..<at + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let value = Int(exactly: value) else { throw LintFailure("a count is too large") }
        return value
    }

    private mutating func value(_ index: Int, depth: Int) throws(LintFailure) -> PropertyList {
        visits += 1
        guard depth < NestingLimit.values, visits < Self.maxVisits, index < offsets.count else {
            throw LintFailure("the property list is nested too deeply, or its objects refer to nothing")
        }
        var at = offsets[index]
        let marker = bytes[at]
        at += 1
        var count = Int(marker & 0x0F)
        if count == 15, [4, 5, 6, 0xA, 0xC, 0xD].contains(marker >> 4) {
            guard at < bytes.count, bytes[at] >> 4 == 1, bytes[at] & 0x0F <= 3 else {
                throw LintFailure("a count is missing")
            }
            let size = 1 << Int(bytes[at] & 0x0F)
            count = try number(at + 1, size)
            at += 1 + size
        }
        func room(_ size: Int) throws(LintFailure) {
            guard size >= 0, size <= bytes.count - at else { throw LintFailure("the property list is cut off") }
        }
        switch marker >> 4 {
        case 0 where marker == 8 || marker == 9: return .bool(marker == 9)
        case 1:
            guard count <= 4 else { throw LintFailure("a number is too long") }
            let size = 1 << count
            try room(size)
            // 16 bytes have the value in the last eight.
            return .integer(bytes[at..<at + size].suffix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) })
        case 0, 2, 3, 4, 8: return .other
        case 5:
            try room(count)
            return .string(String(decoding: bytes[at..<at + count], as: UTF8.self))
        case 6:
            guard count <= bytes.count else { throw LintFailure("the property list is cut off") }
            try room(count * 2)
            let units = (0..<count).map { UInt16(bytes[at + 2 * $0]) << 8 | UInt16(bytes[at + 2 * $0 + 1]) }
            return .string(String(decoding: units, as: UTF16.self))
        case 0xA, 0xC:
            guard count <= bytes.count else { throw LintFailure("the property list is cut off") }
            try room(count * referenceSize)
            var values: [PropertyList] = []
            for number in 0..<count {
                values.append(try value(try self.number(at + number * referenceSize, referenceSize), depth: depth + 1))
            }
            return .array(values)
        case 0xD:
            guard count <= bytes.count else { throw LintFailure("the property list is cut off") }
            try room(count * 2 * referenceSize)
            var members: [(key: String, value: PropertyList)] = []
            for number in 0..<count {
                let key = try self.number(at + number * referenceSize, referenceSize)
                let value = try self.number(at + (count + number) * referenceSize, referenceSize)
                guard case .string(let name) = try self.value(key, depth: depth + 1) else {
                    throw LintFailure("a key is no string")
                }
                members.append((name, try self.value(value, depth: depth + 1)))
            }
            return .dictionary(members)
        default: throw LintFailure("there is no object of type \(marker >> 4)")
        }
    }
}
