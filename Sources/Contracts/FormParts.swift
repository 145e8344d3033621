/// The parts of a body of multipart/form-data (RFC 7578).
struct FormParts {
    let name: String
    let isFile: Bool
    /// In small letters, without parameters; nil if it has none.
    let type: String?
    let head: ContractHead
    let body: ArraySlice<UInt8>

    private static let maxParts = 10_000

    /// Nil for a body that is none.
    static func read(_ message: ContractExchange.Message) -> [FormParts]? {
        guard let boundary = message.field("Content-Type").flatMap({ parameter("boundary", of: $0) }), !boundary.isEmpty
        else { return nil }
        let mark = Array("--\(boundary)".utf8)
        let bytes = message.body
        guard var at = next(mark, in: bytes, from: 0) else { return nil }
        var parts: [FormParts] = []
        while parts.count < maxParts {
            at += mark.count
            if bytes[at...].starts(with: "--".utf8) { return parts }
            guard let start = bytes[at...].firstIndex(of: 0x0A).map({ $0 + 1 }),
                let end = next(mark, in: bytes, from: start)
            else { return nil }
            guard let part = part(bytes[start..<end]) else { return nil }
            parts.append(part)
            at = end
        }
        return nil
    }

    /// Where the next delimiter stands, at the beginning of a line.
    private static func next(_ mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        var at = start
        while at + mark.count <= bytes.count {
            if bytes[at] == mark[0], bytes[at...].starts(with: mark) { return at }
            guard let line = bytes[at...].firstIndex(of: 0x0A) else { return nil }
            at = line + 1
        }
        return nil
    }

    private static func part(_ bytes: ArraySlice<UInt8>) -> FormParts? {
        var end = bytes.startIndex
        // An empty line ends the head.
        while true {
            guard let line = bytes[end...].firstIndex(of: 0x0A) else { return nil }
            let isEmpty = line == end || line == end + 1 && bytes[end] == 0x0D
            end = line + 1
            if isEmpty { break }
        }
        let head = ContractHead(Array(bytes[..<end]), hasStart: false)
        var body = bytes[end...]
        // The line break belongs to the delimiter.
        if body.last == 0x0A { body.removeLast() }
        if body.last == 0x0D { body.removeLast() }
        guard let disposition = head.values(named: "Content-Disposition").first,
            let name = parameter("name", of: disposition)
        else { return nil }
        return FormParts(
            name: name, isFile: parameter("filename", of: disposition) != nil,
            type: head.values(named: "Content-Type").first.map { MediaRange.essence($0) }, head: head, body: body)
    }

    /// A parameter of a field's value (RFC 9110 5.6.6).
    static func parameter(_ name: String, of value: String) -> String? {
        var rest = value[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == " " || $0 == "\t" }
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }), rest[equals] == "=" else { continue }
            let key = rest[..<equals]
            rest = rest[rest.index(after: equals)...]
            var text = ""
            if rest.first == "\"" {
                rest.removeFirst()
                while let character = rest.popFirst(), character != "\"" {
                    text.append(character == "\\" ? rest.popFirst() ?? character : character)
                }
            } else {
                text = String(rest.prefix { $0 != ";" && $0 != " " })
            }
            if key.lowercased() == name { return text }
        }
        return nil
    }
}
