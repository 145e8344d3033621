import Bytes
import JSON

// Requests are read strictly: what is misspelt would otherwise be ignored, and another thing done.
extension Record {
    /// Reads the body of a request.
    ///
    /// - Parameter others: members that other requests of the same path have.
    init(body bytes: [UInt8], others: [String]) throws(AdminRefusal) {
        let value = try AdminRefusal.object(in: bytes)
        let known = Table.list.map(\.name)
        for member in value?.object ?? [] where !known.contains(member.key) {
            guard !others.contains(member.key) else {
                let beside = known.last { value?[$0] != nil } ?? ""
                throw AdminRefusal(400, "the body has “\(beside)” and “\(member.key)”", advice: "Send one of them.")
            }
            let names = known.isEmpty ? "none" : known.joined(separator: ", ")
            throw AdminRefusal(400, "unknown member “\(member.key)”", advice: "The body may have \(names).")
        }
        self = .blank
        for member in Table.list {
            guard let json = value?[member.name], !json.isNull else {
                guard member.isOptional else {
                    throw AdminRefusal(
                        400, "the body has no \(member.shape.name) \"\(member.name)\"", advice: Self.example)
                }
                continue
            }
            guard let read = member.value(json), !read.isNothing else {
                throw AdminRefusal(
                    400, "\"\(member.name)\" is \(json.kindName), not a \(member.shape.name)", advice: Self.example)
            }
            put(read, member.name)
        }
    }

    /// Reads the query of a target, whose names are known ones.
    init(query: FormBody) throws(AdminRefusal) {
        self = .blank
        for member in Table.list {
            guard let text = query[member.name], !text.isEmpty || member.isOptional else {
                guard member.isOptional else {
                    throw AdminRefusal(400, "the query has no \(member.name)", advice: member.meaning)
                }
                if let value = member.defaultValue { put(value, member.name) }
                continue
            }
            guard let value = member.json(text).flatMap(member.value) else {
                throw AdminRefusal(400, "\(member.name) is “\(text)”", advice: "Give \(member.expected).")
            }
            put(value, member.name)
        }
    }

    /// As a query of a target, empty without values.
    var query: String {
        let pairs = Table.list.compactMap { member -> String? in
            var writer = JSONWriter()
            guard let value = value(member.name), !value.isNothing else { return nil }
            value.write(to: &writer)
            let text = (try? JSONReader.read(writer.bytes, dialect: .strict))?.string ?? writer.text
            return "\(member.name)=\(FormCoding.encoded(text))"
        }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// `Send {"profile": "…", "seconds": 1}, …`, with those members that have to be there.
    private static var example: String {
        let members = Table.list.map { member in
            let word = member.limits.words.first ?? "…"
            let value =
                switch member.shape.required {
                case .text: "\"\(word)\""
                case .flag: "true"
                case .list: "[\"\(word)\"]"
                default: "\(max(1, member.limits.min ?? 1))"
                }
            return "\"\(member.name)\": \(value)" + (member.isOptional ? " (may be missing)" : "")
        }
        return "Send an object with \(members.joined(separator: ", "))."
    }
}

extension AnyMember {
    /// It may be missing in a request.
    package var isOptional: Bool { if case .optional = shape { true } else { defaultValue != nil } }

    private var range: ClosedRange<Int> { (limits.min ?? 0)...(limits.max ?? Int.max) }

    /// The text of a query as JSON; nil where it is no value of this member.
    fileprivate func json(_ text: String) -> JSONValue? {
        let kind: JSONValue.Kind
        switch shape.required {
        case .integer:
            guard let number = Int(text), range.contains(number) else { return nil }
            kind = .number(JSONNumber(Int64(number)))
        case .flag:
            guard let flag = Bool(text) else { return nil }
            kind = .bool(flag)
        default: kind = .string(text)
        }
        return JSONValue(kind: kind, position: JSONValue.blank.position)
    }

    /// For refusals of queries.
    fileprivate var expected: String {
        switch shape.required {
        case .integer: "a number from \(range.lowerBound) to \(range.upperBound)"
        case .flag: "one of true, false"
        default: "one of \(limits.words.joined(separator: ", "))"
        }
    }
}

extension Shape {
    /// Without being optional.
    package var required: Shape { if case .optional(let shape) = self { shape } else { self } }

    /// For messages.
    var name: String {
        switch required {
        case .text: "text"
        case .integer: "whole number"
        case .number: "number"
        case .flag: "flag, which is true or false"
        case .list(let element): "list of \(element.name)s"
        case .any, .object, .optional: "object"
        }
    }
}

extension AdminRefusal {
    /// The object of a body, or nothing.
    fileprivate static func object(in bytes: [UInt8]) throws(AdminRefusal) -> JSONValue? {
        guard !bytes.isEmpty else { return nil }
        let value: JSONValue
        do throws(JSONFailure) { value = try JSONReader.read(bytes, dialect: .strict) } catch {
            throw AdminRefusal(400, "the body is not JSON: \(error)", advice: "Send an object.")
        }
        guard value.object != nil else { throw AdminRefusal(400, "the body is no object", advice: "Send one.") }
        return value
    }
}
