import JSON

/// A JSON object of an HTTP Archive, read leniently, with words for what is missing.
struct HARObject {
    let value: JSONValue
    /// Such as `request.headers`.
    let path: String

    func object(_ name: String) throws(HARMistake) -> HARObject {
        guard let member = value[name] else { throw mistake(name, "is missing") }
        guard member.object != nil else { throw mistake(name, "is \(member.kindName), not an object", member) }
        return HARObject(value: member, path: inner(name))
    }

    func string(_ name: String) throws(HARMistake) -> String {
        guard let member = value[name] else { throw mistake(name, "is missing") }
        guard let text = member.string else { throw mistake(name, "is \(member.kindName), not a string", member) }
        return text
    }

    /// A whole number, also written as text; nil for other values.
    func integer(_ name: String) -> Int64? {
        let member = value[name]
        return member?.number?.int64 ?? member?.number?.double.flatMap { Int64(exactly: $0.rounded()) }
            ?? member?.string.flatMap { Int64($0) }
    }

    /// Microseconds of milliseconds; nil for -1 and what is no number.
    func time(_ name: String) -> UInt64? {
        let number = value[name]?.number?.double ?? value[name]?.string.flatMap { Double($0) }
        guard let number, number >= 0 else { return nil }
        return UInt64(exactly: (number * 1000).rounded())
    }

    /// Names and values; those of HTTP/2 that stand for the start line are left out, and others with no right name.
    func fields(_ name: String) throws(HARMistake) -> [HeadText.Field] {
        guard let list = value[name], !list.isNull else { return [] }
        guard let items = list.array else { throw mistake(name, "is \(list.kindName), not an array", list) }
        var fields: [HeadText.Field] = []
        for (index, item) in items.enumerated() {
            guard let name = item["name"]?.string else { throw mistake("\(name)[\(index)]", "has no name", item) }
            guard !name.isEmpty else { continue }
            let value = item["value"]
            fields.append(HeadText.Field(name, value?.string ?? value?.number?.text ?? ""))
        }
        return fields
    }

    func mistake(_ name: String, _ words: String, _ place: JSONValue? = nil) -> HARMistake {
        HARMistake(position: (place ?? value).position, message: "\(inner(name)) \(words)")
    }

    private func inner(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}

/// A problem within an entry; the place counts from the entry's beginning.
struct HARMistake: Error {
    let position: JSONPosition
    let message: String
}
