import Contracts
import Platform
import Testing

/// Bodies of other media types than JSON against schemas.
@Suite struct ContractBodyTests {
    private static let document = """
        openapi: 3.0.3
        paths:
          /a:
            post:
              requestBody:
                content:
                  application/x-www-form-urlencoded:
                    schema: {$ref: '#/components/schemas/Form'}
                    encoding:
                      ids: {style: form, explode: false}
                      range: {style: deepObject, explode: true}
                      note: {contentType: application/json}
                  multipart/form-data:
                    schema: {$ref: '#/components/schemas/Form'}
                    encoding:
                      photo: {contentType: 'image/png, image/*', headers: {X-Size: {schema: {type: integer}}}}
                      place: {headers: {X-Map: {required: true, schema: {enum: [a, b]}}, Content-Type: {required: true}}}
                  application/xml: {schema: {$ref: '#/components/schemas/Order'}}
                  application/shop+xml: {schema: {$ref: '#/components/schemas/Named'}}
                  application/soap+xml: {schema: {type: object}}
                  text/plain: {schema: {type: integer}}
                  text/csv: {schema: {type: array, items: {type: string}}}
                  application/cbor: {schema: {type: object}}
                  application/octet-stream: {schema: {type: string, format: binary, maxLength: 1}}
              responses: {default: {description: any}}
        components:
          schemas:
            Form:
              type: object
              required: [id]
              additionalProperties: false
              properties:
                id: {type: integer}
                ids: {type: array, items: {type: integer}}
                tags: {type: array, items: {type: string, maxLength: 3}}
                range: {type: object, properties: {from: {type: integer}}}
                note: {oneOf: [{type: string, maxLength: 2}, {type: boolean}]}
                place: {type: object, required: [city], properties: {city: {type: string}}}
                photo: {type: string, format: binary, maxLength: 1}
            Order:
              type: object
              required: [id]
              additionalProperties: false
              xml: {name: order}
              properties:
                id: {type: integer, xml: {attribute: true}}
                total: {type: number, xml: {name: sum}}
                paid: {type: boolean, nullable: true}
                tag: {type: array, maxItems: 2, items: {type: string, maxLength: 3, xml: {name: label}}}
                lines: {type: array, xml: {wrapped: true}, items: {$ref: '#/components/schemas/Line'}}
                note: {type: string}
            Line:
              type: object
              required: [name]
              additionalProperties: false
              properties: {name: {type: string}, count: {type: integer, xml: {attribute: true, name: n}}}
              xml: {name: line}
            Named:
              type: object
              xml: {name: order, namespace: 'urn:a', prefix: a}
              properties:
                id: {type: integer, xml: {attribute: true, namespace: 'urn:b'}}
                sum: {type: number, xml: {namespace: 'urn:b', prefix: any}}
                note: {type: string, xml: {prefix: p}}
                lines:
                  type: array
                  xml: {wrapped: true, namespace: 'urn:a'}
                  items: {type: string, xml: {name: line, namespace: 'urn:b'}}
        """

    private func verdict(_ type: String, _ body: String) throws -> ContractVerdict {
        let sources = ContractSources { _ throws(FileFailure) in Array(Self.document.utf8) }
        let contract = try APIContract("/api.yaml", name: "api.yaml", sources: sources)
        let none = ContractExchange.Message(ContractHead([]), body: [], isWhole: true)
        let message = ContractExchange.Message(
            ContractHead(Array("POST /a HTTP/1.1\r\nContent-Type: \(type)\r\n\r\n".utf8)), body: Array(body.utf8),
            isWhole: true)
        return contract.check(
            ContractExchange(method: "POST", target: "/a", request: message, status: 200, response: none),
            mask: "<redacted:")
    }

    private static let form = "application/x-www-form-urlencoded"
    private static let parts = "multipart/form-data; boundary=\"--x y\""

    /// A body of parts, each with its parameters, its type and its text.
    private static func multipart(_ parts: [(parameters: String, type: String, text: String)]) -> String {
        parts.map { parameters, type, text in
            "----x y\r\nContent-Disposition: form-data; \(parameters)\r\n"
                + (type.isEmpty ? "" : "content-type: \(type)\r\n") + "\r\n\(text)\r\n"
        }.joined() + "----x y--\r\n"
    }

