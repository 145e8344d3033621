import Contracts
import Expectations
import Foundation
import JSON
import TestSupport
import Testing

/// Recorded traffic that is compared with a document of its API.
@Suite struct ContractExpectationTests {
    private static let document = """
        openapi: 3.1.0
        info: {title: Shop, version: '1'}
        paths:
          /v1/cart:
            get:
              responses:
                '200': {description: the cart, content: {application/json: {schema: {$ref: '#/components/schemas/Cart'}}}}
        components:
          schemas:
            Cart:
              required: [items]
              properties: {items: {type: array}, total: {type: number}}
        """

    private func report(_ document: String, _ traffic: Traffic) throws -> ExpectationReport {
        let folder = try TemporaryFolder()
        let contract = try APIContract(try folder.write("api.yaml", document), name: "api.yaml")
        let results = try ContractExpectation(contract, name: "api.yaml").check(traffic.observations)
        return try ExpectationReport(results, traffic.observations)
    }

    private let total = #"{\"items\":[],\"total\":\"0\"}"#

    /// An archive of responses with JSON.
    private static func archive(_ exchanges: [(path: String, body: String)]) -> [UInt8] {
        let entries = exchanges.map { path, body in
            #"""
            {"startedDateTime":"2026-05-01T10:00:00Z","time":1,"request":{"method":"GET","url":"https://api.shop.test\#(path)",
            "httpVersion":"HTTP/1.1","headers":[],"cookies":[],"queryString":[]},"response":{"status":200,"statusText":"",
            "httpVersion":"HTTP/1.1","headers":[{"name":"Content-Type","value":"application/json"}],"cookies":[],
            "content":{"mimeType":"application/json","text":"\#(body)"}},"timings":{}}
            """#
        }
        return Array("{\"log\":{\"version\":\"1.2\",\"entries\":[\(entries.joined(separator: ","))]}}".utf8)
    }

    @Test func `each operation and each rule is told with its places`() throws {
        let report = try report(
            Self.document,
            try Traffic(
                Self.archive([("/v1/cart", "{}"), ("/v1/cart", total), ("/v1/orders", "{}"), ("/v1/cart", total)])))
        let text = report.text()
        #expect(
            text.hasPrefix(
                """
                NOT MET api.yaml: GET /v1/cart  (api.yaml:5)
                        expected  api.yaml:11:17 /components/schemas/Cart/required
                        seen      the response body $ has no member items
                        first     #1 GET https://api.shop.test/v1/cart 200: the response body $ has no member items
                        expected  api.yaml:12:56 /components/schemas/Cart/properties/total/type
                        seen      the response body $.total is "0", not number, and so in 2 exchanges
                        first     #2 GET https://api.shop.test/v1/cart 200: the response body $.total is "0", not number
                                  #4 GET https://api.shop.test/v1/cart 200
                NOT MET api.yaml: only documented requests  (api.yaml:4)
                        expected  api.yaml:4:3 /paths
                        seen      the path /v1/orders is not documented
                        first     #3 GET https://api.shop.test/v1/orders 200: the path /v1/orders is not documented

                """), "\(text)")
        // Each form of report has the places.
        #expect(report.annotations.contains("::error file=api.yaml,line=5,title=api.yaml%3A GET /v1/cart::"))
        #expect(report.junit.contains("classname=\"api.yaml\"") && report.junit.contains("api.yaml:12:56 /components"))
        #expect(String(decoding: report.json, as: UTF8.self).contains("api.yaml:12:56 /components/schemas/Cart"))
    }

    @Test func `bodies that are not compared are counted in each report`() throws {
        let document = Self.document.replacing("application/json", with: "application/cbor")
        let archive = String(decoding: Self.archive([("/v1/cart", "x"), ("/v1/cart", "y")]), as: UTF8.self)
        let report = try report(
            document, try Traffic(Array(archive.replacing("application/json", with: "application/cbor").utf8)))
        let note = "not compared with its schema: the response body of the type application/cbor, in 2 exchanges"
        #expect(report.text().hasPrefix("met     api.yaml: GET /v1/cart\n        \(note)\nmet "), "\(report.text())")
        #expect(report.junit.contains("<system-out>\(note)</system-out>"))
        #expect(String(decoding: report.json, as: UTF8.self).contains(note))
    }

    @Test func `traffic without an exchange fits no document`() throws {
        let traffic = try Traffic(Array(#"{"log":{"version":"1.2","entries":[]}}"#.utf8))
        let text = try report(Self.document, traffic).text()
        #expect(text.contains("expected  an exchange to compare with api.yaml\n        seen      none\n"), "\(text)")
    }
}
