import Bytes
import HTTP
import Rewriting

extension OriginName {
    /// An origin as the tables write it: `https://host:port/base`.
    init(_ text: String) {
        let isTLS = text.hasPrefix("https://")
        let rest = text.dropFirst(isTLS ? 8 : 7)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var host = rest[..<slash]
        var port = isTLS ? UInt16(443) : 80
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]"), let number = UInt16(host[colon...].dropFirst()) {
            port = number
            host = host[..<colon]
        }
        if host.hasPrefix("[") { host = host.dropFirst().dropLast() }
        self.init(isTLS: isTLS, host: String(host), port: port, basePath: String(rest[slash...]))
    }
}

/// Two ends, as the tables write them.
struct Ends: Sendable {
    let own: OriginName
    let others: [(host: String, origin: OriginName)]
    let map: AddressMap
    let authority: [UInt8]
    let client: ClientName

    /// - Parameters:
    ///   - origin: the own one; then, with spaces between them, others as `host=https://origin`.
    ///   - client: `https://label--host:port`.
    init(_ origin: String, _ client: String) {
        let parts = origin.split(separator: " ").map(String.init)
        own = OriginName(parts[0])
        others = parts.dropFirst().map { part in
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            return (host: pair[0], origin: OriginName(pair[1]))
        }
        map = AddressMap(own: own, others: others)
        let isSecure = client.hasPrefix("https://")
        let authority = Array(client.utf8.dropFirst(isSecure ? 8 : 7))
        let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? 0
        let host = authority[bracket...].firstIndex(of: UInt8(ascii: ":")) ?? authority.count
        let dashes = authority.indices.dropLast().first { authority[$0] == 0x2D && authority[$0 + 1] == 0x2D }
        self.authority = authority
        self.client = ClientName(isSecure: isSecure, hostLength: host, labelLength: dashes.map { $0 + 2 } ?? 0)
    }

    var rules: RewriteRules { rules { _ in } }

    func rules(_ change: (inout RewriteRules.Settings) -> Void) -> RewriteRules {
        var settings = RewriteRules.Settings()
        settings.addresses = map
        change(&settings)
        return RewriteRules(settings)
    }
}

/// What became of a field.
struct Rewritten: Equatable {
    /// nil if it was left out.
    var line: [UInt8]?
    var changes: RewriteChanges
}

extension RewriteRules {
    /// A response's field, given and returned as its line without CRLF.
    func response(_ line: [UInt8], _ ends: Ends) throws -> Rewritten {
        let bytes = Array("HTTP/1.1 200 OK\r\n".utf8) + line + Array("\r\n\r\n".utf8)
        var head = ResponseHead()
        _ = try head.parse(bytes.span, to: .get)
        return try rewritten(head.fields[0]) { field, room, changes in
            var out = Buffer(capacity: room)
            _ = out.appendWhole("front")
            let fits = self.append(
                responseField: field, from: bytes.span, authority: ends.authority.span, client: ends.client, to: &out,
                changes: &changes)
            return (fits, Array(out.unsafeBytes))
        }
    }

    /// The same, without a look at smaller buffers.
    func response(once line: [UInt8], _ ends: Ends) throws -> Rewritten {
        let bytes = Array("HTTP/1.1 200 OK\r\n".utf8) + line + Array("\r\n\r\n".utf8)
        var head = ResponseHead()
        _ = try head.parse(bytes.span, to: .get)
        var out = Buffer(capacity: 1 << 14)
        var changes: RewriteChanges = []
        guard
            append(
                responseField: head.fields[0], from: bytes.span, authority: ends.authority.span, client: ends.client,
                to: &out, changes: &changes)
        else { throw Wrong.doesNotFit }
        return Rewritten(line: out.isEmpty ? nil : Array(out.unsafeBytes), changes: changes)
    }

    /// The same for a request's.
    func request(_ line: [UInt8], _ ends: Ends) throws -> Rewritten {
        let bytes = Array("GET / HTTP/1.1\r\n".utf8) + line + Array("\r\nHost: c.test\r\n\r\n".utf8)
        var head = RequestHead()
        _ = try head.parse(bytes.span)
        return try rewritten(head.fields[0]) { field, room, changes in
            var out = Buffer(capacity: room)
            _ = out.appendWhole("front")
            let fits = self.append(
                requestField: field, from: bytes.span, authority: ends.authority.span, client: ends.client, to: &out,
                changes: &changes)
            return (fits, Array(out.unsafeBytes))
        }
    }

    private enum Wrong: Error {
        case doesNotFit
        case frontIsGone
        case noLineEnd
        case leftSomething(room: Int)
    }

    /// Rewrites into all buffers that have not room enough, which must stay as they were, and into one that has.
    ///
    /// And again, for what is remembered then.
    private func rewritten(
        _ field: Field, _ append: (Field, Int, inout RewriteChanges) -> (fits: Bool, bytes: [UInt8])
    ) throws -> Rewritten {
        let front = Array("front".utf8)
        var changes: RewriteChanges = []
        var (fits, bytes) = (false, [UInt8]())
        for room in front.count..<1 << 14 {
            (fits, bytes) = append(field, room, &changes)
            if fits { break }
            guard bytes == front, changes.isEmpty else { throw Wrong.leftSomething(room: room) }
        }
        guard fits else { throw Wrong.doesNotFit }
        guard bytes.starts(with: front) else { throw Wrong.frontIsGone }
        for room in front.count...bytes.count {
            var others: RewriteChanges = []
            let (fits, same) = append(field, room, &others)
            guard fits == (room == bytes.count), same == (fits ? bytes : front), others == (fits ? changes : []) else {
                throw Wrong.leftSomething(room: room)
            }
        }
        let line = bytes.dropFirst(front.count)
        if line.isEmpty { return Rewritten(line: nil, changes: changes) }
        guard line.suffix(2) == [0x0D, 0x0A] else { throw Wrong.noLineEnd }
        return Rewritten(line: Array(line.dropLast(2)), changes: changes)
    }

    func response(_ name: String, _ value: String, _ ends: Ends) throws -> String? {
        try response(Array("\(name): \(value)".utf8), ends).line.map {
            String(decoding: $0.dropFirst(name.utf8.count + 2), as: UTF8.self)
        }
    }

    func request(_ name: String, _ value: String, _ ends: Ends) throws -> String? {
        try request(Array("\(name): \(value)".utf8), ends).line.map {
            String(decoding: $0.dropFirst(name.utf8.count + 2), as: UTF8.self)
        }
    }
}
