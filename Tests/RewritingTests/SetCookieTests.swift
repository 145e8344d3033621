import Bytes
import Foundation
import HTTP
import Rewriting
import Testing

@Suite struct SetCookieTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let origin: String
        let client: String
        let value: String
        let expected: String
        var testDescription: String { "\(origin) to \(client): \(value)" }
    }

    static let rows: [Row] = {
        let path = #filePath.dropLast("SetCookieTests.swift".count) + "Golden/set-cookie.txt"
        let text = (try? String(contentsOfFile: String(path), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            let parts = line.components(separatedBy: " | ")
            return parts.count == 4
                ? Row(origin: parts[0], client: parts[1], value: parts[2], expected: parts[3]) : nil
        }
    }()

    @Test func `the matrix is there`() {
        #expect(Self.rows.count >= 100)
    }

    @Test(arguments: rows)
    func `a client can keep and return it`(row: Row) throws {
        let head = try Head(["sEt-cookie:  " + row.value])
        let client = ClientAddress(row.client)
        let settings = RewriteRules.Settings(origin: row.origin)
        var changes: RewriteChanges = []
        let written = appended {
            CookieRewriter.append(
                setCookie: head.fields[0], from: head.bytes.span, settings: settings,
                authority: client.authority.span, client: client.name, to: &$0, changes: &changes)
        }
        switch row.expected {
        case "=":
            #expect(written == "sEt-cookie:  " + row.value + "\r\n")
            #expect(changes == [])
        case "-":
            #expect(written == "")
            #expect(changes == .setCookie)
        default:
            #expect(written == "sEt-cookie:  " + row.expected + "\r\n")
            #expect(changes == .setCookie)
        }
    }

    @Test func `what is not to be rewritten goes on byte for byte`() throws {
        let value = "__Host-sid=1; Domain=api.shop.example; Secure; Path=/base \t"
        let head = try Head(["Set-Cookie:" + value])
        let client = ClientAddress("http://localhost")
        var settings = RewriteRules.Settings(origin: "https://api.shop.example/base")
        settings.rewritesCookies = false
        var changes: RewriteChanges = []
        let written = appended {
            CookieRewriter.append(
                setCookie: head.fields[0], from: head.bytes.span, settings: settings,
                authority: client.authority.span, client: client.name, to: &$0, changes: &changes)
        }
        #expect(written == "Set-Cookie:" + value + "\r\n")
        #expect(changes == [])
    }

    @Test func `without an address only what the scheme asks for changes`() throws {
        let head = try Head(["Set-Cookie: sid=1; Domain=api.shop.example; Secure; Path=/base"])
        let client = ClientAddress("http://localhost")
        var changes: RewriteChanges = []
        let written = appended {
            CookieRewriter.append(
                setCookie: head.fields[0], from: head.bytes.span, settings: RewriteRules.Settings(),
                authority: client.authority.span, client: client.name, to: &$0, changes: &changes)
        }
        #expect(written == "Set-Cookie: sid=1; Domain=api.shop.example; Path=/base\r\n")
    }
}
