import Bytes
import HTTP
import Reactor

/// A small request of Shunt's own with its response, on a connection that serves nothing else meanwhile.
///
/// It waits until the waiter's deadline.
struct SmallExchange {
    /// What kept it from its end, as a clause about the peer.
    struct Failure: Error {
        let reason: String
        /// The deadline has passed.
        var isLate = false
        var advice: String?
    }

    private let channel: Channel
    private let waiter: Waiter
    private(set) var head = ResponseHead()
    private var headBytes: [UInt8] = []
    private var decoder = BodyDecoder(.none)
    private(set) var content: [UInt8] = []
    /// The lines behind the content.
    private(set) var trailers: [UInt8] = []
    /// The peer has closed the connection, or sends more than was read.
    private var isOver = false

    init(_ channel: Channel, _ waiter: Waiter) { (self.channel, self.waiter) = (channel, waiter) }

    /// The connection can serve another request.
    var keepsAlive: Bool { head.keepAlive && !isOver }

    /// The first field of a name.
    func value(_ name: FieldName) -> [UInt8]? { head.field(name).map { Array(headBytes[$0.value]) } }

    /// The same by a lower-case name, which may stand behind the content as well.
    func value(named name: String) -> [UInt8]? {
        if let field = head.fields.first(where: { $0.isNamed(name.utf8, in: headBytes.span) }) {
            return Array(headBytes[field.value])
        }
        let lines = trailers.split(separator: 0x0A)
        let line = lines.first { $0.prefix { $0 != UInt8(ascii: ":") }.map(ByteSearch.lowercased) == Array(name.utf8) }
        return line.map { line in
            let value = line.drop { $0 != UInt8(ascii: ":") }.dropFirst().drop { ByteSearch.isSpace($0) }
            return Array(value.reversed().drop { ByteSearch.isSpace($0) }.reversed())
        }
    }

    /// Sends a request, and reads the head of the response to it.
    mutating func ask(
        _ lines: [UInt8], content: [UInt8] = [], limits: HeadLimits = HeadLimits()
    ) async throws(Failure) {
        channel.reserveOutput(lines.count)
        guard channel.output.appendWhole(lines) else { throw Failure(reason: "takes no request that long") }
        channel.didWriteHead(hasBody: !content.isEmpty)
        try await flush()
        try await write(content)
        while try !takeHead(limits) {
            guard try await fill() else { throw Failure(reason: "closed the connection without a response") }
        }
    }

    /// Sends bytes that are no request of HTTP.
    func write(_ bytes: [UInt8]) async throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = try send(bytes[sent...])
            sent += count
            if count == 0 { try await wait() }
        }
        try await flush()
    }

    /// Reads so many bytes of what is no response of HTTP, and none of what follows.
    mutating func read(_ count: Int) async throws(Failure) -> [UInt8] {
        while channel.input.count < count {
            guard try await fill(limit: count - channel.input.count) else {
                throw Failure(reason: "closed the connection")
            }
        }
        defer { channel.input.consume(count) }
        return Array(channel.input.unsafeBytes[..<count])
    }

    /// Reads the response's content; false if it is longer than `limit`.
    mutating func readContent(limit: Int) async throws(Failure) -> Bool {
        while true {
            switch try next() {
            case .end: return true
            case .framing(let count): channel.input.consume(count)
            case .trailers(let count):
                trailers = Array(channel.input.unsafeBytes[..<count])
                channel.input.consume(count)
            case .data(let count):
                content += channel.input.unsafeBytes[..<count].prefix(limit - content.count + 1)
                channel.input.consume(count)
                decoder.advance(count)
                guard content.count > limit else { continue }
                (isOver, content) = (true, Array(content.prefix(limit)))
                return false
            case .needMore: if try await !fill() { try end() }
            }
        }
    }

    /// Takes the head of the final response; false while it is not whole.
    private mutating func takeHead(_ limits: HeadLimits) throws(Failure) -> Bool {
        let channel = channel
        do throws(HTTPFailure) {
            while let length = try head.parse(channel.inputBytes, to: .get, limits: limits) {
                headBytes = Array(channel.input.unsafeBytes[..<length])
                channel.input.consume(length)
                if head.isInformational { continue }
                decoder = BodyDecoder(head.framing, isResponse: true)
                return true
            }
            return false
        } catch {
            throw .faulty(error)
        }
    }

    private mutating func next() throws(Failure) -> BodyDecoder.Piece {
        let channel = channel
        do throws(HTTPFailure) { return try decoder.next(channel.inputBytes) } catch { throw .faulty(error) }
    }

    private mutating func end() throws(Failure) {
        do throws(HTTPFailure) { try decoder.endOfInput() } catch { throw .faulty(error) }
    }

    private func send(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
        do throws(ChannelFailure) {
            return try bytes.withUnsafeBufferPointer { bytes throws(ChannelFailure) in
                try channel.send(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw .broken(error)
        }
    }

    private func flush() async throws(Failure) {
        while true {
            do throws(ChannelFailure) { if try channel.flush() { return } } catch { throw .broken(error) }
            try await wait()
        }
    }

    /// Waits for more; false at the connection's end.
    private mutating func fill(limit: Int = .max) async throws(Failure) -> Bool {
        while true {
            let outcome: ReadOutcome
            do throws(ChannelFailure) { outcome = try channel.fill(limit: limit) } catch { throw .broken(error) }
            switch outcome {
            case .bytes: return true
            case .wouldBlock: try await wait()
            case .end:
                isOver = true
                return false
            }
        }
    }

    private func wait() async throws(Failure) {
        if waiter.isExpired { throw Failure(reason: "did not respond in time", isLate: true) }
        await waiter.park()
    }
}

extension SmallExchange.Failure {
    fileprivate static func broken(_ failure: ChannelFailure) -> Self {
        Self(reason: "broke the connection: \(failure.message)")
    }

    fileprivate static func faulty(_ failure: HTTPFailure) -> Self {
        Self(reason: "sent a faulty response: \(failure.reason)")
    }
}
