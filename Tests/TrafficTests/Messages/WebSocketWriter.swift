import CZlib
import Exchanges
import Foundation

/// Writes frames as a peer would, right or wrong.
struct WebSocketWriter {
    var isMasking: Bool
    var deflater: Deflater?
    private var chance = SystemRandomNumberGenerator()

    init(isMasking: Bool, deflater: Deflater? = nil) {
        self.isMasking = isMasking
        self.deflater = deflater
    }

    /// - Parameter first: the first byte: FIN, RSV1 to RSV3 and the opcode.
    func frame(_ first: UInt8, _ payload: [UInt8], lengthBytes: Int? = nil) -> [UInt8] {
        let size = lengthBytes ?? (payload.count < 126 ? 0 : payload.count < 65536 ? 2 : 8)
        let mark: UInt8 = isMasking ? 0x80 : 0
        var bytes = [first, mark | (size == 0 ? UInt8(payload.count) : size == 2 ? 126 : 127)]
        for place in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: payload.count >> (8 * place))) }
        guard isMasking else { return bytes + payload }
        let key = (0..<4).map { _ in UInt8.random(in: 0...255) }
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    /// A message in as many frames as there are pieces to cut, with `between` in front of each but the first.
    mutating func message(
        _ opcode: UInt8, _ body: [UInt8], cuts: [Int] = [], isCompressed: Bool = false,
        between: () -> [UInt8] = { [] }
    ) -> [UInt8] {
        let bytes = isCompressed ? deflater?.message(body) ?? [] : body
        let places = [0] + cuts.map { $0 % (bytes.count + 1) }.sorted() + [bytes.count]
        var stream: [UInt8] = []
        for index in 1..<places.count {
            let isFirst = index == 1
            var first = isFirst ? opcode : 0
            if index == places.count - 1 { first |= 0x80 }
            if isFirst, isCompressed { first |= 0x40 }
            stream += (isFirst ? [] : between()) + frame(first, Array(bytes[places[index - 1]..<places[index]]))
        }
        return stream
    }
}

/// Compresses messages as RFC 7692 wants it.
final class Deflater {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let keepsContext: Bool
    private let endsBlocks: Bool

    /// - Parameter endsBlocks: each message ends with a final block (RFC 7692 7.2.3.4).
    init(bits: Int32 = 15, keepsContext: Bool, endsBlocks: Bool = false) {
        stream.initialize(to: z_stream())
        deflateInit2_(
            stream, 6, Z_DEFLATED, -bits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        (self.keepsContext, self.endsBlocks) = (keepsContext, endsBlocks)
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    func message(_ body: [UInt8]) -> [UInt8] {
        // RFC 7692 7.2.3.6; zlib would say nothing.
        if body.isEmpty { return [0] }
        var output = [UInt8](repeating: 0, count: body.count * 2 + 1024)
        var input = body
        let given = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                deflate(stream, endsBlocks ? Z_FINISH : Z_SYNC_FLUSH)
                return output.count - Int(stream.pointee.avail_out)
            }
        }
        if !keepsContext || endsBlocks { deflateReset(stream) }
        // The sender appends an empty byte to a final block, and takes the end of an empty block off otherwise.
        return endsBlocks ? output[..<given] + [0] : Array(output[..<(given - 4)])
    }
}

/// What a reader gave.
struct ReadMessage: Equatable, CustomStringConvertible {
    var kind: MessageFacts.Kind
    var bytes: [UInt8]
    var length: Int64
    var isCut = false
    var isUndecodable = false

    init(_ kind: MessageFacts.Kind, _ bytes: [UInt8]) {
        (self.kind, self.bytes, length) = (kind, bytes, Int64(bytes.count))
    }

    init(_ facts: MessageFacts, _ bytes: UnsafeRawBufferPointer) {
        (kind, self.bytes, length) = (facts.kind, Array(bytes), facts.length)
        (isCut, isUndecodable) = (facts.isCut, facts.isUndecodable)
    }

    var description: String {
        "\(kind.name) \(length) \(String(decoding: bytes.prefix(80), as: UTF8.self)) \(isCut) \(isUndecodable)"
    }
}

extension WebSocketReader {
    /// Reads pieces of that size.
    func all(_ stream: [UInt8], by size: Int = .max, finishes: Bool = false) -> [ReadMessage] {
        var messages: [ReadMessage] = []
        for start in stride(from: 0, to: stream.count, by: min(size, max(1, stream.count))) {
            let end = min(stream.count - start, size) + start
            stream[start..<end].withUnsafeBytes { read($0, at: 1) { messages.append(ReadMessage($0, $1)) } }
        }
        if finishes { finish(at: 2) { messages.append(ReadMessage($0, $1)) } }
        return messages
    }
}
