/// A place in JSON, such as `$.items[2]["odd name"]`; `*` stands for any item or name.
public struct JSONPath: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case key(String)
        case item(Int)
        case any
    }

    public private(set) var steps: [Step] = []

    /// Nil if the text is no path.
    public init?(_ text: String) {
        var rest = text.utf8[...]
        guard rest.popFirst() == UInt8(ascii: "$") else { return nil }
        while let mark = rest.popFirst() {
            let step: Step?
            switch mark {
            case UInt8(ascii: "."): step = Self.name(&rest)
            case UInt8(ascii: "["): step = Self.bracketed(&rest)
            default: step = nil
            }
            guard let step else { return nil }
            steps.append(step)
        }
    }

    private static func name(_ rest: inout Substring.UTF8View) -> Step? {
        let name = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
        guard !name.isEmpty else { return nil }
        rest = rest[name.endIndex...]
        let text = String(Substring(name))
        return text == "*" ? .any : .key(text)
    }

    /// The quoted name ends where a bracket follows its quote.
    private static func bracketed(_ rest: inout Substring.UTF8View) -> Step? {
        let isQuoted = rest.first == UInt8(ascii: "\"")
        var end = rest.startIndex
        var isEscaped = false
        var isInside = false
        while end < rest.endIndex {
            let byte = rest[end]
            if isEscaped {
                isEscaped = false
            } else if isInside, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInside.toggle()
            } else if !isInside, byte == UInt8(ascii: "]") {
                break
            }
            rest.formIndex(after: &end)
        }
        guard end < rest.endIndex else { return nil }
        let inner = rest[..<end]
        rest = rest[rest.index(after: end)...]
        if isQuoted {
            guard let value = try? JSONReader.read(Array(inner), dialect: .strict), let key = value.string else {
                return nil
            }
            return .key(key)
        }
        let text = String(Substring(inner))
        return text == "*" ? .any : Int(text).flatMap { $0 >= 0 ? .item($0) : nil }
    }

    /// Whether it is the other place, or one that it lies in.
    public func leads(to other: JSONPath) -> Bool {
        steps.count <= other.steps.count && zip(steps, other.steps).allSatisfy { $0 == .any || $0 == $1 }
    }

    /// The same with every number of an item left open.
    public var inEveryItem: JSONPath {
        var open = self
        open.steps = steps.map { if case .item = $0 { .any } else { $0 } }
        return open
    }

    /// `[*]` for what is open, which is meant for names, too.
    public var text: String {
        steps.reduce("$") { text, step in
            switch step {
            case .key(let key): Self.appending(key, to: text)
            case .item(let number): "\(text)[\(number)]"
            case .any: "\(text)[*]"
            }
        }
    }

    /// A name where it is one word, else in brackets and quotes.
    public static func appending(_ key: String, to path: String) -> String {
        let isPlain =
            !key.isEmpty && key.utf8.allSatisfy { $0 == 0x5F || $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 }
        guard !isPlain else { return "\(path).\(key)" }
        return "\(path)[\(JSONWriter.text(of: key))]"
    }
}
