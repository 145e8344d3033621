import Filter

/// An exchange for filters to look at.
struct Subject: FilterSubject {
    var id: Int64 = 1
    var startedAt: Int64 = 1_000_000_000_000_000
    var duration: Int64? = 20_000
    var clientAddress = "127.0.0.1"
    var clientPort = 50_000
    var app: String? = "python3 tests.py"
    var session: String? = "7c0ffee1"
    var operation: String?
    var graphQLErrors: Int?
    var grpcStatus: Int?
    var method = "GET"
    var url = "https://api.shop.test/v1/cart?q=1&r=2"
    var host = "api.shop.test"
    var status: Int? = 200
    var requestType: String?
    var responseType: String? = "application/json"
    var profile: String? = "staging"
    var route: String? = "api.shop.test/v1/*"
    var responder: String? = "origin"
    var origin: String? = "https://stage.shop.test:8443"
    var originAddress: String? = "10.0.0.7:8443"
    var trust: String? = "default"
    var changes: [String] = []
    var differsFromContract = false
    var error: String?
    var requestHeads = ["GET /v1/cart HTTP/1.1\r\nHost: api.shop.test\r\nX-Trace:  abc \r\n\r\n"]
    var responseHeads = ["HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nServer: nginx\r\n\r\n"]
    var requestBody: [String] = []
    var responseBody = [#"{"items":[{"na"#, #"me":"te"#, "a\"}]}\n"]
    var sentMessages: [String] = []
    var receivedMessages: [String] = []

    func heads(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) {
        Self.show(side == .request ? requestHeads : responseHeads, to: visit)
    }

    func body(of side: FilterSide, atOrigin: Bool, visit: (UnsafeRawBufferPointer) -> Bool) {
        Self.show(atOrigin ? [] : side == .request ? requestBody : responseBody, to: visit)
    }

    func messages(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) {
        Self.show(side == .request ? sentMessages : receivedMessages, to: visit)
    }

    private static func show(_ texts: [String], to visit: (UnsafeRawBufferPointer) -> Bool) {
        for text in texts {
            guard Array(text.utf8).withUnsafeBytes(visit) else { return }
        }
    }

    /// A change of the usual one.
    static func with(_ change: (inout Subject) -> Void) -> Subject {
        var subject = Subject()
        change(&subject)
        return subject
    }

    /// With these texts everywhere, and numbers to go with them.
    static func random(id: Int64, using random: inout some RandomNumberGenerator) -> Subject {
        let texts = [
            "a", "A", "ab", "b.a", "api.shop.test", "x-api.shop.test", "shop", "%", "_", "a%b", "ä", "Ä.test", "",
            "::1",
            "image/png", "text/css", "font/", "application/json", "10.0.0.1:80", "https://ab:443", "a'b", "a\"b", "\\",
        ]
        return Subject.with {
            $0.id = id
            $0.startedAt = .random(in: 0...20_000_000, using: &random)
            $0.duration = Bool.random(using: &random) ? nil : .random(in: 0...2_000_000, using: &random)
            $0.clientPort = .random(in: 0...99, using: &random)
            $0.status = Bool.random(using: &random) ? nil : [101, 200, 204, 404, 500].randomElement(using: &random)
            for path in [\Subject.clientAddress, \.method, \.url, \.host] {
                $0[keyPath: path] = texts.randomElement(using: &random) ?? ""
            }
            $0.host = String(decoding: $0.host.utf8.map { 65...90 ~= $0 ? $0 | 32 : $0 }, as: UTF8.self)
            let optional = [
                \Subject.requestType, \.responseType, \.profile, \.route, \.origin, \.originAddress, \.trust, \.error,
                \.app, \.session, \.operation,
            ]
            for path in optional {
                $0[keyPath: path] = Bool.random(using: &random) ? nil : texts.randomElement(using: &random)
            }
            for path in [\Subject.requestType, \.responseType] { $0[keyPath: path] = $0[keyPath: path]?.lowercased() }
            $0.graphQLErrors = [nil, 0, 1].randomElement(using: &random) ?? nil
            $0.responder = [nil, "origin", "mock"].randomElement(using: &random) ?? nil
            $0.differsFromContract = Bool.random(using: &random)
            $0.responseBody = [texts.randomElement(using: &random) ?? ""]
        }
    }
}

/// The same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
