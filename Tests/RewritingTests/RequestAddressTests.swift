import Rewriting
import Testing

/// Fields of requests that name addresses; `nil` for what stays byte for byte.
@Suite struct RequestAddressTests {
    private static let plain = Ends(
        "https://o.test:8443/base m.shop.test=https://m.example ::1=https://six.example", "http://c.test:4884")
    private static let secure = Ends("http://[::1]:3000 m.shop.test=https://m.example", "https://C.test.")
    private static let labelled = Ends(
        "https://o.test m.shop.test=https://m.example:8443/m", "https://staging--api.shop.test:4884")

    @Test(arguments: [
        ("http://c.test:4884", "https://o.test:8443"),
        ("HTTP://C.TEST.:4884", "https://o.test:8443"),
        ("http://m.shop.test:4884", "https://m.example"),
        ("http://[::1]:4884", "https://six.example"),
        ("https://c.test:4884", nil),
        ("ws://c.test:4884", nil),
        ("http://c.test", nil),
        ("http://c.test:80", nil),
        ("http://m.shop.test", nil),
        ("http://o.test:8443", nil),
        ("http://c.test:4884/", nil),
        ("http://c.test:4884 http://c.test:4884", nil),
        ("//c.test:4884", nil),
        ("null", nil),
        ("", nil),
    ])
    func `Origin`(value: String, expected: String?) throws {
        try Self.check("Origin", value, expected, .origin, Self.plain)
    }

    @Test(arguments: [
        ("https://c.test", "http://[::1]:3000"),
        ("https://c.test:443", "http://[::1]:3000"),
        ("https://m.shop.test", "https://m.example"),
        ("https://c.test:80", nil),
        ("http://c.test", nil),
    ])
    func `Origin with the scheme's own port`(value: String, expected: String?) throws {
        try Self.check("Origin", value, expected, .origin, Self.secure)
    }

    @Test(arguments: [
        ("https://staging--api.shop.test:4884", "https://o.test"),
        ("https://Staging--m.shop.test:4884", "https://m.example:8443"),
        ("https://m.shop.test:4884", nil),
        ("https://api.shop.test:4884", nil),
        ("https://other--m.shop.test:4884", nil),
        ("https://staging--:4884", nil),
        ("https://stag:4884", nil),
    ])
    func `Origin with the label of an environment`(value: String, expected: String?) throws {
        try Self.check("Origin", value, expected, .origin, Self.labelled)
    }

    @Test(arguments: [
        ("http://c.test:4884/cart?x=http://c.test:4884", "https://o.test:8443/base/cart?x=https://o.test:8443/base"),
        ("http://c.test:4884", "https://o.test:8443/base"),
        ("http://c.test:4884?x", "https://o.test:8443/base?x"),
        ("http://m.shop.test:4884/x", "https://m.example/x"),
        ("http://c.test:4884.evil.test/", nil),
        ("http://c.test:4884@evil.test/", nil),
        ("http://evil.test/?http://c.test:4884", nil),
        ("http://user@c.test:4884/", nil),
        ("/cart", nil),
        ("about:blank", nil),
    ])
    func `Referer`(value: String, expected: String?) throws {
        try Self.check("Referer", value, expected, .referer, Self.plain)
    }

    @Test(arguments: [
        ("http://c.test:4884/b.txt", "https://o.test:8443/base/b.txt"),
        ("/b.txt", "/base/b.txt"),
        ("/", "/base/"),
        ("//c.test:4884/b.txt", nil),
        ("//evil\\/b.txt", nil),
        ("b.txt", nil),
        ("http://evil.test/b.txt", nil),
    ])
    func `Destination`(value: String, expected: String?) throws {
        try Self.check("Destination", value, expected, .destination, Self.plain)
    }

    @Test func `a path as Destination stays where there is no base path`() throws {
        try Self.check("Destination", "/b.txt", nil, .destination, Self.secure)
    }

    @Test(arguments: ["Origin", "Referer", "Destination", "X-Origin"])
    func `without addresses nothing changes`(name: String) throws {
        let line = Array("\(name): http://c.test:4884".utf8)
        let rules = Self.plain.rules { $0.addresses = nil }
        #expect(try rules.request(line, Self.plain) == Rewritten(line: line, changes: []))
    }

    private static func check(
        _ name: String, _ value: String, _ expected: String?, _ change: RewriteChanges, _ ends: Ends
    ) throws {
        let result = try ends.rules.request(Array("\(name): \(value)".utf8), ends)
        let line = result.line.map { String(decoding: $0, as: UTF8.self) }
        #expect(line == "\(name): \(expected ?? value)")
        #expect(result.changes == (expected == nil ? [] : change))
    }
}
