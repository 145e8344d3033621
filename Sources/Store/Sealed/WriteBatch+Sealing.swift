import Bytes

/// A batch as bytes, for a segment.
extension WriteBatch {
    private enum Tag: UInt8 {
        case null, positive, negative, text, blob, content, directory, frame, stored, new, ownStored, ownNew, newest
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
        for part in [bytes, frames.bytes, frames.directory] {
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
        case .content(let place): add(.content, UInt64(place.start), UInt64(place.count))
        case .directory(let place): add(.directory, UInt64(place.start), UInt64(place.count))
        case .frame(let index): add(.frame, UInt64(index))
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

    /// The way back, with those rows whose exchange `keeps` wants, and their frames; nil for bytes that are no batch.
    init?(_ rest: inout ArraySlice<UInt8>, first: Int64, keeping keeps: (Int64) -> Bool) {
        self.init()
        guard let count = LEB128.read(&rest), count <= Self.maxNew * 2 else { return nil }
        for _ in 0..<count { _ = newIdentity() }
        var used: Set<Int64> = []
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
                if case .frame(let index) = row[0] {
                    frameCount = max(frameCount, index + 1)
                    guard row.count == 5 else { return nil }
                    let bounds = (Self.exchange(of: row[1], first), Self.exchange(of: row[2], first))
                    var isKept = used.contains(index)
                    if let start = bounds.0, let end = bounds.1, !isKept {
                        guard start <= end, end - start < FrameWriter.maxExchanges else { return nil }
                        isKept = (start...end).contains(where: keeps)
                    }
                    guard isKept else { continue }
                } else {
                    guard let id = Self.exchange(of: row[0], first), keeps(id) else { continue }
                    if table == .entry, row.count > 1, case .frame(let index) = row[1] { used.insert(index) }
                }
                let mark = mark
                for value in row { add(value) }
                end(table, at: mark)
            }
        }
        guard let own = Self.part(&rest), let content = Self.part(&rest), let directory = Self.part(&rest) else {
            return nil
        }
        bytes = own
        frames = FrameWriter(bytes: content, directory: directory)
        guard values.allSatisfy({ isWithin($0) }) else { return nil }
    }

    /// A row of an exchange begins with its number.
    private static func exchange(of value: Value, _ first: Int64) -> Int64? {
        switch value {
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
        case .content(let place): fits(place, frames.bytes)
        case .directory(let place): fits(place, frames.directory)
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
        case .text, .blob, .content, .directory:
            guard let start = LEB128.read(&rest), let count = LEB128.read(&rest), start <= Int32.max,
                count <= Int32.max
            else { return nil }
            let place = Bytes(start..<start + count)
            return switch tag {
            case .text: .text(place)
            case .blob: .blob(place)
            case .content: .content(place)
            default: .directory(place)
            }
        case .positive, .negative, .frame, .stored, .new, .ownStored, .ownNew:
            guard let number = LEB128.read(&rest) else { return nil }
            return number64(tag, Int64(number))
        }
    }

    private static func number64(_ tag: Tag, _ number: Int64) -> Value {
        switch tag {
        case .negative: .integer(-number)
        case .frame: .frame(number)
        case .stored: .identity(.stored(number))
        case .new: .identity(.new(number))
        case .ownStored: .own(.stored(number))
        case .ownNew: .own(.new(number))
        default: .integer(number)
        }
    }
}
