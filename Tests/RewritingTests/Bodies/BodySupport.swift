import Rewriting

/// The world of these tests: what a client at `http://localhost:4884` sees of a few origins.
struct BodyWorld {
    var own = OriginName(isTLS: true, host: "o.test", port: 443, basePath: "")
    var others: [(host: String, origin: OriginName)] = [
        ("img.local", OriginName(isTLS: true, host: "img.test", port: 443, basePath: "")),
        ("plain.local", OriginName(isTLS: false, host: "plain.test", port: 80, basePath: "")),
        ("odd.local", OriginName(isTLS: true, host: "odd.test", port: 8443, basePath: "")),
        ("six.local", OriginName(isTLS: true, host: "2001:db8::1", port: 443, basePath: "")),
        ("v1.local", OriginName(isTLS: true, host: "gw.test", port: 443, basePath: "/api/v1")),
        ("v1a.local", OriginName(isTLS: true, host: "gw.test", port: 443, basePath: "/api/v1/a")),
        ("*.wild.local", OriginName(isTLS: true, host: "wild.test", port: 443, basePath: "")),
        ("nobody.local", OriginName(isTLS: true, host: "", port: 443, basePath: "")),
    ]
    var authority = "localhost:4884"
    var client = ClientName(isSecure: false, hostLength: 9)

    func rewriter(_ contentType: String = "text/html", _ contentEncoding: String = "") -> BodyRewriter? {
        let type = ContiguousArray(contentType.utf8)
        let encoding = ContiguousArray(contentEncoding.utf8)
        return BodyRewriter.make(
            contentType: type.span, contentEncoding: encoding.span, map: AddressMap(own: own, others: others),
            authority: Array(authority.utf8), client: client)
    }

    /// The whole of it at once.
    func rewritten(_ text: String) throws -> String {
        String(decoding: try BodyRun(rewriter()).feed([Array(text.utf8)]), as: UTF8.self)
    }
}

struct NoRewriter: Error {}
struct Stuck: Error {}

/// A body on its way through a rewriter.
final class BodyRun {
    let rewriter: BodyRewriter
    private let room: UnsafeMutableRawBufferPointer
    private(set) var isFinished = false
    /// Steps that stopped for the sake of others.
    private(set) var interruptions = 0

    init(_ rewriter: BodyRewriter?, room: Int = 64 * 1024) throws {
        guard let rewriter else { throw NoRewriter() }
        self.rewriter = rewriter
        self.room = .allocate(byteCount: room, alignment: 1)
    }

    deinit { room.deallocate() }

    /// What comes out of all pieces, the last of which ends the body.
    func feed(_ pieces: [[UInt8]], flush: Bool = false) throws -> [UInt8] {
        var output: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            try push(piece, isLast: index == pieces.count - 1, flush: flush) { output += $0 }
        }
        return output
    }

    /// One piece, until nothing more comes of it.
    func push(
        _ piece: [UInt8], isLast: Bool = false, flush: Bool = false, sink: (UnsafeRawBufferPointer) -> Void
    ) throws {
        // Memory of just that size, so that a sanitizer sees a byte read beyond it.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: piece)
        var rest = UnsafeRawBufferPointer(memory)
        while !isFinished {
            let step = try rewriter.step(rest, isLast: isLast, flush: flush, into: room)
            sink(UnsafeRawBufferPointer(rebasing: room[..<step.given]))
            rest = UnsafeRawBufferPointer(rebasing: rest[step.taken...])
            isFinished = step.isFinished
            if rewriter.isInterrupted {
                interruptions += 1
            } else if step.given < room.count {
                guard rest.isEmpty else { throw Stuck() }
                break
            }
        }
        if isLast, !isFinished { throw Stuck() }
    }

    /// A single step, whether or not more would come; what was taken is gone from the bytes.
    func step(_ bytes: inout [UInt8], flush: Bool, sink: (UnsafeRawBufferPointer) -> Void) throws {
        let step = try bytes.withUnsafeBytes { try rewriter.step($0, isLast: false, flush: flush, into: room) }
        sink(UnsafeRawBufferPointer(rebasing: room[..<step.given]))
        bytes.removeFirst(step.taken)
    }

    func push(_ text: String, flush: Bool = false) throws -> String {
        var output: [UInt8] = []
        try push(Array(text.utf8), flush: flush) { output += $0 }
        return String(decoding: output, as: UTF8.self)
    }
}

/// Numbers that are the same in every run.
struct Repeatable: RandomNumberGenerator {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

/// A document with addresses in every form, right ones and almost right ones.
let sampleDocument = #"""
    <a href="https://o.test/a?b=c">https://o.test.</a> <img src='//img.test/x.png' srcset="//img.test/1 1x,//img.test/2 2x">
    <a href="https://o.test.evil.com/">https://xo.test https://o.test@evil https://user@o.test http://o.test:8443/</a>
    <style>a { background: url(//o.test/a.png) } b { background: url(HTTPS://O.Test:443/b) }</style>
    <script>let a = "https:\/\/o.test\/b", b = "https:\u002F\u002Fimg.test\u002Fc", w = 'wss://o.test/socket'
    let c = "\n//o.test/d\thttps://plain.test", d = `https://gw.test/api/v1/a/b https:\/\/gw.test\/api\/v1\/c`</script>
    <a href="/login?to=https%3A%2F%2Fo.test%2Fe&or=https%3a%2f%2fodd.test%3a8443%2ff&no=https%3A%2F%2Fo.test%3A99">x</a>
    {"url":"https://odd.test:8443/x","ip":"https://[2001:db8::1]/y","cdn":"https://cdn.example.com/o.test//o.test/z"}
    https:// http:/o.test //o.test: https://o.test: x https://o.test:80 https://gw.test/api/v12 \/\/ %2F%2F \u002f\u002f w
    """#
    + "http"
