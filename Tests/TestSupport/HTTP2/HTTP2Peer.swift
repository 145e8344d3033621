import Bytes
public import HTTP2

/// One end of a connection in a test, without a socket.
public final class HTTP2Peer: HTTP2Acceptor {
    public let session: HTTP2Session
    /// Of streams that the other end has opened, in their order; those it opened itself are the caller's.
    public private(set) var accepted: [HTTP2Recorder] = []
    /// Whether another stream is to be accepted.
    public var admits: (Int) -> Bool = { _ in true }
    /// Told of every change of an accepted stream.
    public var whenChanged: ((HTTP2Recorder) -> Void)?
    public var usesContent = true
    private var recorders: [HTTP2Recorder] = []

    public init(
        _ role: HTTP2Session.Role, limits: HTTP2Limits = HTTP2Limits(), memory: HTTP2Memory = HTTP2Memory()
    ) throws {
        session = try HTTP2Session(role, limits: limits, memory: memory)
        session.acceptor = self
    }

    public func accept(on session: HTTP2Session) -> HTTP2Stream? {
        guard admits(accepted.count) else { return nil }
        let (stream, recorder) = open()
        recorder.whenChanged = { [weak self] in self?.whenChanged?($0) }
        accepted.append(recorder)
        return stream
    }

    private func open() -> (HTTP2Stream, HTTP2Recorder) {
        let stream = HTTP2Stream()
        let recorder = HTTP2Recorder(stream)
        recorder.usesContent = usesContent
        session.add(stream, for: recorder)
        recorders.append(recorder)
        return (stream, recorder)
    }

    /// Opens a stream with a request.
    /// - Parameters:
    ///   - head: lines with CRLF and the empty line.
    ///   - body: nil for a request that ends with its head; what follows is written to the recorder.
    public func request(_ head: String, body: String? = nil, ends: Bool = true) throws -> HTTP2Recorder {
        let (_, recorder) = open()
        try send(head, on: recorder, hasBody: body != nil)
        if let body {
            if ends { recorder.end(body) } else { recorder.write(Array(body.utf8)) }
        }
        return recorder
    }

    /// Sends a head on a stream, and all of its body with it where it has some.
    public func response(
        _ recorder: HTTP2Recorder, _ head: String, body: String? = nil, trailers: String = ""
    ) throws {
        try send(head, on: recorder, hasBody: body != nil || !trailers.isEmpty)
        if body != nil || !trailers.isEmpty { recorder.end(body ?? "", trailers: trailers) }
    }

    public func send(_ head: String, on recorder: HTTP2Recorder, hasBody: Bool) throws {
        guard let stream = recorder.stream else { return }
        try Array(head.utf8).withUnsafeBytes {
            try session.submit($0, on: stream, isSecure: false, hasBody: hasBody)
        }
    }

    /// All that it has to say now.
    public func output(limit: Int = .max) throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            var buffer = Buffer(capacity: 64 << 10)
            let hasMore = try session.send(into: &buffer)
            all += buffer.unsafeBytes
            for recorder in recorders { recorder.hasRoom() }
            if !hasMore && buffer.isEmpty || all.count >= limit { break }
        }
        recorders.removeAll { $0.isClosed }
        return all
    }

    /// Takes bytes in, in pieces of that size.
    public func receive(_ bytes: [UInt8], pieces: Int = .max, now: UInt64 = 1_000_000_000) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieces)
            try piece.withUnsafeBytes { try session.receive($0, now: now) }
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Lets two ends talk until neither has anything more to say.
    public static func talk(_ one: HTTP2Peer, _ other: HTTP2Peer, pieces: Int = .max) throws {
        while true {
            let there = try one.output()
            try other.receive(there, pieces: pieces)
            let back = try other.output()
            try one.receive(back, pieces: pieces)
            if there.isEmpty && back.isEmpty { return }
        }
    }
}
