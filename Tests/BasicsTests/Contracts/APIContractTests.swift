import Contracts
import JSON
import Platform
import Testing

/// A document of OpenAPI in YAML, with files beside it.
private func contract(_ text: String, files: [String: String] = [:]) throws -> APIContract {
    let sources = ContractSources { path throws(FileFailure) in
        guard let text = Path.name(of: path) == "api.yaml" ? text : files[Path.name(of: path)] else {
            throw FileFailure(path, "read", code: ENOENT)
        }
        return Array(text.utf8)
    }
    return try APIContract("/contract/api.yaml", name: "api.yaml", sources: sources)
}

private let shop = """
    openapi: 3.0.3
    info: {title: Shop, version: '1'}
    servers: [{url: 'https://{env}.shop.test/v1', variables: {env: {default: api}}}]
    paths:
      /items:
        parameters:
          - {name: trace, in: header, schema: {type: integer}}
        get:
          parameters:
            - {name: limit, in: query, schema: {type: integer, maximum: 100}}
            - {name: tags, in: query, explode: false, schema: {type: array, items: {enum: [a, b]}}}
            - {name: ids, in: query, schema: {type: array, items: {type: integer}}}
            - {name: filter, in: query, style: deepObject, schema: {type: object, properties: {size: {type: integer}}}}
            - {name: session, in: cookie, schema: {type: string, minLength: 3}}
            - {name: key, in: query, required: true, schema: {type: string}}
          responses:
            '200':
              description: all
              headers: {X-Total: {required: true, schema: {type: integer}}}
              content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Item'}}}}
            4XX: {$ref: 'common.yaml#/responses/Problem'}
        post:
          requestBody:
            required: true
            content:
              application/json: {schema: {$ref: '#/components/schemas/Item'}}
              application/x-www-form-urlencoded: {schema: {$ref: '#/components/schemas/Item'}}
          responses: {default: {description: any}}
      /items/{id}:
        get:
          parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
          responses: {'200': {description: one, content: {'*/*': {}}}}
      /items/latest:
        get: {responses: {'204': {description: none}}}
      /files/{name}.{ext}:
        get:
          parameters:
            - {name: name, in: path, required: true, schema: {type: string}}
            - {name: ext, in: path, required: true, schema: {enum: [png, jpg]}}
          responses: {'200': {description: one}}
    components:
      schemas:
        Item:
          type: object
          required: [id, name]
          additionalProperties: false
          properties:
            id: {type: integer, readOnly: true}
            name: {type: string, nullable: true}
            price: {type: number, minimum: 0, exclusiveMinimum: true}
    """
private let common = """
    responses:
      Problem:
        description: wrong
        content: {application/problem+json: {schema: {required: [title]}}}
    """

/// A request, its fields and body, the response's status, fields and body, and what is wrong.
private struct Row: CustomTestStringConvertible {
    var request: String
    var fields: [String: String] = [:]
    var body = ""
    var status: Int? = 200
    var responseFields = ["Content-Type": "application/json", "X-Total": "1"]
    var responseBody = "[]"
    var wrong: [String] = []
    var testDescription: String { "\(request) \(body) \(status ?? 0) \(responseBody)" }
}

