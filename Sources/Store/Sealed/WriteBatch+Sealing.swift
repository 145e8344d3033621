/// A batch as bytes, for a segment.
extension WriteBatch {
    private enum Tag: UInt8 {
        case null, positive, negative, text, blob, body, places, stored, new, ownStored, ownNew, newest
    }

    borrowing func append(to out: inout [UInt8]) {
        LEB128.append(UInt64(newCount), to: &out)
        for table in rows {
            LEB128.append(UInt64(table.count), to: &out)
            guard let first = table.first else { continue }
            LEB128.append(UInt64(first.count), to: &out)
            for row in table {
                for value in row { Self.append(values[value], to: &out) }
            }
        }
        for part in [bytes, body.bytes, body.places] {
            LEB128.append(UInt64(part.count), to: &out)
            out += part
        }
    }

    private static func append(_ value: Value, to out: inout [UInt8]) {
        func add(_ tag: Tag, _ numbers: UInt64...) {
            out.append(tag.rawValue)
            for number in numbers { LEB128.append(number, to: &out) }
        }
        switch value {
        case .null: add(.null)
        case .integer(let number) where number >= 0: add(.positive, UInt64(number))
        case .integer(let number): add(.negative, number.magnitude)
        case .text(let place): add(.text, UInt64(place.start), UInt64(place.count))
        case .blob(let place): add(.blob, UInt64(place.start), UInt64(place.count))
        case .body(let place): add(.body, UInt64(place.start), UInt64(place.count))
        case .places(let place): add(.places, UInt64(place.start), UInt64(place.count))
        case .identity(.stored(let id)): add(.stored, UInt64(id))
        case .identity(.new(let index)): add(.new, UInt64(index))
        case .own(.stored(let id)): add(.ownStored, UInt64(id))
        case .own(.new(let index)): add(.ownNew, UInt64(index))
        case .newest: add(.newest)
        }
    }

    /// The exchanges of earlier batches that this one has rows of.
    var olderExchanges: [Int64] {
        rows.joined().compactMap { row in
            switch values[row.lowerBound] {
            case .identity(.stored(let id)), .own(.stored(let id)): id
            default: nil
            }
        }
    }

    /// The way back, with those rows whose exchange `keeps` wants; nil for bytes that are no batch.
    init?(_ rest: inout ArraySlice<UInt8>, first: Int64, keeping keeps: (Int64) -> Bool) {
        self.init()
        guard let count = LEB128.read(&rest), count <= Self.maxNew * 2 else { return nil }
        for _ in 0..<count { _ = newIdentity() }
        for table in Table.allCases {
            guard let rows = LEB128.read(&rest) else { return nil }
            guard rows > 0 else { continue }
            guard let width = LEB128.read(&rest), (1...64).contains(width) else { return nil }
            for _ in 0..<rows {
                var row: [Value] = []
                for _ in 0..<width {
                    guard let value = Self.value(&rest) else { return nil }
                    row.append(value)
                }
                guard let id = Self.exchange(of: row, first), keeps(id) else { continue }
                let mark = mark
                for value in row { add(value) }
                end(table, at: mark)
            }
        }
        guard let own = Self.part(&rest), let bodies = Self.part(&rest), let places = Self.part(&rest) else {
            return nil
        }
        bytes = own
        body = BlockWriter(bytes: bodies, places: places)
        guard values.allSatisfy({ isWithin($0) }) else { return nil }
    }

    /// A row begins with the number of its exchange.
    private static func exchange(of row: [Value], _ first: Int64) -> Int64? {
        switch row[0] {
        case .identity(.stored(let id)), .own(.stored(let id)): id
        case .identity(.new(let index)), .own(.new(let index)): first + index
        case .integer(let id): abs(id)
        default: nil
        }
    }

    private func isWithin(_ value: Value) -> Bool {
        func fits(_ place: Bytes, _ bytes: [UInt8]) -> Bool { Int(place.start) + Int(place.count) <= bytes.count }
        return switch value {
        case .text(let place), .blob(let place): fits(place, bytes)
        case .body(let place): fits(place, body.bytes)
        case .places(let place): fits(place, body.places)
        default: true
        }
    }

    private static func part(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let count = LEB128.read(&rest), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) -> Value? {
        guard let byte = rest.popFirst(), let tag = Tag(rawValue: byte) else { return nil }
        switch tag {
        case .null: return .null
        case .newest: return .newest
        case .text, .blob, .body, .places:
            guard let start = LEB128.read(&rest), let count = LEB128.read(&rest), start <= Int32.max,
                count <= Int32.max
            else { return nil }
            let place = Bytes(start..<start + count)
            return tag == .text
                ? .text(place) : tag == .blob ? .blob(place) : tag == .body ? .body(place) : .places(place)
        case .positive, .negative, .stored, .new, .ownStored, .ownNew:
            guard let number = LEB128.read(&rest) else { return nil }
            return number64(tag, Int64(number))
        }
    }

    private static func number64(_ tag: Tag, _ number: Int64) -> Value {
        switch tag {
        case .negative: .integer(-number)
        case .stored: .identity(.stored(number))
        case .new: .identity(.new(number))
        case .ownStored: .own(.stored(number))
        case .ownNew: .own(.new(number))
        default: .integer(number)
        }
    }
}
