import JSON

/// What a GraphQL request over HTTP would have a server do, as far as it takes to tell a query from a mutation.
///
/// The October 2021 edition of the GraphQL specification, section 2, and the GraphQL over HTTP draft.
package struct GraphQLOperation: Equatable {
    package enum Kind: String { case query, mutation, subscription }

    package let kind: Kind
    package let name: String?

    package init(kind: Kind, name: String?) {
        self.kind = kind
        self.name = name
    }

    /// Why content may change something; nil when it holds queries and subscriptions alone.
    package static func refusal(of content: [UInt8], contentType: String) -> String? {
        let type = contentType.prefix { $0 != ";" }.filter { $0 != " " }
        for parameter in contentType.split(separator: ";").dropFirst() {
            let text = parameter.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
            // Some servers read content as the charset says (UTF-7, say), whatever JSON's RFC 8259 has to say to that.
            if text.hasPrefix("charset="), text != "charset=utf-8" {
                return "a GraphQL request with \(text) cannot be told from a mutation"
            }
        }
        if type == "application/graphql" { return refusal(of: content, operationName: nil) }
        guard type == "application/json" else {
            return "a GraphQL request of type \"\(type)\" cannot be told from a mutation"
        }
        guard let value = try? JSONReader.read(content, dialect: .strict) else {
            return "the GraphQL request is no valid JSON"
        }
        let requests = value.array ?? [value]
        if requests.isEmpty { return "the GraphQL request is empty" }
        for request in requests {
            guard let query = request["query"]?.string else {
                return "a GraphQL request without its query's text may be a mutation"
            }
            if let reason = refusal(of: Array(query.utf8), operationName: request["operationName"]?.string) {
                return reason
            }
        }
        return nil
    }

    /// Whether a URL's query names what to do, as it does in a GET request: many servers look there first, or only there,
    /// whatever the method.
    package static func isNamed(inQuery query: Span<UInt8>) -> Bool {
        var name: [UInt8] = []
        var isName = true
        var index = 0
        while index <= query.count {
            let byte = index < query.count ? query[index] : UInt8(ascii: "&")
            index += 1
            switch byte {
            case UInt8(ascii: "&"), UInt8(ascii: ";"):
                if isOperation(name) { return true }
                name.removeAll(keepingCapacity: true)
                isName = true
            case UInt8(ascii: "="): isName = false
            case UInt8(ascii: "%") where index + 1 < query.count:
                guard let high = hexadecimal(query[index]), let low = hexadecimal(query[index + 1]) else { continue }
                index += 2
                if isName { name.append(high << 4 | low) }
            default: if isName { name.append(byte) }
            }
        }
        return false
    }

    private static func isOperation(_ name: [UInt8]) -> Bool {
        ["query", "operationName", "extensions"].contains { name.elementsEqual($0.utf8) }
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    private static func refusal(of document: [UInt8], operationName: String?) -> String? {
        guard let operations = read(document), !operations.isEmpty else { return "no GraphQL query can be read in it" }
        var chosen = operations
        if let operationName, !operationName.isEmpty {
            chosen = operations.filter { $0.name == operationName }
            if chosen.isEmpty { return "the GraphQL request has no operation \"\(operationName.prefix(80))\"" }
        }
        guard let mutation = chosen.first(where: { $0.kind == .mutation }) else { return nil }
        return "the GraphQL mutation\(mutation.name.map { " \($0.prefix(80))" } ?? "") can change something"
    }

    /// The operations of a document; nil if it is none that can be executed.
    package static func read(_ document: [UInt8]) -> [GraphQLOperation]? {
        var lexer = Lexer(bytes: document)
        var operations: [GraphQLOperation] = []
        while let token = lexer.next() {
            switch token {
            case .open(UInt8(ascii: "{")):
                operations.append(GraphQLOperation(kind: .query, name: nil))
                guard lexer.skipGroup() else { return nil }
            case .name("fragment"):
                guard lexer.skipToSelection() != nil else { return nil }
            case .name(let word):
                guard let kind = Kind(rawValue: word), let name = lexer.skipToSelection() else { return nil }
                operations.append(GraphQLOperation(kind: kind, name: name.isEmpty ? nil : name))
            default: return nil
            }
        }
        return lexer.isBroken ? nil : operations
    }
}

/// The tokens of a GraphQL document; what lies within strings and comments is none.
private struct Lexer {
    enum Token: Equatable {
        case name(String)
        case open(UInt8)
        case close(UInt8)
        /// Numbers, strings and all other punctuation.
        case other
    }

    let bytes: [UInt8]
    private var at = 0
    private(set) var isBroken = false

    init(bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    mutating func next() -> Token? {
        while at < bytes.count {
            let byte = bytes[at]
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","): at += 1
            case UInt8(ascii: "#"): while at < bytes.count, bytes[at] != 0x0A, bytes[at] != 0x0D { at += 1 }
            case UInt8(ascii: "\""): return string()
            case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
                at += 1
                return .open(byte)
            case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
                at += 1
                return .close(byte)
            default:
                guard isNameByte(byte) else {
                    at += 1
                    return .other
                }
                let start = at
                while at < bytes.count, isNameByte(bytes[at]) { at += 1 }
                return .name(String(decoding: bytes[start..<at], as: UTF8.self))
            }
        }
        return nil
    }

    /// Skips to the end of the group that was just opened; false if there is none.
    mutating func skipGroup() -> Bool {
        var depth = 1
        while depth > 0, let token = next() {
            if case .open = token { depth += 1 }
            if case .close = token { depth -= 1 }
        }
        return depth == 0 && !isBroken
    }

    /// Skips the rest of a definition with its selection set, and returns the name in front of it, maybe empty.
    mutating func skipToSelection() -> String? {
        var name: String?
        while let token = next() {
            switch token {
            case .open(UInt8(ascii: "{")): return skipGroup() ? name ?? "" : nil
            case .open: guard skipGroup() else { return nil }
            case .close: return nil
            case .name(let word): name = name ?? word
            // A name comes at once, or not at all.
            case .other: name = name ?? ""
            }
            if case .open = token { name = name ?? "" }
        }
        return nil
    }

    private mutating func string() -> Token? {
        let isBlock = bytes[at...].starts(with: [0x22, 0x22, 0x22])
        at += isBlock ? 3 : 1
        while at < bytes.count {
            let byte = bytes[at]
            if isBlock {
                if bytes[at...].starts(with: [0x5C, 0x22, 0x22, 0x22]) {
                    at += 4
                } else if bytes[at...].starts(with: [0x22, 0x22, 0x22]) {
                    at += 3
                    return .other
                } else {
                    at += 1
                }
            } else if byte == UInt8(ascii: "\"") {
                at += 1
                return .other
            } else if byte == 0x0A || byte == 0x0D {
                break
            } else {
                at += byte == UInt8(ascii: "\\") ? 2 : 1
            }
        }
        isBroken = true
        at = bytes.count
        return nil
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
