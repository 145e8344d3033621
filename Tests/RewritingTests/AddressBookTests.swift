import Bytes
import Rewriting
import Testing

/// Maps of one profile share a book; each of them must find what a map with a book of its own would.
@Suite struct AddressBookTests {
    private static let origins = [
        "https://a.test", "https://a.test/base", "http://a.test", "https://a.test:8443", "https://a.tes",
        "https://a.test.b", "http://[2001:db8::1]:3000", "http://[2001:db8::1]", "https://b.test/x",
        "http://127.0.0.1:80",
    ].map { OriginName($0) }
    private static let hosts: [(host: String, origin: OriginName)] = [
        ("api.shop.test", origins[0]), ("img.shop.test", origins[1]), ("api.shop.test", origins[2]),
        ("::1", origins[6]), ("shop.test", origins[5]), ("x.shop.test", origins[4]),
    ]
    private static let urls =
        ["https", "http", "wss", ""].flatMap { scheme in
            [
                "a.test", "A.Test", "a.test.", "a.test.b", "a.tes", "a.te", "a.testx", "[2001:db8::1]", "2001:db8::1",
                "[2001:db8::1]x", "b.test", "127.0.0.1", "c.test", "api.shop.test", "shop.test", "[::1]", "::1",
            ].flatMap { host in
                ["", ":80", ":443", ":8443", ":3000", ":"].flatMap { port in
                    ["", "/", "/base", "/base/x", "/basement", "/x/../y", "?q"].map { rest in
                        (scheme.isEmpty ? "" : scheme + ":") + "//" + host + port + rest
                    }
                }
            }
        }

    @Test(arguments: origins.indices)
    func `a map finds the same in a shared book as in its own`(number: Int) {
        let own = Self.origins[number]
        let maps = (
            AddressMap(own: own, in: AddressBook(origins: Self.origins, hosts: Self.hosts)),
            AddressMap(own: own, others: Self.hosts)
        )
        var wrong: [String] = []
        for url in Self.urls {
            for form in [AddressMap.Form.url, .reference, .origin] {
                for toOrigin in [false, true]
                where Self.result(url, form, maps.0, toOrigin) != Self.result(url, form, maps.1, toOrigin) {
                    wrong.append("\(url) \(form)")
                }
            }
        }
        #expect(wrong == [])
    }

    @Test func `no URL names an origin that the book does not have`() {
        let map = AddressMap(own: OriginName("https://other.test"), in: AddressBook(origins: [], hosts: Self.hosts))
        #expect(Self.result("https://other.test/x", .url, map, false) == nil)
        #expect(Self.result("https://a.test/x", .url, map, false) == "https://api.shop.test/x")
    }

    @Test func `of thousands of hosts each is found`() {
        let hosts = (0..<4_000).map { (host: "h\($0).shop.test", origin: OriginName("https://o\($0).test")) }
        let book = AddressBook(origins: hosts.map(\.origin), hosts: hosts)
        let map = AddressMap(own: hosts[7].origin, in: book)
        for number in stride(from: 0, to: 4_000, by: 37) {
            let there = number == 7 ? "client.test" : "h\(number).shop.test"
            #expect(Self.result("https://o\(number).test/a", .url, map, false) == "https://\(there)/a")
            #expect(Self.result("https://h\(number).shop.test/a", .url, map, true) == "https://o\(number).test/a")
        }
        #expect(Self.result("https://o4000.test/a", .url, map, false) == nil)
    }

    private static func result(_ url: String, _ form: AddressMap.Form, _ map: AddressMap, _ toOrigin: Bool) -> String? {
        let (bytes, authority) = (Array(url.utf8), Array("client.test".utf8))
        let client = ClientName(isSecure: true, hostLength: authority.count)
        var out = Buffer(capacity: 512)
        let outcome =
            toOrigin
            ? map.appendForOrigin(
                form, 0..<bytes.count, of: bytes.span, authority: authority.span, client: client, to: &out)
            : map.appendForClient(
                form, 0..<bytes.count, of: bytes.span, authority: authority.span, client: client, to: &out)
        return outcome == .appended ? String(decoding: out.unsafeBytes, as: UTF8.self) : nil
    }
}
