import Profiles
import Testing

@Suite struct EnvironmentLabelTests {
    private func library() throws -> ProfileLibrary {
        let names = ["a", "a--b", "staging", "v1.2", "xn"]
        let route = "routes: [{host: 'staging--fixed.test', mock: {}}, {host: 'api.test', mock: {}}]"
        return try ProfileLibrary.load(
            files: names.map {
                (path: "Profiles/\($0).json", bytes: Array("{kind: 'local', \($0 == "a" ? route : "")}".utf8))
            })
    }

    @Test(
        arguments: [
            ("staging--api.test", "staging", "api.test"), ("STAGING--API.test", "staging", "API.test"),
            ("a--b--c.test", "a--b", "c.test"), ("a--c.test", "a", "c.test"), ("a--b.test", "a", "b.test"),
            ("v1.2--api.test", "v1.2", "api.test"), ("staging--localhost", "staging", "localhost"),
            ("staging--127.0.0.1", "staging", "127.0.0.1"),
            ("staging-api.test", nil, ""), ("staging--", nil, ""), ("--api.test", nil, ""), ("", nil, ""),
            ("-", nil, ""),
            ("--", nil, ""), ("staging---x", nil, ""), ("staging--.test", nil, ""), ("other--api.test", nil, ""),
            ("xstaging--api.test", nil, ""), ("api.staging--api.test", nil, ""), ("api.test", nil, ""),
            ("xn--bcher-kva.example", nil, ""), ("[::1]", nil, ""),
            // A route names it as it is.
            ("staging--fixed.test", nil, ""), ("Staging--Fixed.test.", nil, ""),
        ] as [(String, String?, String)])
    func `a host can name the environment in front`(host: String, profile: String?, rest: String) throws {
        let library = try library()
        let bytes = ContiguousArray(host.utf8)
        let label = library.environmentLabel(of: bytes.span)
        #expect(label.map { library.profiles[$0.profile].name } == profile)
        if let label { #expect(String(decoding: bytes.dropFirst(label.length), as: UTF8.self) == rest) }
    }

    @Test(
        arguments: [
            ("stagign--api.test", "Did you mean staging--api.test? There are: a, a--b, staging, v1.2"),
            ("STAGIGN--API.TEST", "Did you mean staging--api.test?"), ("nope--api.test", "There are: "),
            ("stagign--localhost", "Did you mean staging--localhost?"), ("nope--localhost", "There are: "),
            ("stagign--other.test", "Did you mean staging--other.test?"),
            // Hosts of their own: previews of a branch, a name that a route has, one in another script.
            ("nope--other.test", nil), ("stagign--shop.example", nil), ("branch--site.example", nil),
            ("staging--fixed.test", nil), ("staging--api.test", nil), ("xn--bcher-kva.test", nil), ("api.test", nil),
            ("api.stagign--api.test", nil), ("--api.test", nil), ("stagign--", nil), ("", nil),
        ] as [(String, String?)])
    func `a label that is nearly a profile's name is told from a host of its own`(host: String, advice: String?) throws
    {
        let found = try library().misspeltLabel(of: host, isOwn: { $0 == "localhost" })
        #expect((found?.advice.hasPrefix(advice ?? "-") ?? (advice == nil)), "\(found?.advice ?? "none")")
    }

    @Test func `no bytes make it crash`() throws {
        let library = try library()
        for _ in 0..<2000 {
            var bytes = ContiguousArray("staging--api.test".utf8)
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count)] = [0x2D, 0x2E, 0xFF, 0x00, 0x61].randomElement() ?? 0
            }
            let part = ContiguousArray(bytes.prefix(Int.random(in: 0...bytes.count)))
            if let label = library.environmentLabel(of: part.span) {
                #expect(label.length < part.count && library.profiles.indices.contains(label.profile))
            }
        }
        let long = ContiguousArray("staging--".utf8) + ContiguousArray(repeating: 0x61, count: 5000)
        #expect(library.environmentLabel(of: long.span)?.length == 9)
    }
}
