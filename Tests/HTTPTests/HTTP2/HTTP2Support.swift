import HTTP2
import TestSupport

/// A client and a server that talk to each other in memory.
struct Pair {
    let client: HTTP2Peer
    let server: HTTP2Peer

    init(
        limits: HTTP2Limits = HTTP2Limits(), clientLimits: HTTP2Limits? = nil, memory: HTTP2Memory = HTTP2Memory()
    ) throws {
        client = try HTTP2Peer(.client, limits: clientLimits ?? limits, memory: memory)
        server = try HTTP2Peer(.server, limits: limits, memory: memory)
        try talk()
    }

    func talk(pieces: Int = .max) throws { try HTTP2Peer.talk(client, server, pieces: pieces) }

    /// Opens a stream; gives what both ends have of it.
    func open(
        _ head: String = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", body: String? = nil, ends: Bool = true
    ) throws -> (client: HTTP2Recorder, server: HTTP2Recorder) {
        let request = try client.request(head, body: body, ends: ends)
        try talk()
        return (request, server.accepted[server.accepted.count - 1])
    }
}

/// A session that is fed with frames made by hand.
struct Frames {
    let peer: HTTP2Peer

    /// What a server is sent first is the preface; both have seen the other's settings.
    init(_ role: HTTP2Session.Role, limits: HTTP2Limits = HTTP2Limits()) throws {
        peer = try HTTP2Peer(role, limits: limits)
        _ = try peer.output()
        let start = role == .server ? HTTP2Frame.preface : []
        try peer.receive(
            start + HTTP2Frame.settings().bytes
                + HTTP2Frame(.settings, flags: HTTP2Frame.acknowledgement).bytes)
        _ = try peer.output()
    }

    /// Sends frames at once and gives the response; a failure is left to the frames.
    func say(_ frames: [HTTP2Frame], now: UInt64 = 1_000_000_000) throws -> [HTTP2Frame] {
        try? peer.receive(frames.flatMap(\.bytes), now: now)
        return HTTP2Frame.read(try peer.output())
    }

    /// How the connection was given up, if it was.
    func goAway(after frames: [HTTP2Frame], now: UInt64 = 1_000_000_000) throws -> HTTP2ErrorCode? {
        try say(frames, now: now).first { $0.is(.goAway) }?.code.map { HTTP2ErrorCode(rawValue: $0) }
    }
}

extension HTTP2ErrorCode {
    static let settingsTimeout = HTTP2ErrorCode(rawValue: 4)
    static let streamClosed = HTTP2ErrorCode(rawValue: 5)
    static let frameSizeError = HTTP2ErrorCode(rawValue: 6)
    static let compressionError = HTTP2ErrorCode(rawValue: 9)
}
