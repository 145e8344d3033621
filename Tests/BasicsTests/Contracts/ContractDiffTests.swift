import Contracts
import JSON
import Platform
import Testing

private func contract(_ text: String) throws -> APIContract {
    let sources = ContractSources { _ throws(FileFailure) in Array(text.utf8) }
    return try APIContract("/contract/api.yaml", name: "api.yaml", sources: sources)
}

/// An operation as YAML in braces.
private func document(_ operation: String, path: String = "/a/{id}", method: String = "post") throws -> APIContract {
    try contract("openapi: 3.1.0\npaths:\n  \(path):\n    \(method): {\(operation)}\n")
}

private func request(_ schema: String, _ more: String = "") -> String {
    "requestBody: {\(more) content: {application/json: {schema: {\(schema)}}}}"
}

private func response(_ schema: String, _ status: Int = 200) -> String {
    "responses: {\(status): {content: {application/json: {schema: {\(schema)}}}}}"
}

/// The old operation, the new one, and what breaks; nothing where nothing does.
private let rows: [(String, String, [String])] = [
    (request("type: object"), request("type: object"), []),
    (request("type: object"), request("type: object", "required: true,"), ["the request body is required now"]),
    (request("properties: {a: {type: integer}}"), request("properties: {a: {type: number}}"), []),
    (
        request("properties: {a: {type: number}}"), request("properties: {a: {type: integer}}"),
        ["the request body $.a may not be number any more"]
    ),
    (request("type: object"), request("type: object, required: [a]"), ["the request body $.a is required now"]),
    (request("enum: [a, b]"), request("enum: [a]"), [#"the request body $ may not be "b" any more"#]),
    (request("enum: [a]"), request("enum: [a, b]"), []), (request("maximum: 3"), request("maximum: 4"), []),
    (request("maximum: 4"), request("maximum: 3"), ["the request body $ has a narrower maximum now"]),
    (
        request("properties: {a: true}"), request("properties: {b: true}, additionalProperties: false"),
        ["the request body $.a may not be there any more"]
    ),
    (response("properties: {a: {type: integer}}"), response("properties: {a: {type: integer}, b: true}"), []),
    (response("properties: {a: true}"), response("properties: {b: true}"), ["the response 200 $.a is gone"]),
    (
        response("required: [a], properties: {a: true}"), response("properties: {a: true}"),
        ["the response 200 $.a may be missing now"]
    ),
    (response("type: integer"), response("type: [integer, 'null']"), ["the response 200 $ may be null now"]),
    (response("enum: [a]"), response("enum: [a, b]"), [#"the response 200 $ may be "b" now"#]),
    (
        response("type: array, items: {type: string}"), response("type: array, items: {type: integer}"),
        ["the response 200 $[*] may be integer now"]
    ),
    (response("type: object"), response("type: object", 201), ["the response 200 is gone"]),
    (
        "parameters: [{name: q, in: query}]",
        "parameters: [{name: q, in: query, required: true}, {name: r, in: header, required: true}]",
        ["the query parameter q is required now", "the header parameter r is new and required"]
    ),
    ("parameters: [{name: q, in: query}]", "parameters: []", ["the query parameter q is gone"]),
]

@Suite struct ContractDiffTests {
    @Test(arguments: rows) func `changes that break clients are named`(old: String, new: String, changes: [String])
        throws
    {
        let found = ContractDiff.breakingChanges(from: try document(old), to: try document(new))
        #expect(found.map { "\($0.part) \($0.message)" } == changes)
        #expect(found.allSatisfy { $0.operation == "POST /a/{id}" && $0.place.line == 4 })
    }

    @Test func `a path that is gone is named, one with another name in it is the same`() throws {
        let old = try document("responses: {}")
        #expect(ContractDiff.breakingChanges(from: old, to: try document("responses: {}", path: "/a/{key}")) == [])
        let gone = ContractDiff.breakingChanges(from: old, to: try document("responses: {}", path: "/b/{id}"))
        #expect(gone.map(\.text) == ["POST /a/{id}: the path is gone"])
        let method = ContractDiff.breakingChanges(from: old, to: try document("responses: {}", method: "get"))
        #expect(method.map(\.text) == ["POST /a/{id}: the method is gone"])
    }

    @Test func `schemas that refer to themselves are compared`() throws {
        func tree(_ kind: String) throws -> APIContract {
            try contract(
                """
                openapi: 3.1.0
                paths:
                  /a: {get: {responses: {200: {content: {application/json: {schema: {$ref: '#/components/schemas/T'}}}}}}}
                components: {schemas: {T: {properties: {next: {$ref: '#/components/schemas/T'}, value: {type: \(kind)}}}}}
                """)
        }
        #expect(
            ContractDiff.breakingChanges(from: try tree("integer"), to: try tree("string")).map(\.part)
                == ["the response 200 $.value"])
    }
}

@Suite struct ContractMockTests {
    private static let shop = """
        openapi: 3.1.0
        servers: [{url: https://shop.test/v1}]
        paths:
          /items/{id}:
            get:
              responses:
                '200':
                  content:
                    application/json:
                      schema: {$ref: '#/components/schemas/Item'}
                      examples: {cheap: {value: {id: 1, name: pen}}, wrong: {value: {id: x}}}
                '404': {content: {application/problem+json: {schema: {properties: {title: {type: string}}}}}}
                5XX: {description: broken}
          /files/{name}.{ext}:
            get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Tree'}}}}}}
        components:
          schemas:
            Item: {type: object, required: [id, name], properties: {id: {type: integer}, name: {type: string}}}
            Tree:
              type: object
              required: [size, children]
              properties:
                size: {type: integer, minimum: 10, maximum: 20}
                at: {type: string, format: date-time}
                kind: {enum: [a, b]}
                key: {type: string, minLength: 12}
                secret: {type: string, writeOnly: true}
                children: {type: array, minItems: 0, maxItems: 2, items: {$ref: '#/components/schemas/Tree'}}
        """

    @Test func `each operation has its responses and examples`() throws {
        let mocks = try contract(Self.shop).mocks(seed: 1)
        #expect(
            mocks.map { "\($0.method) \($0.path) \($0.status) \($0.preference ?? "-")" } == [
                "GET /v1/items/{id} 200 -", "GET /v1/items/{id} 200 code=200", "GET /v1/items/{id} 200 example=cheap",
                "GET /v1/items/{id} 200 example=wrong", "GET /v1/items/{id} 404 code=404",
                "GET /v1/items/{id} 500 code=500",
                "GET /v1/files/* 200 -", "GET /v1/files/* 200 code=200",
            ])
        #expect(mocks[0].body == mocks[2].body && mocks[0].mediaType == "application/json" && mocks[5].body.isEmpty)
        // An example of the document's own that breaks its schema is told.
        #expect(mocks[3].problem?.hasPrefix("$ has no member name (api.yaml:16:") == false)
        #expect(mocks.map { $0.problem != nil } == [false, false, false, true, false, false, false, false])
    }

    @Test(arguments: 1...20) func `a value that is made fits its schema, and follows from the seed`(seed: Int) throws {
        let contract = try contract(Self.shop)
        let mocks = contract.mocks(seed: UInt64(seed))
        #expect(mocks[6].problem == nil && mocks[6].body == contract.mocks(seed: UInt64(seed))[6].body)
        let tree = try JSONReader.read(mocks[6].body)
        #expect(tree["secret"] == nil && tree["at"] != nil && tree["children"]?.array?.isEmpty == false)
    }
}
