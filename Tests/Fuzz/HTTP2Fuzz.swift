// What libFuzzer calls for HTTP/2. A server's session and a client's are fed arbitrary bytes in arbitrary pieces, with
// streams that response, wait, reset and let go at arbitrary moments; a broken invariant traps.

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One stream, moved by the input's own bytes.
final class FuzzedStream: HTTP2StreamUser {
    var stream: HTTP2Stream?
    let choice: UInt8
    var pending = 0
    var isComplete = false
    var hasBegun = false
    var endCount = 0
    var uncounted = 0

    init(_ stream: HTTP2Stream?, _ choice: UInt8) {
        self.stream = stream
        self.choice = choice
    }

    func didReceive(_ head: HTTP2Stream.Head) {
        guard let stream else { return }
        precondition(endCount == 0, "a head behind the end")
        let text = Array(stream.text.unsafeBytes)
        if !stream.isHeadTooLong { precondition(text.suffix(2) == [13, 10], "a head without its end") }
        // What comes out can be cut into lines in one way only.
        for index in text.indices where text[index] == 10 || text[index] == 13 {
            precondition(
                text[index] == 10
                    ? index > 0 && text[index - 1] == 13 : index + 1 < text.count && text[index + 1] == 10)
        }
        if case .message = head, choice & 3 == 1 { stream.reset(.cancel) }
    }

    func didReceive(_ body: UnsafeRawBufferPointer) {
        precondition(body.count > 0 && stream?.isClosed == false)
        if choice & 4 == 0 { stream?.consume(body.count) } else { uncounted += body.count }
        precondition(uncounted <= 1 << 21, "more content than the window lets through")
    }

    func didEnd() {
        endCount += 1
        precondition(endCount <= 2)
    }

    func takeTrailers() -> [UInt8] { choice & 8 == 0 ? [] : Array("X-A: b\r\nHost: c\r\n".utf8) }

    func take(_ count: Int, into output: inout Buffer) {
        precondition(count <= pending && count <= output.room)
        [UInt8](repeating: 1, count: count).withUnsafeBytes { _ = output.append($0) }
        pending -= count
    }

    func wantsMore() {}

    func hasNoRoom() {}

    /// Responses, or goes on.
    func move(_ session: HTTP2Session) {
        guard let stream, !stream.isClosed else { return }
        if session.role == .server, !hasBegun, stream.hasEnded || choice & 16 == 0 {
            hasBegun = true
            let responses = [
                "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 101 S\r\nUpgrade: websocket\r\n\r\n",
                "HTTP/1.1 103 E\r\n\r\n", "HTTP/1.1 204 N\r\n\r\n",
            ]
            let response = Array(responses[Int(choice >> 6)].utf8)
            response.withUnsafeBytes {
                try? session.submit($0, on: stream, isSecure: false, hasBody: choice & 32 == 0)
            }
        }
        pending += 700 * Int(choice & 15)
        isComplete = choice & 3 != 2
        stream.resume()
        if choice & 3 == 3 { stream.stopAfterEnd() }
        if uncounted > 0 {
            stream.consume(uncounted)
            uncounted = 0
        }
    }
}

final class FuzzedEnd: HTTP2Acceptor {
    let session: HTTP2Session
    var streams: [FuzzedStream] = []
    private var closed: [HTTP2Stream] = []
    var choices: ArraySlice<UInt8>
    var openCount = 0

    init?(_ role: HTTP2Session.Role, _ choices: ArraySlice<UInt8>) {
        var limits = HTTP2Limits()
        limits.headBytes = 1024
        guard let session = try? HTTP2Session(role, limits: limits) else { return nil }
        self.session = session
        self.choices = choices
        session.acceptor = self
    }

    private func choose() -> UInt8 { choices.popFirst() ?? 0 }

    func accept(on session: HTTP2Session) -> HTTP2Stream? {
        let choice = choose()
        if choice == 255 { return nil }
        let stream = makeStream()
        let user = FuzzedStream(stream, choice)
        session.add(stream, for: user)
        streams.append(user)
        return stream
    }

    /// Mostly one that was another before.
    private func makeStream() -> HTTP2Stream { closed.popLast() ?? HTTP2Stream() }

    /// A client's own requests.
    func open() {
        let choice = choose()
        let stream = makeStream()
        let user = FuzzedStream(stream, choice)
        session.add(stream, for: user)
        if choice & 7 == 5 { return stream.drop() }
        let text = Array(
            (choice & 7 == 4
                ? "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n"
                : "\(choice & 1 == 0 ? "HEAD" : "POST") / HTTP/1.1\r\nHost: a\r\nCookie: b\r\n\r\n").utf8)
        text.withUnsafeBytes { try? session.submit($0, on: stream, isSecure: true, hasBody: choice & 16 == 0) }
        // Then nobody but the session knows of it.
        if choice & 7 == 6 { stream.reset(.cancel) } else { streams.append(user) }
    }

    func write() {
        var buffer = Buffer(capacity: choose() & 1 == 0 ? 64 << 10 : 2048)
        for _ in 0..<64 {
            guard let hasMore = try? session.send(into: &buffer) else { return }
            precondition(buffer.count <= buffer.capacity)
            if !hasMore { break }
            buffer.removeAll()
        }
    }

    func check() {
        for (index, stream) in session.streams.enumerated() {
            precondition(stream.index == index && !stream.isClosed && stream.user != nil)
        }
        precondition(session.streams.count <= 200)
        // Nobody but the session holds on to what is over.
        for user in streams {
            guard let stream = user.stream, stream.isClosed else { continue }
            user.stream = nil
            closed.append(stream)
        }
        streams.removeAll { $0.stream == nil }
    }
}

