import Rewriting
import Testing

/// HTML that is put into pages.
@Suite struct InjectionTests {
    static let injection = Injection(head: Array("<H>".utf8), body: Array("<B>".utf8)) { _ in nil }

    private func run(
        _ page: String, _ injection: Injection = injection, sizes: [Int] = [], room: Int = 64 * 1024,
        type: String = "text/html", policies: [String] = []
    ) throws -> String {
        let use = try #require(injection.use(below: policies))
        let type = ContiguousArray(type.utf8)
        let rewriter = BodyRewriter.make(
            contentType: type.span, contentEncoding: ContiguousArray<UInt8>().span, map: nil, authority: [],
            client: ClientName(isSecure: false, hostLength: 0), injection: use)
        let bytes = Array(page.utf8)
        var pieces: [[UInt8]] = []
        var start = 0
        for size in sizes where start < bytes.count {
            pieces.append(Array(bytes[start..<min(bytes.count, start + size)]))
            start = min(bytes.count, start + size)
        }
        pieces.append(Array(bytes[start...]))
        return String(decoding: try BodyRun(rewriter, room: room).feed(pieces), as: UTF8.self)
    }

    static let pages: [(page: String, result: String)] = [
        (
            "<html><head><title>x</title></head><body>y</body></html>",
            "<html><head><title>x</title><H></head><body>y<B></body></html>"
        ),
        ("<!DOCTYPE html><title>x</title><p>y", "<!DOCTYPE html><title>x</title><H><p>y<B>"),
        ("\u{FEFF}<!doctype html>\n<p>y", "\u{FEFF}<!doctype html>\n<H><p>y<B>"),
        ("<!doctype html>text", "<!doctype html><H>text<B>"), ("<body>y", "<H><body>y<B>"),
        ("<HTML><HEAD></HEAD><BODY></BODY></HTML>\n", "<HTML><HEAD><H></HEAD><BODY><B></BODY></HTML>\n"),
        ("<html><head>\n<meta charset=utf-8>", "<html><head>\n<meta charset=utf-8><H><B>"),
        ("<html></html>", "<html><H><B></html>"), ("<head></head>", "<head><H></head><B>"),
        // What only looks like a tag.
        (
            "<html><head><script>'</head>'</script></head><body>",
            "<html><head><script>'</head>'</script><H></head><body><B>"
        ),
        ("<html><!-- <body> </head> --><head></head>", "<html><!-- <body> </head> --><head><H></head><B>"),
        ("<html><!--><head></head>", "<html><!--><head><H></head><B>"),
        ("<html><!--a--!><p>", "<html><!--a--!><H><p><B>"),
        (
            "<html><head><style>a{content:'</head>'}</style><title></head></title><p>",
            "<html><head><style>a{content:'</head>'}</style><title></head></title><H><p><B>"
        ),
        (
            "<html><head><meta content='</head>'><meta name=a content=\">\"></head>",
            "<html><head><meta content='</head>'><meta name=a content=\">\"><H></head><B>"
        ),
        (
            "<html><head><script><!--<script></script></head>--></script></head>",
            "<html><head><script><!--<script></script></head>--></script><H></head><B>"
        ),
        ("<html><head><script>a<!b</script></head>", "<html><head><script>a<!b</script><H></head><B>"),
        ("<html><head><script>a<<</script></head>", "<html><head><script>a<<</script><H></head><B>"),
        (
            "<html><head><template><p></body></template></head>",
            "<html><head><template><p></body></template><H></head><B>"
        ),
        (
            "<html><body><textarea></body></textarea><p data-a='</body>'></body>",
            "<html><H><body><textarea></body></textarea><p data-a='</body>'><B></body>"
        ),
        ("<html><head><noscript><p></noscript><headx>", "<html><head><noscript><p></noscript><H><headx><B>"),
        ("<html><head></header></head ><body>", "<html><head></header><H></head ><body><B>"),
        ("<html><p>a < b <3 </> </ x></body>", "<html><H><p>a < b <3 </> </ x><B></body>"),
        ("<?xml version='1.0'?><html><p>", "<?xml version='1.0'?><html><H><p><B>"),
        // Parts that scripts ask for, and what is no page.
        ("<div><p>x</p></div>", ""), ("<title>x</title><p>", ""), ("hello <body>", ""), ("{\"a\": \"<html>\"}", ""),
        ("<script>'<html>'</script>", ""), ("<!-- <html> --><li>", ""), ("", ""), ("<", ""), ("<tr><td>", ""),
        // A page that breaks off says so, and gets nothing into the middle of a script.
        ("<html><head><script>a", ""), ("<html><head><!-- a", ""), ("<html><p><script>", "<html><H><p><script>"),
    ]

