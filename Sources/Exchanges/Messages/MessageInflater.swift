import CZlib

/// Decodes permessage-deflate for the messages of one end (RFC 7692 7.2.2).
final class MessageInflater {
    enum Outcome {
        case good
        /// It is longer than the limit of inflation; its beginning has been kept.
        case tooMuch
        case corrupt
    }

    /// Beyond what is kept of it a message is inflated, to count it and for the sake of those that refer to it, only
    /// as long as that is no more than so many times its compressed form.
    private static let maxGrowth: Int64 = 32
    private static let roomSize = 16 << 10
    /// The bytes that senders leave out at the end of each message.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    private let stream: UnsafeMutablePointer<z_stream>
    private let keepsContext: Bool
    /// Bytes of the present message in its compressed form.
    private(set) var taken: Int64 = 0
    /// The window that later messages may refer to is unknown.
    private(set) var isLost = false

    /// nil for lack of memory.
    init?(_ direction: PermessageDeflate.Direction) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Some senders use 9 where 8 was agreed on, since zlib has no 8 for raw streams.
        let bits = -Int32(max(9, direction.windowBits))
        guard inflateInit2_(stream, bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
        keepsContext = direction.keepsContext
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// More of a message.
    func inflate(_ input: UnsafeRawBufferPointer, into message: inout MessageAssembly) -> Outcome {
        let (sum, isTooMuch) = taken.addingReportingOverflow(Int64(input.count))
        taken = isTooMuch ? .max : sum
        guard !isLost else { return .tooMuch }
        let outcome = run(input, into: &message)
        if outcome != .good { isLost = true }
        return outcome
    }

    /// The message is complete.
    func finish(into message: inout MessageAssembly) -> Outcome {
        let outcome = isLost ? .tooMuch : Self.tail.withUnsafeBytes { run($0, into: &message) }
        if outcome != .good { isLost = true }
        taken = 0
        if !keepsContext {
            isLost = false
            inflateReset(stream)
        }
        return outcome
    }

    private func run(_ input: UnsafeRawBufferPointer, into message: inout MessageAssembly) -> Outcome {
        withUnsafeTemporaryAllocation(byteCount: Self.roomSize, alignment: 8) { room in
            var rest = input
            while true {
                let (status, used, given) = step(rest, into: room)
                message.add(UnsafeRawBufferPointer(rebasing: room[..<given]))
                rest = UnsafeRawBufferPointer(rebasing: rest[used...])
                if message.isCut, message.length / Self.maxGrowth > taken { return .tooMuch }
                switch status {
                case Z_STREAM_END:
                    // A sender may end each message with a final block (RFC 7692 7.2.3.4).
                    inflateReset(stream)
                    if rest.isEmpty { return .good }
                case Z_OK, Z_BUF_ERROR:
                    if rest.isEmpty, given < room.count { return .good }
                    if used + given == 0 { return .corrupt }
                default: return .corrupt
                }
            }
        }
    }

    private func step(
        _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> (status: Int32, used: Int, given: Int) {
        let available = UInt32(clamping: input.count)
        let bytes = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes)
        stream.pointee.avail_in = available
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(clamping: room.count)
        let status = CZlib.inflate(stream, Z_SYNC_FLUSH)
        return (status, Int(available - stream.pointee.avail_in), room.count - Int(stream.pointee.avail_out))
    }
}