func run(_ role: HTTP2Session.Role, _ bytes: ArraySlice<UInt8>, _ choices: ArraySlice<UInt8>) {
    guard let end = FuzzedEnd(role, choices) else { return }
    if role == .client { for _ in 0..<4 { end.open() } }
    var rest = bytes
    var now: UInt64 = 1
    while !rest.isEmpty {
        let choice = end.choices.popFirst() ?? 0x40
        let piece = rest.prefix(1 + Int(choice) * 4)
        rest = rest.dropFirst(piece.count)
        now += UInt64(choice) * 10_000_000
        do {
            try piece.withUnsafeBytes { try end.session.receive($0, now: now) }
        } catch {
            precondition(error is HTTP2Failure && end.session.failure != nil)
        }
        if choice & 1 == 1 { for stream in end.streams { stream.move(end.session) } }
        if choice & 2 == 0 { end.write() }
        if role == .client, choice & 12 == 12 { end.open() }
        if choice == 0xf0 { end.session.announceEnd() }
        if choice == 0xf1 { end.session.ping() }
        end.check()
    }
    end.write()
    if choices.count % 2 == 0 { end.session.abandon() }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    // The first byte says whose part is played and how many of the following ones decide what happens besides.
    guard let first = all.first else { return 0 }
    let decisions = all.dropFirst().prefix(Int(first >> 1))
    run(first & 1 == 0 ? .server : .client, all.dropFirst(1 + decisions.count), decisions)
    return 0
}

// MARK: The corpus

/// Conversations that lead deep into a session, so that the fuzzer begins there.
func seeds() -> [String: [UInt8]] {
    let get = HTTP2Frame.get()
    let begin = HTTP2Frame.settings().bytes + HTTP2Frame(.settings, flags: 1).bytes
    let post = [(":method", "POST")] + get[1...]
    let tunnel = [(":method", "CONNECT"), (":protocol", "websocket")] + get[1...]
    let ok = [(":status", "200"), ("a", "b")]
    let continued: [HTTP2Frame] = [
        HTTP2Frame(.headers, flags: 1, stream: 1, HTTP2Frame.block(get)),
        HTTP2Frame(.continuation, flags: 4, stream: 1, HTTP2Frame.block([("cookie", "a"), ("cookie", "b")])),
    ]
    let served: [String: [HTTP2Frame]] = [
        "get": [.headers(1, get), .headers(3, get)],
        "post": [
            .headers(1, post, ends: false), HTTP2Frame(.data, stream: 1, [1, 2]), .headers(1, [("x", "y")]),
        ],
        "length": [
            .headers(1, post + [("content-length", "2")], ends: false),
            HTTP2Frame(.data, flags: 9, stream: 1, [1, 2, 3, 0]),
        ],
        "tunnel": [.headers(1, tunnel, ends: false), HTTP2Frame(.data, stream: 1, [1, 2])],
        "windows": [.settings([(4, 1)]), .headers(1, get), .windowUpdate(100, stream: 1), .windowUpdate(9)],
        "resets": [.headers(1, get), .reset(1), .headers(3, get), .reset(3)],
        "continued": continued,
        "malformed": [.headers(1, get + [("X", "y")]), .headers(3, get)],
        "rest": [
            HTTP2Frame(.ping, [UInt8](repeating: 0, count: 8)), HTTP2Frame(.priority, stream: 3, [0, 0, 0, 0, 9]),
            HTTP2Frame(.goAway, [UInt8](repeating: 0, count: 8)), HTTP2Frame(.unknown, [1]),
        ],
    ]
    let withResponse: [String: [HTTP2Frame]] = [
        "response": [.headers(1, ok, ends: false), HTTP2Frame(.data, flags: 1, stream: 1, [1])],
        "interim": [.headers(1, [(":status", "103")], ends: false), .headers(1, ok)],
        "trailers": [.headers(3, ok, ends: false), .headers(3, [("x", "y")])],
        "refused": [.reset(1, 7), HTTP2Frame(.goAway, HTTP2Frame.number(3) + HTTP2Frame.number(0))],
        "full": [.settings([(3, 1), (4, 0)]), .headers(1, ok), .windowUpdate(99, stream: 3)],
        "early": [.headers(1, ok), .reset(1, 0)],
    ]
    var seeds: [String: [UInt8]] = [:]
    // Eight decisions: pieces of some size, streams that do this and that.
    for (index, choices) in [[255, 64, 33, 7, 25, 64, 9, 200], [0, 1, 13, 240, 27, 90, 3, 5]].enumerated() {
        let decisions = choices.map { UInt8($0) }
        for (name, frames) in served {
            seeds["server-\(name)-\(index)"] = [16] + decisions + HTTP2Frame.preface + begin + frames.flatMap(\.bytes)
        }
        for (name, frames) in withResponse {
            seeds["client-\(name)-\(index)"] = [17] + decisions + begin + frames.flatMap(\.bytes)
        }
    }
    return seeds
}

@_cdecl("LLVMFuzzerInitialize")
public func initialize(_: UnsafeMutablePointer<CInt>?, _: UnsafeMutableRawPointer?) -> CInt {
    guard let folder = getenv("SHUNT_FUZZ_SEEDS") else { return 0 }
    for (name, bytes) in seeds() {
        guard let file = fopen("\(String(cString: folder))/\(name)", "w") else { continue }
        _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
    }
    return 0
}
