import Bytes

extension HTTPVersion {
    /// Reads "HTTP/1.1" and "HTTP/1.0" as one word.
    @inline(__always)
    init?(word: UInt64) {
        switch word {
        case 0x312E_312F_5054_5448: self = .http11
        case 0x302E_312F_5054_5448: self = .http10
        default: return nil
        }
    }

    /// RFC 9112 2.3: case-sensitive, one digit each.
    static func parse(_ bytes: Span<UInt8>, _ text: Range<Int>, isPreface: Bool = false) throws(HTTPFailure)
        -> HTTPVersion
    {
        guard text.count == 8, bytes.word(at: text.lowerBound) & 0x00FF_00FF_FFFF_FFFF == 0x002E_002F_5054_5448,
            Scan.isDigit(bytes[text.lowerBound + 5]), Scan.isDigit(bytes[text.lowerBound + 7])
        else {
            throw HTTPFailure(
                .version, "version \(quoted(bytes, text)) (RFC 9112 2.3: \"HTTP/1.1\" or \"HTTP/1.0\" is expected)")
        }
        switch bytes[text.lowerBound + 5] {
        case 0x31: return bytes[text.lowerBound + 7] == 0x30 ? .http10 : .http11
        case 0x32 where isPreface:
            throw HTTPFailure(
                .unsupportedVersion,
                "the HTTP/2 preface on an HTTP/1.1 connection (RFC 9113 3.4: it is what a connection begins with)")
        default:
            throw HTTPFailure(
                .unsupportedVersion, "version \(quoted(bytes, text)) in a request line: HTTP/1.1 and HTTP/1.0 have one")
        }
    }
}
