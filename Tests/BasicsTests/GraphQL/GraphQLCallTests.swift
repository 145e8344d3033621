import GraphQL
import JSON
import Testing

/// Which operations requests ask for, and the errors of their responses.
@Suite struct GraphQLCallTests {
    private static let upload = """
        --b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"query":"mutation Up($f: Upload!) { up(f: $f) }",\
        "variables":{"f":null}}\r\n--b\r\nContent-Disposition: form-data; name="map"\r\n\r\n{"0":["variables.f"]}\r\n--b--
        """

    @Test(
        arguments: [
            ("application/json", #"{"query":"{ a }"}"#, "", "query"),
            ("application/json", #"{"query":"query Cart { a }"}"#, "", "query Cart"),
            ("application/json", #"{"operationName":"B","query":"query A{a} mutation B{b}"}"#, "", "mutation B"),
            ("application/json", #"{"query":"query A{a} query B{b}"}"#, "", "query"),
            ("application/json", #"{"operationName":"C","query":"query A{a} mutation B{b}"}"#, "", "C"),
            ("application/json", #"[{"query":"query A{a}"},{"query":"mutation B{b}"}]"#, "", "query A, mutation B"),
            ("application/json", #"[{"query":"query A{a}"},{"no":1}]"#, "", nil),
            ("application/json", #"{"query":"shoes"}"#, "", nil),
            ("application/json", #"{"query":{"match":1}}"#, "", nil),
            ("application/json", #"{"query":"query A{a}""#, "", nil), ("application/json", "[]", "", nil),
            ("application/json", #"{"operationName":"A","extensions":{"persistedQuery":{"sha256Hash":"f"}}}"#, "", "A"),
            ("application/json", #"{"documentId":"f"}"#, "", nil),
            ("application/json", #"{"operationName":"A"}"#, "", nil),
            ("application/graphql", "subscription S { s }", "", "subscription S"),
            ("application/graphql", "query A{a} query B{b}", "operationName=B", "query B"),
            ("application/x-www-form-urlencoded", "x=1&query=query+A+%7Ba%7D", "", "query A"),
            ("multipart/form-data", upload, "", "mutation Up"),
            ("multipart/form-data", upload.replacing("operations", with: "other"), "", nil),
            ("", "", "query=%7Ba%7D", "query"), ("", "", "a=1&query=query+Q%7Ba%7D&operationName=Q", "query Q"),
            ("", "", "query=shoes", nil), ("", "", "q=1", nil),
            ("", "", #"extensions=%7B%22persistedQuery%22%3A%7B%22sha256Hash%22%3A%22f%22%7D%7D&operationName=P"#, "P"),
        ] as [(String, String, String, String?)])
    func `operations are named wherever they stand`(type: String, body: String, query: String, named: String?) {
        let calls = GraphQLCall.all(body: Array(body.utf8)[...], type: type, query: Array(query.utf8)[...])
        #expect(GraphQLOperation.text(of: calls.map(\.operation.label)) == named, "\(body) \(query)")
    }

    @Test func `many operations and long names are named in part`() {
        let labels = (0..<20).map { "query Q\($0)" + String(repeating: "x", count: 500) }
        let text = GraphQLOperation.text(of: labels) ?? ""
        #expect(text.hasSuffix(" and 12 more") && text.count < 1100)
    }

    @Test(
        arguments: [
            (#"{"type":"subscribe","id":"1","payload":{"query":"subscription S { s }"}}"#, "subscription S"),
            (#"{"id":"1","type":"start","payload":{"operationName":"B","query":"query A{a} query B{b}"}}"#, "query B"),
            (#"{"type":"connection_init","payload":{"query":"{ a }"}}"#, nil), (#"{"query":"{ a }"}"#, nil),
        ] as [(String, String?)])
    func `a message that subscribes is a call`(message: String, named: String?) {
        #expect(GraphQLCall(message: Array(message.utf8)[...])?.operation.label == named)
    }

    @Test(
        arguments: [
            (#"{"data":{"errors":[1]}}"#, 0), (#"{"errors":[{"message":"a"},{"message":"b"}],"data":null}"#, 2),
            (#"[{"data":1},{"errors":[1]},{"errors":[1]}]"#, 2), (#"{"errors":null}"#, 0), (#"{"errors":"x"}"#, 0),
            ("<p>", nil), ("", nil), (#"{"errors":["#, nil), (#"{"\u0065rrors":[1]}"#, 0),
        ] as [(String, Int?)])
    func `errors of a body are counted`(body: String, count: Int?) {
        #expect(GraphQLErrors.count(in: Array(body.utf8)[...]) == count, "\(body)")
    }

    @Test(
        arguments: [
            (#"{"type":"next","id":"1","payload":{"data":null,"errors":[{}]}}"#, 1),
            (#"{"type":"next","id":"1","payload":{"data":{}}}"#, 0), (#"{"type":"error","payload":[{},{}]}"#, 2),
            (#"{"type":"error","payload":{"message":"no"}}"#, 1), (#"{"errors":[{}]}"#, 1),
        ] as [(String, Int)])
    func `errors of a message are counted`(message: String, count: Int) {
        #expect(GraphQLErrors.count(inMessage: Array(message.utf8)[...]) == count, "\(message)")
    }
}
