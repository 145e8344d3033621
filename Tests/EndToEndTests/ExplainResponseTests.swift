import TestSupport
import Testing

/// What Shunt would do to a response, by the code that serves.
@Suite struct ExplainResponseTests {
    private static let page = """
        HTTP/2 200 \r
        content-type: text/html\r
        content-encoding: gzip\r
        strict-transport-security: max-age=1\r
        set-cookie: a=b; Domain=o.test; Path=/\r
        link: <https://o.test/next>; rel=next\r
        \r
        <a href="https://o.test/x">x</a>
        <p>stays
        <a href="https://elsewhere.test/x">x</a>

        """

    private func explain(_ route: String, _ more: String..., response: String = page) async throws -> String {
        let folder = try TemporaryFolder()
        try folder.write(
            "Profiles/only.json", #"{"kind": "staging", "routes": [{"host": "shop.test", \#(route)}]}"#)
        try folder.write("page.txt", response)
        let result = await CapturedRun.run(
            ["explain", "--profiles", folder.path + "/Profiles", "--response", folder.path + "/page.txt"]
                + ["https://shop.test:4884/"] + more)
        return result.output + result.errors
    }

    @Test func `what changes is shown line by line, and the rest is not`() async throws {
        let text = try await explain(#""origin": "https://o.test", "rewrite": {"bodies": true}"#)
        for line in [
            "  response changes\n", "    - strict-transport-security: max-age=1\n",
            "    - link: <https://o.test/next>; rel=next\n", "    + link: <https://shop.test:4884/next>; rel=next\n",
            "    - <a href=\"https://o.test/x\">x</a>\n", "    + <a href=\"https://shop.test:4884/x\">x</a>\n",
        ] {
            #expect(text.contains(line), "\(text)")
        }
        #expect(!text.contains("<p>stays") && !text.contains("elsewhere") && !text.contains("content-encoding"))
    }

    @Test func `what leads past Shunt is named with the key that would help`() async throws {
        let text = try await explain(#""origin": "https://o.test""#)
        #expect(
            text.contains("note     the origin sent 1 link to the origin's address, past Shunt")
                && text.contains("bodies"),
            "\(text)")
        #expect(!text.contains("- <a"))
        let json = try await explain(#""origin": "https://o.test""#, "--json")
        #expect(json.contains(#""notes": ["#) && json.contains("- strict-transport-security"), "\(json)")
    }

    @Test(arguments: [
        (#""mock": {"text": "own"}"#, "response 200, by Shunt itself"),
        (#""origin": "https://o.test""#, "has no response"),
    ])
    func `a response that is none, and one that is not asked for, are said`(route: String, message: String) async throws
    {
        let text = try await explain(route, response: route.contains("mock") ? Self.page : "<p>")
        #expect(text.contains(message), "\(text)")
    }
}