private let json = ["Content-Type": "application/json; charset=utf-8"]
private let rows: [Row] = [
    Row(request: "GET /v1/items?key=k&limit=10&tags=a,b&ids=1&ids=2&filter[size]=3"),
    Row(request: "GET /v1/items?key=k", responseBody: #"[{"id":1,"name":null,"price":0.5}]"#),
    Row(
        request: "GET /v1/items?key=k", responseBody: #"[{"id":1,"name":"x","price":0}]"#,
        wrong: [
            "the response body $[0].price is 0, not above 0 | api.yaml:50:61 /components/schemas/Item/properties/price/exclusiveMinimum"
        ]
    ),
    Row(
        request: "GET /v1/items",
        wrong: ["the query parameter key is missing | api.yaml:15:11 /paths/~1items/get/parameters/5"]),
    Row(
        request: "GET /v1/items?key=k&limit=101&sort=up",
        wrong: [
            "the query parameter limit is 101, above 100 | api.yaml:10:69 /paths/~1items/get/parameters/0/schema/maximum",
            "the query parameter sort is not documented | api.yaml:8:5 /paths/~1items/get",
        ]),
    Row(request: "GET /v1/items?key=k&limit=ten", wrong: [#"the query parameter limit is "ten", not integer"#]),
    Row(
        request: "GET /v1/items?key=k&tags=a,c", wrong: [#"the query parameter tags $[1] is "c", not one of "a", "b""#]),
    Row(request: "GET /v1/items?key=k&ids=1&ids=x", wrong: [#"the query parameter ids $[1] is "x", not integer"#]),
    Row(
        request: "GET /v1/items?key=k&filter[size]=x",
        wrong: [#"the query parameter filter $.size is "x", not integer"#]),
    Row(
        request: "GET /v1/items?key=k", fields: ["trace": "x"],
        wrong: [#"the header parameter trace is "x", not integer"#]),
    Row(
        request: "GET /v1/items?key=k", fields: ["Cookie": "a=b; session=xy"],
        wrong: ["the cookie parameter session has 2 characters, not 3"]),
    Row(
        request: "GET /v1/items?key=k", responseFields: json,
        wrong: [
            "the response field X-Total is missing | api.yaml:19:30 /paths/~1items/get/responses/200/headers/X-Total"
        ]),
    Row(
        request: "GET /v1/items?key=k", responseFields: ["Content-Type": "text/html", "X-Total": "1"],
        wrong: ["the response body has the media type text/html, not application/json"]),
    Row(request: "GET /v1/items?key=k", responseBody: "[", wrong: ["the response body is no JSON: 1:2"]),
    Row(
        request: "GET /v1/items?key=k", status: 404, responseFields: ["Content-Type": "application/problem+json"],
        responseBody: "{}",
        wrong: ["the response body $ has no member title | common.yaml:4:61 /responses/Problem/content/"]),
    Row(request: "GET /v1/items?key=k", status: 500, wrong: ["the status 500 is not documented, which has 200, 4XX"]),
    Row(request: "GET /v1/items?key=k", status: nil),
    Row(request: "GET /v1/items?key=k", status: 304, responseBody: ""),
    Row(request: "HEAD /v1/items?key=k", responseBody: ""),
    // A member that is only read need not be sent.
    Row(request: "POST /v1/items", fields: json, body: #"{"name":"x"}"#, responseBody: ""),
    Row(
        request: "POST /v1/items", fields: json, body: #"{"nam":"x"}"#, responseBody: "",
        wrong: ["the request body $.nam may not be there", "the request body $ has no member name"]),
    Row(
        request: "POST /v1/items", fields: ["Content-Type": "application/x-www-form-urlencoded"],
        body: "name=a+b&price=3",
        responseBody: ""),
    Row(request: "POST /v1/items", responseBody: "", wrong: ["the request body is missing"]),
    Row(
        request: "POST /v1/items", fields: json, body: #"{"name":"x"}"#, wrong: ["the response body is not documented"]),
    Row(request: "GET /v1/items/7", responseBody: "any"),
    Row(
        request: "GET /v1/items/seven", responseBody: "any", wrong: [#"the path parameter id is "seven", not integer"#]),
    Row(request: "GET /v1/items/latest", status: 204, responseBody: ""),
    Row(request: "GET /v1/files/a.b.png", responseBody: "", wrong: [#"the path parameter ext is "b.png", not one of"#]),
    Row(request: "GET /v1/files/a.png", responseBody: ""),
    Row(request: "GET /items?key=k", wrong: ["the path /items is not documented | api.yaml:5:3 /paths"]),
    Row(
        request: "DELETE /v1/items",
        wrong: ["the method DELETE is not documented for /items, which has GET, POST | api.yaml:5:3 /paths/~1items"]),
    Row(request: "OPTIONS /v1/items", fields: ["Access-Control-Request-Method": "GET"], status: 204, responseBody: ""),
    Row(request: "GET /v1/items?key=%3Credacted:key:0123456789%3E&limit=%3Credacted:limit:0123456789%3E"),
]

/// Documents that cannot be used, and what is wrong with them.
private let problems: [(String, String)] = [
    ("swagger: '2.0'\npaths: {}\n", #"api.yaml:1:10: there is no "openapi"; expected "openapi": "3.0.3" or "3.1.0""#),
    ("openapi: 3.2.0\n", #"api.yaml:1:10: "openapi" is 3.2.0"#),
    ("openapi: 3.0.0\npaths:\n  items: {}\n", "api.yaml:3:3: the path items is no template"),
    ("openapi: 3.0.0\npaths:\n  /a/{x: {}\n", "api.yaml:3:3: the path /a/{x is no template"),
    ("openapi: 3.0.0\npaths:\n  /a/{x}: {}\n  /a/{y}: {}\n", "api.yaml:4:3: the path /a/{y} is the same as /a/{x}"),
    ("openapi: 3.0.0\npaths:\n  /a:\n    got: {}\n", #"api.yaml:4:5: "got" is no method"#),
    ("openapi: 3.0.0\npaths:\n  /a:\n    get: {}\n", "api.yaml:4:5: GET /a has no responses"),
    ("openapi: 3.1.0\npaths:\n  /a:\n    get: {responses: {'20': {}}}\n", "api.yaml:4:23: 20 is no status"),
    ("openapi: 3.1.0\npaths:\n  /a: {$ref: '#/x'}\n", ##"api.yaml:3:14: "$ref" leads nowhere: #/x"##),
    ("openapi: 3.1.0\npaths:\n  /a: {$ref: '#/paths/~1a'}\n", #"api.yaml:3:7: "$ref" leads in circles"#),
    ("openapi: 3.1.0\npaths:\n  /a: {$ref: 'b.yaml#/x'}\n", "b.yaml: cannot be read: No such file"),
    (
        "openapi: 3.0.0\npaths: {}\ncomponents: {schemas: {A: {type: [string]}}}\n",
        #"api.yaml:3:34: a wrong "type" for OpenAPI 3.0"#
    ),
    ("openapi: 3.1.0\npaths:\n  /a:\n    parameters: [{in: query}]\n", #"api.yaml:4:18: a parameter without "name""#),
    (
        "openapi: 3.1.0\ncomponents: {schemas: {A: {properties: {b: {pattern: '(?=x)'}}}}}\n",
        "api.yaml:2:54: the pattern \"(?=x)\" cannot be used"
    ),
    (
        "openapi: 3.1.0\ncomponents:\n  schemas:\n    A:\n      type: objekt\n    B:\n      minimum: low\n",
        "api.yaml:7:16: \"minimum\" is a string; expected a number"
    ),
]

@Suite struct APIContractTests {
    @Test(arguments: rows) fileprivate func `an exchange is compared with its operation`(row: Row) throws {
        let contract = try contract(shop, files: ["common.yaml": common])
        let words = row.request.split(separator: " ").map(String.init)
        func message(_ fields: [String: String], _ body: String) -> ContractExchange.Message {
            ContractExchange.Message(
                fields: { name in fields.filter { $0.key.lowercased() == name.lowercased() }.map(\.value) },
                body: Array(body.utf8),
                isWhole: true)
        }
        let verdict = contract.check(
            ContractExchange(
                method: words[0], target: words[1], request: message(row.fields, row.body), status: row.status,
                response: message(row.responseFields, row.responseBody)), mask: "<redacted:")
        let found = verdict.failures.map { "\($0.text) | \($0.rule)" }
        #expect(found.count == row.wrong.count, "\(found)")
        for (one, wanted) in zip(found, row.wrong) {
            let parts = wanted.split(separator: " | ").map(String.init)
            #expect(one.hasPrefix(parts[0]) && (parts.count == 1 || one.contains(" | " + parts[1])), "\(one)")
        }
    }

    @Test(arguments: problems) func `a document that cannot be used is refused with its place`(
        text: String, problem: String
    ) {
        let error = #expect(throws: ContractProblems.self) { _ = try contract(text) }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test func `every problem of a document is told`() {
        let text = "openapi: 3.1.0\npaths:\n  a: {}\n  b: {}\ncomponents: {schemas: {A: {type: x}}}\n"
        let error = #expect(throws: ContractProblems.self) { _ = try contract(text) }
        #expect(error?.all.count == 3)
    }

    @Test func `OpenAPI 3_1 has draft 2020-12 with anchors`() throws {
        let contract = try contract(
            """
            openapi: 3.1.0
            paths:
              /a:
                get:
                  responses:
                    200: {content: {application/json: {schema: {$ref: '#thing'}}}}
            components:
              schemas:
                Thing: {$anchor: thing, type: [object, 'null'], unevaluatedProperties: false, allOf: [{properties: {a: true}}]}
            """)
        func failures(_ body: String) -> [String] {
            let message = ContractExchange.Message(
                fields: { $0 == "Content-Type" ? ["application/json"] : [] }, body: Array(body.utf8), isWhole: true)
            let none = ContractExchange.Message(fields: { _ in [] }, body: [], isWhole: true)
            return contract.check(
                ContractExchange(method: "GET", target: "/a", request: none, status: 200, response: message)
            ).failures.map(\.text)
        }
        #expect(failures("null") == [] && failures(#"{"a": 1}"#) == [])
        #expect(failures(#"{"b": 1}"#) == ["the response body $.b may not be there"])
    }

    @Test(arguments: [
        ("GET /a?b=1 HTTP/1.1\r\nHost: a\r\n\r\n", "/a?b=1"), (":method: GET\n:path: /a?b=1\nhost: a\n\n", "/a?b=1"),
        ("HTTP/1.1 200 OK\r\nHost:  a\t\r\n\r\n", nil), ("", nil),
    ])
    func `a head of either version has its target and fields`(head: String, target: String?) {
        let read = ContractHead(Array(head.utf8))
        #expect(read.target == target)
        #expect(read.values(named: "HOST") == (head.isEmpty ? [] : ["a"]) && read.values(named: "hos") == [])
    }

    @Test func `a path that a route has changed is that which the origin got`() throws {
        let contract = try contract(
            "openapi: 3.1.0\npaths: {/a: {get: {responses: {200: {}}}}, /b: {get: {responses: {201: {}}}}}\n")
        let none = ContractExchange.Message(ContractHead([]), body: [], isWhole: true)
        func failures(_ client: String, _ origin: String?) -> [String] {
            contract.check(
                ContractExchange(method: "GET", target: client, request: none, status: 200, response: none),
                orAt: origin
            ).failures.map(\.text)
        }
        #expect(failures("/x", "/a") == [] && failures("/a", "/b") == [])
        #expect(failures("/x", "https://a.test/b") == ["the status 200 is not documented, which has 201"])
        #expect(failures("/x", "/y") == ["the path /x is not documented"] && failures("/x", nil).count == 1)
    }

    @Test func `the document of Shunt's own interface can be used`() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let contract = try APIContract("/\(root)/docs/openapi.json", name: "openapi.json")
        #expect(contract.operations.count > 30)
        // Texts that fit a pattern are not made.
        let problems = contract.mocks(seed: 1).compactMap(\.problem)
        #expect(problems.allSatisfy { $0.contains("which does not match") }, "\(problems)")
    }
}
