import Redaction
import Store
import Testing

/// Rules beyond those that Shunt has by itself.
@Suite struct RedactionRuleTests {
    private static let rules = RedactionRules(
        fields: ["X-Device-Id", "X-ACME-*"], parameters: ["shop-no"],
        members: ["pin2", "card.number", "a.b.c", "list.item.id"], kept: ["Authorization", "api_key", "Cookie"])
    private static let key = Array("a key of this store".utf8)
    private static let ruled = Redactor(key: key, rules: rules)

    @Test(arguments: [
        ("X-Device-Id: 4711", "X-Device-Id: <redacted:x-device-id:#>"),
        ("x-acme-one: 4711", "x-acme-one: <redacted:x-acme-one:#>"),
        ("Authorization: Bearer abcdefghijkl1", "Authorization: Bearer abcdefghijkl1"),
        ("Cookie: session=1", "Cookie: session=1"),
        ("Set-Cookie: session=1", "Set-Cookie: session=<redacted:session:#>"),
        // A member's name is none of a field, and the other way round.
        ("pin2: 1", "pin2: 1"), ("shop-no: 1", "shop-no: 1"),
        ("X-Api-Key: 1", "X-Api-Key: <redacted:x-api-key:#>"),
    ])
    func `fields are replaced and kept`(line: String, expected: String) {
        #expect(shortened(Self.ruled.redact(fields: Array("\(line)\r\n".utf8))) == "\(expected)\r\n")
    }

    @Test(arguments: [
        ("/?shop-no=1&x=2", "/?shop-no=%3Credacted:shop-no:#%3E&x=2"),
        ("/?SHOP-NO=1", "/?SHOP-NO=%3Credacted:shop-no:#%3E"),
        ("/?X-Device-Id=1&pin2=2", "/?X-Device-Id=1&pin2=2"), ("/?api_key=1", "/?api_key=1"),
        ("/?token=1", "/?token=%3Credacted:token:#%3E"),
    ])
    func `parameters are replaced and kept`(url: String, expected: String) {
        #expect(shortened(Self.ruled.redact(url: url)) == expected)
    }

    @Test(arguments: [
        (#"{"pin2":"1","x":{"pin2":"2"}}"#, #"{"pin2":"<redacted:pin2:#>","x":{"pin2":"<redacted:pin2:#>"}}"#),
        (
            #"{"card":{"number":"42","name":"n"},"number":7}"#,
            #"{"card":{"number":"<redacted:number:#>","name":"n"},"number":7}"#
        ),
        (
            #"{"x":[{"CARD" : { "exp":1, "Number" : "42"}}]}"#,
            #"{"x":[{"CARD" : { "exp":1, "Number" : "<redacted:number:#>"}}]}"#
        ),
        (
            #"{"card":[{"number":"1"},[{"number":"2"}]]}"#,
            #"{"card":[{"number":"<redacted:number:#>"},[{"number":"<redacted:number:#>"}]]}"#
        ),
        (#"{"card":{"old":{"number":"1"}}}"#, #"{"card":{"old":{"number":"1"}}}"#),
        (#"{"card":"x","number":"1"}"#, #"{"card":"x","number":"1"}"#),
        // Of what begins in the middle nobody knows what it stands in.
        (#""number":"1"}"#, #""number":"1"}"#),
        (#"{"card":{},"number":"1"}"#, #"{"card":{},"number":"1"}"#),
        (
            #"{"card":{"token":{"data":["1"]},"number":"1"},"number":"2"}"#,
            #"{"card":{"token":{"data":["<redacted:token:#>"]},"number":"<redacted:number:#>"},"number":"2"}"#
        ),
        (
            #"{"card":{"token":"a","x":"}","number":"1"}}"#,
            #"{"card":{"token":"<redacted:token:#>","x":"}","number":"<redacted:number:#>"}}"#
        ),
        (#"{"a":{"b":{"c":"1"}},"b":{"c":"2"}}"#, #"{"a":{"b":{"c":"<redacted:c:#>"}},"b":{"c":"2"}}"#),
        (#"{"z":{"a":{"b":{"c":"1"}}}}"#, #"{"z":{"a":{"b":{"c":"<redacted:c:#>"}}}}"#),
        (#"[{"list":[{"item":{"id":"1"}}]}]"#, #"[{"list":[{"item":{"id":"<redacted:id:#>"}}]}]"#),
        (#"{"c\u0061rd":{"n\u0075mber":"1"}}"#, #"{"c\u0061rd":{"n\u0075mber":"<redacted:number:#>"}}"#),
        // JSON in a string: where it stands is not known, so the last name decides.
        (#"{"s":"{\"number\":\"1\"}"}"#, #"{"s":"{\"number\":\"<redacted:number:#>\"}"}"#),
        // The lines of a stream begin anew, whatever the one before was.
        (
            "{\"card\": \"broken\n{\"card\":{\"number\":\"1\"}}\n",
            "{\"card\": \"broken\n{\"card\":{\"number\":\"<redacted:number:#>\"}}\n"
        ),
        ("data: {\"card\":{\"number\":\"1\"}}\n\n", "data: {\"card\":{\"number\":\"<redacted:number:#>\"}}\n\n"),
        (#"{"authorization":1,"api_key":2}"#, #"{"authorization":1,"api_key":2}"#),
    ])
    func `members are replaced by where they stand`(body: String, expected: String) {
        for size in [Int.max, 1, 2, 3, 7] {
            let text = redact(body, as: "application/json", by: Self.ruled, piece: size)
            #expect(shortened(text) == expected, "by \(size)")
        }
    }

    @Test func `the store has the rules of each exchange's profile, and remembers none for another one`() throws {
        let one = ProfileRedaction(RedactionRules(fields: ["X-One"], members: ["card.number"]))
        let two = ProfileRedaction(RedactionRules(fields: ["X-Two"], kept: ["X-Api-Key"]))
        let head = Array("GET / HTTP/1.1\r\nX-One: 1\r\nX-Two: 2\r\nX-Api-Key: 3\r\nX-Base: 4\r\n\r\n".utf8)
        let type = Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n".utf8)
        let body = Array(#"{"card":{"number":"5"}}"#.utf8)
        let plans = [one, two, nil, one, two, nil, one, two, nil, ProfileRedaction(two.rules)]
        let reader = try StoreBench().recorded(
            plans.enumerated().map { at, plan in
                var piece = Pieces.whole(
                    UInt64(at + 1), Pieces.exchange(),
                    [(.clientRequest, head), (.originResponse, type), (.responseBody, body)])
                piece.redaction = plan
                return piece
            }
        ) { $0.redact(RedactionRules(names: ["X-Base"])) }
        for (at, plan) in plans.enumerated() {
            let record = try #require(try reader.record(Int64(at + 1)))
            let text = String(decoding: try #require(record.clientRequest), as: UTF8.self)
            let isTwo = plan?.rules == two.rules
            #expect(text.contains("X-One: 1") != (plan === one))
            #expect(text.contains("X-Two: 2") != isTwo)
            #expect(text.contains("X-Api-Key: 3") == isTwo)
            #expect(!text.contains("X-Base: 4"))
            let kept = String(decoding: try reader.whole(Int64(at + 1), .response).bytes, as: UTF8.self)
            #expect(kept.contains(#""5""#) != (plan === one))
        }
    }
}
