import Bytes
import HTTP
import Rewriting
import Testing

/// A client's address for Shunt, as in `https://staging--api.shop.test:4884`.
struct ClientAddress: Sendable {
    let isSecure: Bool
    let authority: [UInt8]
    let name: ClientName

    init(_ url: String) {
        isSecure = url.hasPrefix("https:")
        let text = String(url.split(separator: "/")[1])
        authority = Array(text.utf8)
        let host = text.hasPrefix("[") ? text.prefix { $0 != "]" } + "]" : text.prefix { $0 != ":" }
        let label = host.hasPrefix("staging--") ? 9 : 0
        name = ClientName(isSecure: isSecure, hostLength: host.utf8.count, labelLength: label)
    }

    var host: String { String(decoding: authority.prefix(name.hostLength), as: UTF8.self) }
}

extension OriginName {
    init(url: String) {
        let parts = url.split(separator: "/", maxSplits: 2)
        let authority = parts[1]
        let host =
            authority.hasPrefix("[") ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        self.init(
            isTLS: url.hasPrefix("https:"), host: String(host), port: 443,
            basePath: parts.count > 2 ? "/" + parts[2] : "")
    }
}

extension RewriteRules.Settings {
    init(origin: String, jar: String? = nil, usesJars: Bool = false) {
        self.init()
        addresses = AddressMap(own: OriginName(url: origin), others: [])
        self.jar = jar
        self.usesJars = usesJars
    }
}

/// A message's head, parsed, with its bytes.
struct Head {
    let bytes: [UInt8]
    let fields: [Field]
    let names: FieldNameSet

    init(_ lines: [String]) throws {
        let bytes = Array(("OPTIONS / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
        var head = RequestHead()
        let length = try head.parse(bytes.span)
        try #require(length != nil)
        self.bytes = bytes
        fields = head.fields.filter { $0.id != .host }
        names = head.names
    }
}

/// What is appended, and that a buffer of exactly that size suffices while any smaller one stays as it was.
func appended(_ append: (inout Buffer) throws -> Bool) rethrows -> String {
    var out = Buffer(capacity: 1 << 18)
    guard try append(&out) else { return "no room" }
    let text = String(decoding: out.unsafeBytes, as: UTF8.self)
    let length = out.count
    for capacity in Set([0, 1, length / 3, length / 2, length - 1]) where capacity >= 0 && capacity < length {
        var small = Buffer(capacity: capacity + 1)
        _ = small.appendWhole("!")
        #expect(try !append(&small), "\(capacity) of \(length)")
        #expect(small.count == 1)
    }
    var exact = Buffer(capacity: length)
    #expect(try append(&exact))
    #expect(exact.count == length)
    return text
}
