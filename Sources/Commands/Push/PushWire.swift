import Admin
import Bytes
import HTTP2
import Platform
import Reactor

/// A connection to a running Shunt on which notifications are sent, as many at once as it allows.
final class PushWire {
    /// Seconds without a response after which a connection counts as lost.
    static let patience = 30

    private let connection: BlockingConnection
    private let session: HTTP2Session
    private var output = Buffer(capacity: 64 << 10)
    private var input = Buffer(capacity: 64 << 10)
    private var head = Buffer(capacity: 4 << 10)
    private let host: String
    private var withoutRoom: [PushStream] = []
    private var spare: [PushStream] = []
    /// The other end has closed it.
    private(set) var hasEnded = false
    /// Notifications with their responses, or without one where the stream was reset.
    private(set) var finished: [PushStream] = []

    init(port: UInt16) throws(SystemError) {
        connection = try BlockingConnection(port: port, seconds: Self.patience)
        host = "localhost:\(port)"
        var one: CInt = 1
        setsockopt(connection.descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        do throws(HTTP2Failure) { session = try HTTP2Session(.client) } catch {
            throw SystemError("HTTP/2", code: ENOMEM)
        }
    }

    deinit { end() }

    /// How many more notifications the other end takes now.
    var openable: Int { hasEnded ? 0 : session.openable }
    /// The other end takes no more on this connection.
    var isGoingAway: Bool { session.isGoingAway }
    var inFlight: Int { session.streamCount }

    /// - Parameter fields: further lines, with their ends.
    func send(_ job: PushJob, _ fields: String) {
        let stream = spare.popLast() ?? PushStream(job, on: self)
        stream.begin(job)
        session.add(stream.stream, for: stream)
        let text = Array(
            ("POST /3/device/\(job.token) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\(job.message.fields)"
                + "Content-Length: \(job.message.payload.count)\r\n\r\n").utf8)
        head.removeAll()
        head.grow(by: text.count)
        _ = head.appendWhole(text)
        do throws(HTTP2Failure) {
            try session.submit(head.unsafeBytes, on: stream.stream, isSecure: false, hasBody: true)
        } catch {
            stream.stream.drop()
        }
    }

    /// The stream goes on when there is room for it.
    func wait(_ stream: PushStream) { withoutRoom.append(stream) }

    func finish(_ stream: PushStream) { finished.append(stream) }

    /// Those that have ended since the last call; ``keep(_:)`` takes them back.
    func takeFinished() -> [PushStream] {
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    /// The stream can serve another notification.
    func keep(_ streams: [PushStream]) { for stream in streams where stream.stream.isClosed { spare.append(stream) } }

    /// Writes what is there to be written, and reads what has come.
    /// - Parameter milliseconds: to wait for something to come.
    func turn(_ milliseconds: CInt) {
        guard !hasEnded else { return }
        do throws(HTTP2Failure) {
            try write()
            var wanted = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            if !output.isEmpty { wanted.events |= Int16(POLLOUT) }
            guard !hasEnded, poll(&wanted, 1, finished.isEmpty ? milliseconds : 0) > 0 else { return }
            try receive()
            try write()
        } catch {
            end()
        }
    }

    private func receive() throws(HTTP2Failure) {
        while !hasEnded {
            let room = input.unsafeRoom
            let count = recv(connection.descriptor, room.baseAddress, room.count, CInt(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return }
            guard count > 0 else { return end() }
            input.didFill(count)
            try session.receive(input.unsafeBytes, now: PushClock.now)
            input.removeAll()
            if count < room.count { return }
        }
    }

    private func write() throws(HTTP2Failure) {
        while !hasEnded {
            let hasMore = try session.send(into: &output)
            for stream in withoutRoom { stream.stream.resume() }
            withoutRoom.removeAll(keepingCapacity: true)
            if output.isEmpty { return }
            let sent = sendNow(connection.descriptor, output.unsafeBytes)
            if sent < 0, errno == EINTR { continue }
            if sent < 0, errno == EAGAIN || errno == EWOULDBLOCK { return }
            guard sent > 0 else {
                // Responses that came before the other end closed it still count.
                try receive()
                return end()
            }
            output.consume(sent)
            output.compact()
            if !hasMore, output.isEmpty, !session.wantsWrite { return }
        }
    }

    /// Streams without a response come back as they are.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        session.abandon()
    }
}

/// Sends what the system takes at once.
private func sendNow(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
    let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
    #else
    let flags = CInt(MSG_DONTWAIT)
    #endif
    return send(descriptor, bytes.baseAddress, bytes.count, flags)
}
