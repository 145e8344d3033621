import Bytes

/// The form of gRPC's messages and statuses (gRPC over HTTP/2, and gRPC-Web).
public enum GRPC {
    /// A message behind its flags and length.
    public static func frame(_ message: [UInt8], isTrailers: Bool = false) -> [UInt8] {
        head(length: message.count, isTrailers: isTrailers) + message
    }

    /// The flags and the length in front of a message.
    public static func head(length: Int, isTrailers: Bool = false) -> [UInt8] {
        [isTrailers ? 0x80 : 0] + withUnsafeBytes(of: UInt32(clamping: length).bigEndian) { Array($0) }
    }

    /// How a call's bodies are written.
    public enum Form: Sendable {
        case http2, web
        /// Of gRPC-Web, in Base64.
        case webText

        /// - Parameter contentType: the field's value.
        public init?(contentType: some Collection<UInt8>) {
            let type = contentType.prefix { $0 != UInt8(ascii: ";") }.filter { $0 > 0x20 }.map(ByteSearch.lowercased)
            let text = String(decoding: type, as: UTF8.self)
            for (name, form) in [
                ("application/grpc-web-text", Form.webText), ("application/grpc-web", .web),
                ("application/grpc", .http2),
            ] where text.hasPrefix(name) {
                let rest = text.dropFirst(name.utf8.count)
                // Behind a plus are other languages than protobuf's.
                guard rest.isEmpty || rest == "+proto" else { return nil }
                self = form
                return
            }
            return nil
        }
    }

    /// The path of an absolute URL, which names the method of a call.
    public static func path(ofURL url: String) -> Substring {
        // Behind the scheme and its two slashes.
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return "" }
        return url[url.index(before: parts[3].startIndex)...].prefix { $0 != "?" }
    }

    /// The names of statuses, by their numbers.
    public static let statuses = [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
        "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
        "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
    ]

    /// The name of a status, or its number where it is none of gRPC's.
    public static func name(of status: Int) -> String {
        statuses.indices.contains(status) ? statuses[status] : String(status)
    }

    /// Reads `grpc-timeout`: up to eight digits and a unit.
    ///
    /// - Returns: nanoseconds.
    public static func timeout(_ value: some Collection<UInt8>) -> UInt64? {
        let digits = value.prefix { $0 &- 0x30 < 10 }
        guard (1...8).contains(digits.count), value.count == digits.count + 1,
            let unit = value.dropFirst(digits.count).first
        else { return nil }
        let units: [Unicode.Scalar: Int64] = [
            "H": 3_600_000_000_000, "M": 60_000_000_000, "S": 1_000_000_000, "m": 1_000_000, "u": 1000, "n": 1,
        ]
        guard let length = units[Unicode.Scalar(unit)], let count = UntrustedNumber(digits: digits) else { return nil }
        return count.times(UntrustedNumber(length)).clamped()
    }

    /// The lines that end a call.
    ///
    /// - Parameter details: a `google.rpc.Status`, written.
    public static func trailers(status: Int, message: String, details: [UInt8]) -> [UInt8] {
        var text = "grpc-status: \(status)\r\n"
        if !message.isEmpty { text += "grpc-message: \(escaped(message))\r\n" }
        if !details.isEmpty {
            let value = Base64Encoder.text(details).prefix { $0 != "=" }
            text += "grpc-status-details-bin: \(value)\r\n"
        }
        return Array(text.utf8)
    }

    /// As `grpc-message` has it: all but visible ASCII is escaped, and the percent sign.
    private static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { escaped, byte in
            if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                escaped += "%" + Hex.text([byte]).uppercased()
            }
        }
    }
}

/// One message of a call as it is framed.
public struct GRPCFrame: Sendable {
    public let isCompressed: Bool
    /// Of gRPC-Web, in place of HTTP's.
    public let isTrailers: Bool
    public let length: Int
    public let bytes: ArraySlice<UInt8>
    public let rest: ArraySlice<UInt8>

    public var isCut: Bool { bytes.count < length }

    public init?(_ body: ArraySlice<UInt8>) {
        guard body.count >= 5, let flag = body.first, flag & 0x7E == 0 else { return nil }
        let head = body.prefix(5).dropFirst()
        length = head.reduce(0) { $0 << 8 | Int($1) }
        isCompressed = flag & 1 != 0
        isTrailers = flag & 0x80 != 0
        bytes = body.dropFirst(5).prefix(length)
        rest = body.dropFirst(5).dropFirst(length)
    }
}

extension GRPC {
    /// The bytes of a body of `grpc-web-text`: pieces of Base64, each with its own padding.
    ///
    /// - Parameter isWhole: nothing of the text is missing at its end.
    public static func decodedText(_ text: ArraySlice<UInt8>, isWhole: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.filter { $0 > 0x20 }[...]
        while let first = rest.firstIndex(of: UInt8(ascii: "=")) {
            let end = rest[first...].firstIndex { $0 != UInt8(ascii: "=") } ?? rest.endIndex
            guard let piece = Base64Decoder.bytes(String(decoding: rest[..<end], as: UTF8.self)) else { return nil }
            bytes += piece
            rest = rest[end...]
        }
        if isWhole, rest.count % 4 != 0 { return nil }
        // The text may be cut within a group.
        guard let last = Base64Decoder.bytes(String(decoding: rest.prefix(rest.count / 4 * 4), as: UTF8.self)) else {
            return nil
        }
        return bytes + last
    }
}
