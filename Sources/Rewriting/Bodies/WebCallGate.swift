import Bytes
public import Protobuf

/// Makes the body of a gRPC-Web response of that of a gRPC response: its trailers become a frame behind the messages,
/// and in the form for text each frame is encoded in Base64 by itself.
public final class WebCallGate: BodyGate {
    /// Bytes after which it takes no more until some have gone on.
    private static let limit = 64 << 10

    private let isText: Bool
    /// Field lines that end the call; those of the head where it has them.
    private var trailers: [UInt8]
    /// Bytes that are not encoded yet, fewer than three between two calls.
    private var rest: [UInt8] = []
    /// The part of a frame's flags and length that has come.
    private var head: [UInt8] = []
    /// Bytes of the frame's message that are to come.
    private var left = 0
    public var ready: [UInt8] = []

    public var isFull: Bool { ready.count >= Self.limit }
    public var isWaiting: Bool { false }
    public var hasChanged: Bool { true }

    /// - Parameter trailers: field lines of a head that ends the call itself.
    public init(_ form: GRPC.Form, trailers: [UInt8] = []) {
        if case .webText = form { isText = true } else { isText = false }
        self.trailers = trailers
    }

    /// The trailers have come, with the line that ends them.
    public func end(with lines: some Collection<UInt8>) {
        trailers = Array(lines)
        while trailers.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) || trailers.elementsEqual([0x0D, 0x0A]) {
            trailers.removeLast(2)
        }
    }

    public func take(_ bytes: UnsafeRawBufferPointer) {
        guard isText else { return ready += bytes }
        var at = 0
        while at < bytes.count {
            if left == 0 {
                let count = min(5 - head.count, bytes.count - at)
                add(bytes[at..<at + count])
                head += bytes[at..<at + count]
                at += count
                if head.count < 5 { return }
                left = head.dropFirst().reduce(0) { $0 << 8 | Int($1) }
                head = []
            } else {
                let count = min(left, bytes.count - at)
                add(bytes[at..<at + count])
                left -= count
                at += count
            }
            if left == 0, head.isEmpty { flush() }
        }
    }

    public func end() {
        flush()
        guard !trailers.isEmpty else { return }
        let frame = GRPC.frame(trailers, isTrailers: true)
        if isText { ready += Base64Encoder.text(frame).utf8 } else { ready += frame }
    }

    private func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
        rest += bytes
        let count = rest.count / 3 * 3
        ready += Base64Encoder.text(Array(rest[..<count])).utf8
        rest.removeFirst(count)
    }

    /// What has come so far is encoded to its end.
    private func flush() {
        if !rest.isEmpty { ready += Base64Encoder.text(rest).utf8 }
        rest = []
    }
}