    @Test(arguments: pages)
    func `a page gets it at the end of its head and of its body`(page: String, result: String) throws {
        let expected = result.isEmpty ? page : result
        #expect(try run(page) == expected)
        let ones = Array(repeating: 1, count: page.utf8.count)
        #expect(try run(page, sizes: ones, room: 1) == expected)
        for border in 0...page.utf8.count {
            #expect(try run(page, sizes: [border], room: 7) == expected, "split at \(border)")
        }
    }

    static let first = Injection(start: Array("<S>".utf8), head: Array("<H>".utf8), body: []) { _ in nil }

    static let starts: [(page: String, result: String)] = [
        ("<html><head><script>a</script></head>", "<html><head><S><script>a</script><H></head>"),
        ("<HTML>\n<HEAD data-a='>' b=\">\" >x", "<HTML>\n<HEAD data-a='>' b=\">\" ><S><H>x"),
        ("<html><head><meta charset=utf-8>", "<html><head><S><meta charset=utf-8><H>"),
        ("<html><head></head><body>", "<html><head><S><H></head><body>"), ("<head>", "<head><S><H>"),
        // Without the tag, in front of the first thing that a head may have.
        ("<!doctype html><script>a</script><p>", "<!doctype html><S><script>a</script><H><p>"),
        (
            "<!doctype html>\n<!-- <head> --><title>x</title><p>",
            "<!doctype html>\n<!-- <head> --><S><title>x</title><H><p>"
        ),
        ("<html><template><head></template><p>", "<html><S><template><head></template><H><p>"),
        ("<html><body><head><script>", "<html><S><H><body><head><script>"),
        ("<!doctype html>text", "<!doctype html><S><H>text"), ("<html>", "<html><S><H>"),
        ("<!doctype html><meta name=a><head>", "<!doctype html><S><meta name=a><head><H>"),
        // A document shows only behind its first elements here.
        ("<title>x</title><body>", "<title>x</title><S><H><body>"),
        ("<script>a</script><head><p>", "<script>a</script><head><S><H><p>"),
        ("<header></header>", ""), ("<script>'<head>'</script>", ""), ("<head data-a='", ""),
    ]

    @Test(arguments: starts)
    func `a page gets it in front of its own scripts`(page: String, result: String) throws {
        let expected = result.isEmpty ? page : result
        #expect(try run(page, Self.first) == expected)
        for border in 0...page.utf8.count {
            #expect(try run(page, Self.first, sizes: [border], room: 2) == expected, "split at \(border)")
        }
        let use = try #require(Self.first.use(below: []))
        let whole = use.applied(to: Array(page.utf8), contentType: Array("text/html".utf8))
        #expect(whole.map { String(decoding: $0, as: UTF8.self) } == expected)
        #expect(use.applied(to: Array(page.utf8), contentType: Array("text/html;charset=utf-16le".utf8)) == nil)
    }

    @Test(arguments: [
        ("connect-src 'none'", "connect-src 'self'"), ("connect-src", "connect-src 'self'"),
        ("img-src a; Connect-Src wss://b", "img-src a; connect-src wss://b 'self'"),
        ("default-src 'none'", "default-src 'none'; connect-src 'self'"), ("default-src *", nil), ("img-src a", nil),
        ("default-src 'SELF' b", nil), ("default-src a; connect-src *", nil),
    ])
    func `policies allow requests to the page's own origin where the scripts send some`(
        policy: String, allowing: String?
    ) throws {
        let injection = Injection(head: Array("<b>".utf8), body: [], connects: true) { _ in nil }
        #expect(try #require(injection.use(below: [policy])).allowing(policy) == allowing)
    }

    @Test func `no sign of a document far into a body means that it is none`() throws {
        let blank = String(repeating: " ", count: 140_000)
        #expect(try run(blank + "<html><p>") == blank + "<html><p>")
        let long = "<html><head><script>" + String(repeating: "x", count: 300_000) + "</script></head>"
        #expect(try run(long) == long.dropLast(7) + "<H></head><B>")
    }

    @Test(arguments: [
        ("text/html", true), ("TEXT/HTML; charset=utf-8", true), ("text/html;charset=utf-16", true),
        ("application/xhtml+xml", false), ("text/htmlx", false), ("text/plain", false), ("", false),
    ])
    func `HTML is what gets it`(type: String, concerns: Bool) {
        #expect(Injection.concerns(Array(type.utf8)) == concerns)
    }

    /// The digest of a text is the text.
    static let script = Injection(head: Array("<script>s</script>".utf8), body: Array("<style a>t</style>".utf8)) {
        String(decoding: $0, as: UTF8.self)
    }

