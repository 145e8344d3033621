import Bytes
import Reactor

/// What a SOCKS server says about a request (RFC 1928 6).
enum SOCKSReply: UInt8, Error {
    case succeeded = 0
    case failed = 1
    case notAllowed = 2
    case hostUnreachable = 4
    case refused = 5
    case commandNotSupported = 7
    case addressNotSupported = 8

    /// With an address that says nothing.
    var bytes: [UInt8] { [5, rawValue, 0, 1, 0, 0, 0, 0, 0, 0] }

    init(_ failure: EngineFailure) {
        self =
            switch failure.status {
            case 403, 407: .notAllowed
            case 502 where failure.stage == .resolve, 504: .hostUnreachable
            case 502 where failure.stage == .connect: .refused
            default: .failed
            }
    }
}

/// Reads the messages of a SOCKS client; nil while one is not complete.
enum SOCKSMessage {
    /// The methods that a client offers (RFC 1928 3).
    static func methods(_ bytes: [UInt8]) -> (message: [UInt8], length: Int)? {
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return nil }
        let length = 2 + Int(bytes[1])
        return (Array(bytes[2..<length]), length)
    }

    /// User and password as `user:password` (RFC 1929 2).
    static func credentials(_ bytes: [UInt8]) -> (message: [UInt8], length: Int)? {
        guard bytes.count >= 2 else { return nil }
        let middle = 2 + Int(bytes[1])
        guard bytes.count > middle, bytes.count >= middle + 1 + Int(bytes[middle]) else { return nil }
        let end = middle + 1 + Int(bytes[middle])
        return (bytes[2..<middle] + [UInt8(ascii: ":")] + bytes[(middle + 1)..<end], end)
    }

    /// The authority that a client wants to be connected to, or why it cannot be (RFC 1928 4).
    static func request(_ bytes: [UInt8]) -> (message: Result<String, SOCKSReply>, length: Int)? {
        guard bytes.count >= 5 else { return nil }
        let first = bytes[3] == 3 ? 5 : 4
        let count: Int
        switch bytes[3] {
        case 1: count = 4
        case 3: count = Int(bytes[4])
        case 4: count = 16
        default: return (.failure(.addressNotSupported), bytes.count)
        }
        let length = first + count + 2
        guard bytes.count >= length else { return nil }
        guard bytes[0] == 5, bytes[1] == 1 else {
            return (.failure(.commandNotSupported), length)
        }
        let address = Array(bytes[first..<first + count])
        let port = UInt16(bytes[length - 2]) << 8 | UInt16(bytes[length - 1])
        let host: String
        switch bytes[3] {
        case 1: host = SocketAddress(family: .ipv4, bytes: address, port: 0).host
        case 4: host = "[\(SocketAddress(family: .ipv6, bytes: address, port: 0).host)]"
        default:
            // It becomes part of a head.
            guard !address.isEmpty, address.allSatisfy(isOfName) else {
                return (.failure(.addressNotSupported), length)
            }
            let name = String(decoding: address, as: UTF8.self)
            host = name.contains(":") ? "[\(name)]" : name
        }
        return (.success("\(host):\(port)"), length)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        ByteSearch.isAlphanumeric(byte) || ".-_:".utf8.contains(byte)
    }
}

extension Client {
    /// Refuses a SOCKS client's request.
    func refuseSOCKS(_ failure: EngineFailure) async {
        mustClose = true
        _ = await say(SOCKSReply(failure).bytes)
    }
}
