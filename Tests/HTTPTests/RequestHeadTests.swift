import HTTP
import Testing

@Suite struct RequestHeadTests {
    /// Each row: why it is there, the bytes, and what is made of them.
    static let valid: [(String, [UInt8], String)] = [
        (
            "the plainest", head("GET /a/b?c=d HTTP/1.1", "Host: a.test"),
            """
            39 GET get origin /a/b?c=d http11
            path /a/b query c=d both /a/b?c=d
            authority a.test host a.test port -
            none true false false  false
            host [Host] [a.test] 23..<37 false
            """
        ),
        (
            "two empty lines in front are skipped", bytes("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
            """
            31 GET get origin / http11
            path / query  both /
            authority a host a port -
            none true false false  false
            host [Host] [a] 20..<29 false
            """
        ),
        (
            "white space around a value, tabs and obs-text in it; the name's case is free",
            bytes("GET / HTTP/1.1\r\nhOST:\t a.test:8080 \t\r\nX:a\tb\u{FF}\r\nY:\r\n\r\n"),
            """
            53 GET get origin / http11
            path / query  both /
            authority a.test:8080 host a.test port 8080
            none true false false  false
            host [hOST] [a.test:8080] 16..<38 false
            other [X] [a\tb\u{FF}] 38..<47 false
            other [Y] [] 47..<51 false
            """
        ),
        (
            "an absolute target wins over Host, and its scheme's case is free",
            head("POST HTTP://b.test:81/x?y HTTP/1.1", "Host: a.test", "Content-Length: 007"),
            """
            73 POST post absolute HTTP://b.test:81/x?y http11
            path /x query y both /x?y
            authority b.test:81 host b.test port 81
            length(7) true false false  false
            host [Host] [a.test] 36..<50 false
            contentLength [Content-Length] [007] 50..<71 false
            """
        ),
        (
            "an absolute target without a path", head("GET https://[::1]?q HTTP/1.0"),
            """
            32 GET get absolute https://[::1]?q http10
            path  query q both ?q
            authority [::1] host ::1 port -
            none false false false  false
            """
        ),
        (
            "an absolute target of a WebSocket", head("GET wss://b.test HTTP/1.0"),
            """
            29 GET get absolute wss://b.test http10
            path  query  both\u{20}
            authority b.test host b.test port -
            none false false false  false
            """
        ),
        (
            "asterisk", head("OPTIONS * HTTP/1.1", "Host: a"),
            """
            31 OPTIONS options asterisk * http11
            path  query  both\u{20}
            authority a host a port -
            none true false false  false
            host [Host] [a] 20..<29 false
            """
        ),
        (
            "authority", head("CONNECT [::1]:443 HTTP/1.1", "Host: a", "Content-Length: 0"),
            """
            58 CONNECT connect authority [::1]:443 http11
            path  query  both\u{20}
            authority [::1]:443 host ::1 port 443
            none true false false  false
            host [Host] [a] 28..<37 false
            contentLength [Content-Length] [0] 37..<56 false
            """
        ),
        (
            "chunked in any case, 100-continue, trailers wanted; the largest length's neighbours",
            head(
                "PUT / HTTP/1.1", "Host: a", "Transfer-Encoding: Chunked", "Expect: 100-Continue", "TE: gzip, Trailers"),
            """
            97 PUT put origin / http11
            path / query  both /
            authority a host a port -
            chunked true true false  true
            host [Host] [a] 16..<25 false
            transferEncoding [Transfer-Encoding] [Chunked] 25..<53 true
            expect [Expect] [100-Continue] 53..<75 false
            te [TE] [gzip, Trailers] 75..<95 true
            """
        ),
        (
            "upgrade", head("GET / HTTP/1.1", "Host: a", "Connection: keep-alive, Upgrade", "Upgrade: websocket"),
            """
            80 GET get origin / http11
            path / query  both /
            authority a host a port -
            none true false true websocket false
            host [Host] [a] 16..<25 false
            connection [Connection] [keep-alive, Upgrade] 25..<58 true
            upgrade [Upgrade] [websocket] 58..<78 true
            """
        ),
        (
            "HTTP/1.0 knows no upgrade and no 100-continue, but keep-alive",
            head("GET / HTTP/1.0", "Connection: keep-alive, upgrade", "Upgrade: x", "Expect: 100-continue"),
            """
            85 GET get origin / http10
            path / query  both /
            authority  host  port -
            none true false false x false
            connection [Connection] [keep-alive, upgrade] 16..<49 true
            upgrade [Upgrade] [x] 49..<61 true
            expect [Expect] [100-continue] 61..<83 false
            """
        ),
        (
            "a higher minor version is 1.1, a method of one's own, characters that browsers leave bare",
            head("PURGE //a%2F%%4%zz|\"<>^`{}?%zz=[] HTTP/1.7", "Host:"),
            """
            53 PURGE other origin //a%2F%%4%zz|"<>^`{}?%zz=[] http11
            path //a%2F%%4%zz|"<>^`{} query %zz=[] both //a%2F%%4%zz|"<>^`{}?%zz=[]
            authority  host  port -
            none true false false  false
            host [Host] [] 44..<51 false
            """
        ),
        (
            "close wins over keep-alive, in whatever line",
            head("get / HTTP/1.1", "Host: A_b~!$&'()*+;=.test:", "Connection: Keep-Alive", "Connection: ,CLOSE, "),
            """
            92 get other origin / http11
            path / query  both /
            authority A_b~!$&'()*+;=.test: host A_b~!$&'()*+;=.test port -
            none false false false  false
            host [Host] [A_b~!$&'()*+;=.test:] 16..<44 false
            connection [Connection] [Keep-Alive] 44..<68 true
            connection [Connection] [,CLOSE,] 68..<90 true
            """
        ),
    ]

    @Test(arguments: valid.map(Reading.init))
    func `a head means the same however it is cut`(row: Reading) {
        let (input, summary) = (row.input, row.summary)
        var head = RequestHead()
        #expect(head.feed(input) == .read(summary))
        #expect(head.feed(input, cuts: Array(0...input.count)) == .read(summary))
        #expect(head.feed(input + bytes("GET / more")) == .read(summary))
        for cut in 0..<input.count {
            #expect(head.feed(Array(input[..<cut])) == .incomplete)
            head = RequestHead()
            #expect(head.feed(input, cuts: [cut]) == .read(summary))
        }
    }

    @Test(arguments: [
        ("::", "all zeros"), ("::1", "loopback"), ("1::", "gap at the end"), ("1:2:3:4:5:6:7:8", "all groups"),
        ("1:2:3:4:5:6:7::", "a gap for one group"), ("::2:3:4:5:6:7:8", "a gap for one group in front"),
        ("2001:DB8::aBcD", "letters"), ("::ffff:192.168.0.255", "IPv4 inside"),
        ("1:2:3:4:5:6:1.2.3.4", "IPv4 in place of two groups"), ("1::1.2.3.4", "IPv4 after a gap"),
    ])
    func `IPv6 literals are hosts without their brackets`(literal: String, why: String) {
        var request = RequestHead()
        let input = head("GET / HTTP/1.1", "Host: [\(literal)]:65535")
        #expect((try? request.parse(input.span)) == input.count)
        #expect(text(input, request.host) == literal)
        #expect(request.port == 65535)
    }

    @Test func `the largest length is 2^63 - 1`() {
        var request = RequestHead()
        let input = head("PUT / HTTP/1.1", "Host: a", "Content-Length: 9223372036854775807")
        #expect((try? request.parse(input.span)) == input.count)
        #expect(request.framing == .length(UInt64(Int64.max)))
    }

    @Test func `methods know what may be repeated`() {
        #expect(Method.allCases.filter(\.isSafe) == [.get, .head, .options, .trace])
        #expect(Method.allCases.filter(\.isIdempotent) == [.get, .head, .put, .delete, .options, .trace])
        for method in Method.allCases where method != .other {
            #expect(Method.lookup(bytes("\(method.text)").span) == method)
            #expect(Method.lookup(bytes("\(method.text)".lowercased()).span) == .other)
        }
    }

    @Test func `a head that is left unfinished can be begun anew`() {
        var request = RequestHead()
        #expect(request.feed(bytes("GET /looooooooooooong HTTP/1.1\r\nHost: a\r\nX: ")) == .incomplete)
        #expect(request.feed(bytes("GET")) == .incomplete)
        #expect(request.feed(head("GET / HTTP/1.1", "Host: a"), cuts: [3]).description.hasPrefix("27 GET"))
    }

    @Test func `a field is found by its name, the first one first`() {
        var request = RequestHead()
        let input = head("GET / HTTP/1.1", "Host: a", "Cookie: 1", "COOKIE: 2")
        #expect((try? request.parse(input.span)) != nil)
        #expect(request.field(.cookie).map { text(input, $0.value) } == "1")
        #expect(request.field(.te).map { text(input, $0.value) } == nil)
    }
}