    private static let rows: [(type: String, body: String, wrong: [String])] = [
        (form, "id=1&tags=a&tags=b&ids=1,2&range[from]=3&note=true&place=%7B%22city%22:%22x%22%7D", []),
        (form, "id=x", [#"$.id is "x", not integer"#]),
        (form, "tags=long", ["$ has no member id", "$.tags[0] has 4 characters, more than 3"]),
        (form, "id=1&ids=1,b", [#"$.ids[1] is "b", not integer"#]),
        (form, "id=1&range[from]=a", [#"$.range.from is "a", not integer"#]),
        (form, "id=1&place=%7B%7D", ["$.place has no member city"]),
        (form, "id=1&place=x", [#"$.place is "x", not object"#]),
        (form, "id=1&other=2", ["$.other may not be there"]),
        (form, "id=%3Credacted:id:1%3E", []),
        (
            parts,
            multipart([
                ("name=\"id\"", "", "1"), ("name=tags", "", "a"), ("name=tags", "text/plain", "b"),
                ("name=\"place\"", "application/json\r\nx-map: a", #"{"city": "x"}"#),
                ("name=\"photo\"; filename=\"a.png\"", "image/png", "\r\n--\r\nlonger than one byte"),
            ]), []
        ),
        (
            parts, multipart([("filename=\"a;name=z\"; name=\"id\"", "application/pdf", "x")]),
            []
        ),
        (
            parts,
            multipart([("name=\"id\"", "", "x"), ("name=\"photo\"; filename=\"a\"", "text/html; charset=utf-8", "x")]),
            [" has the part photo of the media type text/html, not image/png, image/*", #"$.id is "x", not integer"#]
        ),
        (
            parts, multipart([("name=\"id\"", "", "1"), ("name=\"place\"", "application/json\r\nX-Map: a", "{}")]),
            ["$.place has no member city"]
        ),
        (
            parts,
            multipart([
                ("name=\"id\"", "", "1"), ("name=\"place\"", "application/json", #"{"city": "x"}"#),
                ("name=\"photo\"; filename=\"a\"", "image/png\r\nX-Size: big", "x"),
            ]),
            [
                "the request body, in the part place the field X-Map is missing",
                #"the request body, in the part photo the field X-Size is "big", not integer"#,
            ]
        ),
        (
            parts, multipart([("name=id", "", "1"), ("name=\"photo\"; filename=a", "image/png\r\nX-Size: 7", "x")]), []
        ),
        (parts, "----x y\r\nContent-Disposition: form-data; name=id\r\n\r\n1", [" is no multipart/form-data"]),
        ("multipart/form-data", "x", [" is no multipart/form-data"]),
        (
            "application/xml; charset=utf-8",
            """
            <?xml version="1.0"?><s:order xmlns:s="urn:shop" id="7" xml:lang="de"><sum>1.5</sum><label>a</label><label>b</label>
            <paid xmlns:xsi="urn:x" xsi:nil="true"/><note>a &amp; <![CDATA[<b>]]></note>
            <lines><line n="2"><name>x</name></line></lines></s:order>
            """, []
        ),
        ("application/xml", "<order id='x'/>", [#"$.id is "x", not integer"#]),
        ("application/xml", "<order><sum>a</sum></order>", ["$ has no member id", #"$.total is "a", not number"#]),
        ("application/xml", "<orders id='1'/>", [" has the root element orders, not order"]),
        (
            "application/xml", "<order id='1' extra='2'><more/></order>",
            ["$.extra may not be there", "$.more may not be there"]
        ),
        ("application/xml", "<order id='1'><total>1</total></order>", ["$.total is \"1\", not number"]),
        ("application/xml", "<order id='1'><note><b/></note></order>", ["$.note is {\"b\":\"\"}, not string"]),
        (
            "application/xml", "<order id='1'><lines><line n='x'/></lines></order>",
            ["$.lines[0] has no member name", #"$.lines[0].count is "x", not integer"#]
        ),
        (
            "application/xml", "<order id='1'><label>a</label><label>long</label><label>c</label></order>",
            ["$.tag has 3 items, more than 2", "$.tag[1] has 4 characters, more than 3"]
        ),
        ("application/xml", "<order id='1'><sum>&lt;redacted:sum:1&gt;</sum></order>", []),
        ("application/xml", "<order", [" is no XML: line 1"]),
        ("application/xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><order id='1'/>", [" is no XML: line 1: the document type"]),
        (
            "application/shop+xml",
            """
            <x:order xmlns:x="urn:a" xmlns="urn:b" xmlns:p="urn:p" x:more="1" id2="2"><sum>1</sum><p:note>n</p:note>
            <x:lines><line>a</line><y:line xmlns:y="urn:b">b</y:line></x:lines></x:order>
            """, []
        ),
        (
            "application/shop+xml",
            """
            <order xmlns:b="urn:b" xmlns="urn:c" id="7"><b:sum>1</b:sum><note>n</note>
            <lines xmlns="urn:a"><line>a</line><b:line>b</b:line></lines></order>
            """,
            [
                " has the element order in the namespace urn:c, not urn:a",
                " has the attribute id in no namespace, not urn:b", " has the element note without a prefix, not p",
                " has the element line in the namespace urn:a, not urn:b",
            ]
        ),
        (
            "application/shop+xml", "<a:order><q:note>n</q:note></a:order>",
            [
                " has the element a:order in no namespace, not urn:a",
                " has the element q:note with this prefix, not p",
            ]
        ),
        ("application/soap+xml", "<a><b/></a>", []),
        ("text/plain", "17", []), ("text/plain", "x", [#"$ is "x", not integer"#]),
        ("application/octet-stream", "many bytes", []),
    ]

    @Test(arguments: 0..<rows.count) func `a body is compared by its media type`(number: Int) throws {
        let row = Self.rows[number]
        let found = try verdict(row.type, row.body)
        #expect(found.failures.count == row.wrong.count && found.uncompared.isEmpty, "\(found.failures.map(\.text))")
        for wanted in row.wrong {
            #expect(found.failures.contains { $0.text.contains(wanted) }, "\(wanted): \(found.failures.map(\.text))")
        }
    }

    @Test(arguments: ["text/csv", "application/cbor"]) func `a body that cannot be compared is told`(type: String)
        throws
    {
        let found = try verdict(type, "a,b")
        #expect(found.failures.isEmpty)
        #expect(found.uncompared.map(\.text) == ["the request body of the type \(type)"])
    }
}
