import Bytes
import JSON

/// Where two bodies differ: as JSON, as lines, or as bytes.
struct BodyComparison {
    private static let maxLines = 4000
    private static let maxShown = 200
    private let old: ArraySlice<UInt8>
    private let new: ArraySlice<UInt8>
    private let isCut: Bool
    private let limit: Int

    /// Where one of them was cut, they are compared as far as both are known.
    init(_ old: ComparedResponse, _ new: ComparedResponse, limit: Int) {
        isCut = old.isCut || new.isCut
        let count = old.isCut && new.isCut ? min(old.body.count, new.body.count) : .max
        self.old = old.body.prefix(new.isCut && !old.isCut ? new.body.count : count)
        self.new = new.body.prefix(old.isCut && !new.isCut ? old.body.count : count)
        self.limit = limit
    }

    var differences: [ResponseDifference] {
        if old == new { return [] }
        if !isCut, let before = Self.json(old), let after = Self.json(new) {
            var walk = JSONComparison(limit: limit)
            walk.compare(before, after, "$")
            return walk.found
        }
        guard let before = String(validating: old, as: UTF8.self), let after = String(validating: new, as: UTF8.self)
        else { return bytes }
        return lines(before, after)
    }

    private static func json(_ bytes: ArraySlice<UInt8>) -> JSONValue? {
        try? JSONReader.read(Array(bytes), dialect: .strict)
    }

    private var bytes: [ResponseDifference] {
        let same = zip(old, new).prefix { $0 == $1 }.count
        return [ResponseDifference(part: .body, place: "byte \(same)", old: Self.shown(old), new: Self.shown(new))]
    }

    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Hex.text(sha256(bytes).prefix(8))
        return "\(bytes.count) bytes, SHA-256 \(digits)…"
    }

    private func lines(_ before: String, _ after: String) -> [ResponseDifference] {
        let old = before.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        let new = after.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        // Time and memory grow with lines times differences.
        guard old.count <= Self.maxLines, new.count <= Self.maxLines else { return bytes }
        var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var found: [ResponseDifference] = []
        var (at, other) = (0, 0)
        while at < old.count || other < new.count, found.count < limit {
            let isRemoved = removed.contains(at)
            let isInserted = inserted.contains(other)
            if isRemoved || isInserted {
                // A replaced line is reported with its replacement; places are those of the old lines.
                found.append(
                    ResponseDifference(
                        part: .body, place: "line \(at + 1)", old: isRemoved ? Self.shown(old[at]) : nil,
                        new: isInserted ? Self.shown(new[other]) : nil))
            }
            if isRemoved || !isInserted { at += 1 }
            if isInserted || !isRemoved { other += 1 }
        }
        return found
    }

    private static func shown(_ line: [UInt8]) -> String {
        let text = String(decoding: line, as: UTF8.self)
        return text.count > maxShown ? text.prefix(maxShown) + "…" : text
    }
}

/// Walks two values side by side.
private struct JSONComparison {
    private static let maxShown = 200
    let limit: Int
    private(set) var found: [ResponseDifference] = []

    init(limit: Int) { self.limit = limit }

    mutating func compare(_ old: JSONValue, _ new: JSONValue, _ path: String) {
        guard found.count < limit else { return }
        switch (old.kind, new.kind) {
        case (.null, .null): return
        case (.bool(let one), .bool(let other)) where one == other: return
        case (.string(let one), .string(let other)) where one.utf8.elementsEqual(other.utf8): return
        case (.number(let one), .number(let other)) where Self.isSame(one, other): return
        case (.array(let one), .array(let other)):
            for index in 0..<max(one.count, other.count) {
                let place = "\(path)[\(index)]"
                if index >= one.count {
                    add(place, nil, other[index])
                } else if index >= other.count {
                    add(place, one[index], nil)
                } else {
                    compare(one[index], other[index], place)
                }
            }
        case (.object(let one), .object(let other)): compare(one, other, path)
        default: add(path, old, new)
        }
    }

    private mutating func compare(_ old: [JSONMember], _ new: [JSONMember], _ path: String) {
        let after = Dictionary(new.map { ($0.key, $0.value) }) { first, _ in first }
        let before = Set(old.map(\.key))
        for member in old {
            let place = JSONPath.appending(member.key, to: path)
            if let value = after[member.key] {
                compare(member.value, value, place)
            } else {
                add(place, member.value, nil)
            }
        }
        for member in new where !before.contains(member.key) {
            add(JSONPath.appending(member.key, to: path), nil, member.value)
        }
    }

    private mutating func add(_ place: String, _ old: JSONValue?, _ new: JSONValue?) {
        guard found.count < limit else { return }
        found.append(ResponseDifference(part: .body, place: place, old: old.map(Self.text), new: new.map(Self.text)))
    }

    private static func isSame(_ one: JSONNumber, _ other: JSONNumber) -> Bool {
        if one.json == other.json { return true }
        if let whole = one.int64, let other = other.int64 { return whole == other }
        guard let one = one.double, let other = other.double else { return false }
        return one == other
    }

    private static func text(_ value: JSONValue) -> String {
        let text = JSONWriter.text(of: value)
        return text.count > maxShown ? text.prefix(maxShown) + "…" : text
    }
}
