public import Bytes
public import HTTP2

/// One stream as a test sees it: all that came, and all that is to be sent.
///
/// What it says of content it has used up at once, unless it is told not to.
public final class HTTP2Recorder: HTTP2StreamUser {
    public var stream: HTTP2Stream?
    /// Heads in the form of HTTP/1.1, in their order.
    public private(set) var heads: [String] = []
    public private(set) var trailers: String?
    public private(set) var body: [UInt8] = []
    /// The peer has said all, or the stream was closed.
    public private(set) var endCount = 0
    /// Content is taken as used when it comes; else by ``use(_:)``.
    public var usesContent = true
    /// Called whenever something has come.
    public var whenChanged: ((HTTP2Recorder) -> Void)?
    private var outgoing: [UInt8] = []
    private var sentCount = 0
    public private(set) var isComplete = false
    private var outgoingTrailers = ""
    private var waitsForRoom = false

    public init(_ stream: HTTP2Stream? = nil) { self.stream = stream }

    public var text: String { String(decoding: body, as: UTF8.self) }
    public var isClosed: Bool { stream?.isClosed ?? false }
    public var closeCode: HTTP2ErrorCode { stream?.closeCode ?? .noError }
    /// It was finished on both sides, without a reset.
    public var isFinished: Bool { stream.map { $0.hasEnded && $0.closeCode == .noError } ?? false }
    /// Bytes of a body that have left.
    public var sent: Int { sentCount }

    // MARK: Sending

    public func write(_ bytes: [UInt8]) {
        outgoing += bytes
        stream?.resume()
    }

    /// - Parameter trailers: lines with CRLF.
    public func end(_ text: String = "", trailers: String = "") {
        outgoing += text.utf8
        outgoingTrailers = trailers
        isComplete = true
        stream?.resume()
    }

    public func use(_ count: Int) { stream?.consume(count) }

    // MARK: What a session tells and asks

    public func didReceive(_ head: HTTP2Stream.Head) {
        guard let stream else { return }
        let text = String(decoding: stream.text.unsafeBytes, as: UTF8.self)
        switch head {
        case .message: heads.append(text)
        case .trailers: trailers = text
        }
        whenChanged?(self)
    }

    public func didReceive(_ bytes: UnsafeRawBufferPointer) {
        body += bytes
        if usesContent { stream?.consume(bytes.count) }
        whenChanged?(self)
    }

    public func didEnd() {
        endCount += 1
        whenChanged?(self)
    }

    public var pending: Int { outgoing.count }

    public func takeTrailers() -> [UInt8] { Array(outgoingTrailers.utf8) }

    public func take(_ count: Int, into output: inout Buffer) {
        let moved = outgoing.withUnsafeBytes { output.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        outgoing.removeFirst(moved)
        sentCount += moved
    }

    public func wantsMore() {}

    public func hasNoRoom() { waitsForRoom = true }

    /// The connection has been written: what found no room is tried again.
    public func hasRoom() {
        guard waitsForRoom else { return }
        waitsForRoom = false
        stream?.resume()
    }
}
