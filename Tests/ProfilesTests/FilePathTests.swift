import Profiles
import Testing

/// Where a request's path leads below a folder, and which never lead anywhere.
@Suite struct FilePathTests {
    private func path(_ text: String, _ pattern: String?) throws -> String {
        let key = pattern.map { #""path": "\#($0)", "# } ?? ""
        let library = try load(("only.json", #"{"kind": "local", "routes": [{\#(key)"mock": {}}]}"#))
        let route = try #require(library["only"]?.routes.first)
        guard let path = FilePath(ContiguousArray(text.utf8).span, of: route) else { return "none" }
        return String(decoding: path.bytes, as: UTF8.self) + (path.isFolder ? "/" : "")
    }

    @Test(
        arguments: [
            ("/", nil, "/"), ("", nil, "/"), ("/a", nil, "a"), ("/a/", nil, "a/"), ("/a/b.html", nil, "a/b.html"),
            ("/app/a.js", "/app/*", "a.js"), ("/app/", "/app/*", "/"), ("/app", "/app/*", ""),
            ("/app/a.js", "/*", "app/a.js"), ("/u/7/x/a.js", "/u/*/x/*", "7/x/a.js"), ("/a%20b/%C3%A9", nil, "a b/é"),
            ("/%61", nil, "a"), ("/a%2eb", nil, "a.b"), ("/100%25", nil, "100%"), ("/é", nil, "é"),
            ("/a;b=c", nil, "a;b=c"), ("/one.json", "/one.json", ""),
            ("/.well-known/assetlinks.json", nil, ".well-known/assetlinks.json"), ("/a?b", nil, "a"),
            // Dot segments are resolved before a route is chosen, and never lead above its prefix.
            ("/a/../b", nil, "b"), ("/a/./b", nil, "a/b"), ("/../../etc/passwd", nil, "etc/passwd"),
            ("/%2e%2e/%2E%2E/etc/passwd", nil, "etc/passwd"), ("/app/../x", "/app/*", "none"),
        ] as [(String, String?, String)])
    func `what follows the literal part of the route is looked up`(
        text: String, pattern: String?, expected: String
    ) throws {
        #expect(try path(text, pattern) == expected)
    }

    @Test(arguments: [
        // Encoded separators, once and twice.
        "/..%2fetc/passwd", "/..%2Fetc%2Fpasswd", "/a%2f..%2f..%2fetc", "/a%2Fb", "/%2fetc/passwd", "/%2f", "/a/%2f/b",
        // Backslashes, which some systems take for separators.
        "/..\\etc", "/..%5cetc", "/a\\b", "/a%5C..%5Cb", "/%5c%5cserver%5cshare",
        // A zero ends a name in C; other controls are in no name that a page links to.
        "/a%00", "/a%00.html", "/%00", "/a%0a", "/a%0d%0aSet-Cookie:%20a", "/a%1f", "/a%7f",
        // Hidden files.
        "/.git/config", "/.env", "/a/.env", "/a/.htaccess/", "/%2eenv", "/%2Eenv", "/.well-known-not", "/.WELL-KNOWN",
        "/.well-known/.secret", "/...", "/.../x", "/..a", "/a/..%20", "/.%20./x",
        // Empty segments: two slashes could be taken for another host, too.
        "//", "//etc/passwd", "/a//b", "///", "/a//", "/./" + "/evil.test", "/a/..//evil.test",
    ])
    func `no file has such a name`(text: String) throws {
        #expect(try path(text, nil) == "none")
    }

    @Test(arguments: [
        ("/%252e%252e/%252e%252e/etc/passwd", "%2e%2e/%2e%2e/etc/passwd"), ("/a%252fb", "a%2fb"),
        ("/%c0%ae%c0%ae/etc", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}/etc"), ("/a:b", "a:b"), ("/C:/x", "C:/x"),
        ("/~root", "~root"),
        ("/file.txt::$DATA", "file.txt::$DATA"), ("/$(id)", "$(id)"), ("/-rf", "-rf"),
        // What is no escape stands for itself.
        ("/a%2", "a%2"), ("/a%", "a%"), ("/a%zz", "a%zz"),
    ])
    func `what is decoded once is a name like any other`(text: String, expected: String) throws {
        #expect(try path(text, nil) == expected)
    }

    @Test(
        arguments: [
            (nil, "index.html", "no-cache"), ("\"no-store\"", "a/b.js", "no-store"),
            (#"{ "assets/*": "max-age=9", "*.html": "no-store", "*": "max-age=5" }"#, "assets/a.html", "max-age=9"),
            (#"{ "assets/*": "max-age=9", "*.html": "no-store", "*": "max-age=5" }"#, "b/a.html", "no-store"),
            (#"{ "assets/*": "max-age=9", "*.html": "no-store", "*": "max-age=5" }"#, "b/a.js", "max-age=5"),
            (#"{ "*.*.js": "immutable" }"#, "x/app.5f3a.js", "immutable"),
            (#"{ "*.*.js": "immutable" }"#, "app.js", "no-cache"),
            (#"{ "sw.js": "no-store" }"#, "a/sw.js", "no-store"),
            (#"{ "a/sw.js": "no-store" }"#, "b/a/sw.js", "no-cache"),
            (#"{ "a*b*c": "x" }"#, "aXbXbc", "x"), (#"{ "a*b*c": "x" }"#, "acb", "no-cache"),
        ] as [(String?, String, String)])
    func `Cache-Control goes by the first pattern that fits`(rules: String?, name: String, value: String) throws {
        try inDirectory { folder in
            let key = rules.map { #", "cacheControl": \#($0)"# } ?? ""
            let library = try load(
                ("only.json", #"{"kind": "local", "routes": [{"files": "\#(folder)"\#(key)}]}"#))
            guard case .local(let local)? = library["only"]?.routes.first?.responder,
                let files = local as? FileSettings
            else {
                Issue.record("no files")
                return
            }
            #expect(String(decoding: files.cacheControl.value(for: Array(name.utf8)), as: UTF8.self) == value)
        }
    }
}