    @Test(arguments: [
        ("img-src a", nil), ("script-src 'unsafe-inline'; style-src 'unsafe-inline'", nil), ("", nil),
        ("script-src 'self'", "script-src 'self' 'sha256-s'"), ("script-src 'none'", "script-src 'sha256-s'"),
        ("script-src", "script-src 'sha256-s'"),
        ("default-src 'self'", "default-src 'self'; script-src 'self' 'sha256-s'; style-src 'self' 'sha256-t'"),
        ("default-src 'none';", "default-src 'none'; script-src 'sha256-s'; style-src 'sha256-t'"),
        ("img-src b; script-src-elem c; script-src d", "img-src b; script-src-elem c 'sha256-s'; script-src d"),
        ("script-src 'unsafe-inline' 'sha256-q'", "script-src 'unsafe-inline' 'sha256-q' 'sha256-s'"),
        ("script-src 'unsafe-inline' 'strict-dynamic'", "script-src 'unsafe-inline' 'strict-dynamic' 'sha256-s'"),
        ("style-src 'unsafe-inline' 'strict-dynamic'", nil), ("script-src 'sha256-s'", nil),
        ("script-src 'nonce-n'; style-src 'nonce-n'", nil), ("script-src 'NONCE-n'", nil),
        ("script-src 'nonce-n'; style-src 'nonce-m'", "script-src 'nonce-n'; style-src 'nonce-m' 'sha256-t'"),
        (
            "script-src 'nonce-n', default-src a",
            "script-src 'nonce-n', default-src a; script-src a 'sha256-s'; style-src a 'sha256-t'"
        ),
        ("SCRIPT-SRC a; script-src b", "script-src a 'sha256-s'; script-src b"),
        ("sandbox allow-scripts; script-src a", "sandbox allow-scripts; script-src a 'sha256-s'"),
        (
            "require-trusted-types-for 'script'; script-src a",
            "require-trusted-types-for 'script'; script-src a 'sha256-s'"
        ),
        ("script-src 'nonce-\"><x'", "script-src 'nonce-\"><x' 'sha256-s'"),
    ])
    func `policies allow what is put in, and nothing else`(policy: String, allowing: String?) throws {
        let use = try #require(Self.script.use(below: [policy]))
        #expect(use.allowing(policy) == allowing)
    }

    @Test func `a sandbox without scripts is left alone, unless no script is put in`() {
        #expect(Self.script.use(below: ["img-src a", "sandbox allow-forms; script-src *"]) == nil)
        #expect(Self.injection.use(below: ["sandbox"]) != nil)
    }

    @Test func `a page's nonce is given to scripts, styles and links`() throws {
        let injection = Injection(
            head: Array("<b><SCRIPT src='a>'></SCRIPT><script nonce=x>1</script><link rel=stylesheet><styled>".utf8),
            body: []
        ) { String(decoding: $0, as: UTF8.self) }
        let page = try run("<html>", injection, policies: ["script-src 'nonce-Ab+/9=='"])
        #expect(
            page == "<html><b><SCRIPT nonce=\"Ab+/9==\" src='a>'></SCRIPT><script nonce=x>1</script>"
                + "<link nonce=\"Ab+/9==\" rel=stylesheet><styled>")
    }

    @Test(arguments: [
        (
            #"<meta http-equiv="Content-Security-Policy" content="script-src 'self'">"#,
            #"<meta http-equiv="Content-Security-Policy" content="script-src 'self' 'sha256-s'">"#
        ),
        (
            #"<META content='style-src &#39;none&#39;' HTTP-EQUIV=content-security-policy />"#,
            #"<META content="style-src 'sha256-t'" HTTP-EQUIV=content-security-policy />"#
        ),
        (#"<meta http-equiv=refresh content="script-src 'self'">"#, nil), (#"<meta name=a content="x>y">"#, nil),
        (#"<meta http-equiv="Content-Security-Policy">"#, nil), ("<meta>", nil), ("<meta/ =a>", nil),
    ])
    func `a policy in the page allows it, too`(tag: String, changed: String?) throws {
        let page = try run("<html>\(tag)<p>", Self.script)
        #expect(page == "<html>\(changed ?? tag)<script>s</script><p><style a>t</style>")
    }

    @Test func `a policy in the page that cannot be read holds for what follows it`() throws {
        let tag = #"<meta http-equiv="Content-Security-Policy" content="script-src &apos;self&apos; &nbsp;">"#
        #expect(try run("<html>\(tag)<p>", Self.script) == "<html><script>s</script>\(tag)<p><style a>t</style>")
    }

    @Test(arguments: CodingTool.allCases)
    func `codings are undone and done again`(tool: CodingTool) throws {
        let page = "<html><head></head><body>" + String(repeating: "long ", count: 20_000) + "</body></html>"
        let use = try #require(Self.injection.use(below: []))
        let (type, coding) = (ContiguousArray("text/html".utf8), ContiguousArray(tool.contentEncoding.utf8))
        let rewriter = BodyRewriter.make(
            contentType: type.span, contentEncoding: coding.span, map: nil, authority: [],
            client: ClientName(isSecure: false, hostLength: 0), injection: use)
        let output = try BodyRun(rewriter).feed([try tool.encode(Array(page.utf8))])
        let text = String(decoding: try tool.decode([output])[0], as: UTF8.self)
        #expect(text == "<html><head><H></head>" + page.dropFirst(19).dropLast(14) + "<B></body></html>")
    }
}
