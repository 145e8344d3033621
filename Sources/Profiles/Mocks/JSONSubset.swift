package import JSON

/// JSON whose members another JSON has to have: objects may have more, arrays and other values are the same.
public struct JSONSubset: Hashable, Sendable, CustomStringConvertible {
    let value: JSONValue
    /// Tells subsets apart.
    private let text: String

    package init(_ value: JSONValue) {
        self.value = value
        text = JSONWriter.text(of: value)
    }

    public static func == (left: JSONSubset, right: JSONSubset) -> Bool { left.text == right.text }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    public var description: String { text }

    func isContained(in other: JSONValue) -> Bool { Self.difference(value, other, at: "") == nil }

    /// `"a.b": 1, not 2`: the first member that is missing or another one.
    package func firstDifference(from other: JSONValue) -> String? { Self.difference(value, other, at: "") }

    /// Some member is different in both, so that no JSON contains both.
    func excludes(_ other: JSONSubset) -> Bool { Self.exclude(value, other.value) }

    private static func exclude(_ left: JSONValue, _ right: JSONValue) -> Bool {
        guard let mine = left.object, right.object != nil else { return !left.isEqual(to: right) }
        return mine.contains { member in right[member.key].map { exclude(member.value, $0) } ?? false }
    }

    private static func difference(_ wanted: JSONValue, _ found: JSONValue, at path: String) -> String? {
        guard let members = wanted.object else {
            return wanted.isEqual(to: found) ? nil : "\(name(path))\(text(found)), not \(text(wanted))"
        }
        guard found.object != nil else { return "\(name(path))\(text(found)), not an object" }
        for member in members {
            let place = path.isEmpty ? member.key : "\(path).\(member.key)"
            guard let value = found[member.key] else { return "no member \(place)" }
            if let difference = difference(member.value, value, at: place) { return difference }
        }
        return nil
    }

    private static func name(_ path: String) -> String { path.isEmpty ? "" : "\(path): " }

    private static func text(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return writer.text.utf8.count > 60 ? value.kindName : writer.text
    }
}
