import CNghttp2

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Turns the text of a head into the fields of HTTP/2, as ranges of that text; the library copies them.
struct HeadWriting {
    enum Kind {
        case request, answer, trailers
    }

    private(set) var fields: [nghttp2_nv] = []
    /// The request asks for another protocol (RFC 8441).
    private(set) var opensTunnel = false
    /// The answer opens a tunnel: 101, which is 200 in HTTP/2 (RFC 8441 5.1).
    private(set) var grantsTunnel = false
    private(set) var isInterim = false

    /// - Parameter text: lines with CRLF; what it holds was checked when it was read.
    mutating func read(_ text: HeaderBytes, _ kind: Kind, isSecure: Bool) -> Bool {
        fields.removeAll(keepingCapacity: true)
        opensTunnel = false
        grantsTunnel = false
        isInterim = false
        var rest = text
        switch kind {
        case .request:
            // Replaced when the request's line and its Host have been seen.
            for _ in 0..<4 { fields.append(nghttp2_nv()) }
            guard let line = rest.takeLine(), readRequestLine(line, isSecure: isSecure) else { return false }
        case .answer:
            guard let line = rest.takeLine(), line.count >= 12 else { return false }
            readStatus(HeaderBytes(rebasing: line[9..<12]))
        case .trailers: break
        }
        while let line = rest.takeLine(), !line.isEmpty {
            guard let colon = line.index(of: UInt8(ascii: ":")) else { return false }
            let value = HeaderBytes(rebasing: line[(colon + 1)...]).trimmed
            add(HeaderBytes(rebasing: line[..<colon]), value)
        }
        if kind == .request { finishRequest() }
        return true
    }

    private mutating func readRequestLine(_ line: HeaderBytes, isSecure: Bool) -> Bool {
        guard let first = line.index(of: 0x20), line.count - first > 10 else { return false }
        let target = HeaderBytes(rebasing: line[(first + 1)..<(line.count - 9)])
        fields[0] = Self.field(Self.method, HeaderBytes(rebasing: line[..<first]))
        fields[1] = Self.field(Self.path, target)
        fields[2] = Self.field(Self.scheme, isSecure ? Self.https : Self.http)
        return true
    }

    /// The request asked for a tunnel, and this answer grants none.
    mutating func refuseTunnel() {
        guard !grantsTunnel, fields[0].valuelen == 3, fields[0].value[0] == UInt8(ascii: "2") else { return }
        fields[0] = Self.field(Self.status, Self.refused)
    }

    private mutating func readStatus(_ status: HeaderBytes) {
        grantsTunnel = status.equals("101")
        isInterim = status[0] == UInt8(ascii: "1") && !grantsTunnel
        fields.append(Self.field(Self.status, grantsTunnel ? Self.granted : status))
    }

    /// Fields of the connection have no place in HTTP/2 (RFC 9113 8.2.2).
    private mutating func add(_ name: HeaderBytes, _ value: HeaderBytes) {
        switch name.count {
        case 4 where name.equals("host"):
            if fields.count > 3, fields[3].name == nil { fields[3] = Self.field(Self.authority, value) }
            return
        case 7 where name.equals("upgrade"):
            if fields.count > 3, fields[0].name != nil {
                opensTunnel = true
                webProtocol = value
            }
            return
        case 10 where name.equals("connection") || name.equals("keep-alive"): return
        case 14 where name.equals("http2-settings"): return
        case 16 where name.equals("proxy-connection"): return
        case 17 where name.equals("transfer-encoding") || name.equals("sec-websocket-key"): return
        case 20 where name.equals("sec-websocket-accept"): return
        default: fields.append(Self.field(name, value))
        }
    }

    private var webProtocol = HeaderBytes(start: nil, count: 0)

    private mutating func finishRequest() {
        if fields[3].name == nil { fields.remove(at: 3) }
        guard opensTunnel else { return }
        fields[0] = Self.field(Self.method, Self.connect)
        fields.insert(Self.field(Self.webProtocolName, webProtocol), at: 1)
    }

    private static func field(_ name: HeaderBytes, _ value: HeaderBytes) -> nghttp2_nv {
        // The library reads them only.
        nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.baseAddress),
            value: UnsafeMutablePointer(mutating: value.baseAddress), namelen: name.count, valuelen: value.count,
            flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
    }

    private static func constant(_ text: StaticString) -> HeaderBytes {
        HeaderBytes(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    private static var method: HeaderBytes { constant(":method") }
    private static var path: HeaderBytes { constant(":path") }
    private static var scheme: HeaderBytes { constant(":scheme") }
    private static var authority: HeaderBytes { constant(":authority") }
    private static var webProtocolName: HeaderBytes { constant(":protocol") }
    private static var status: HeaderBytes { constant(":status") }
    private static var connect: HeaderBytes { constant("CONNECT") }
    private static var https: HeaderBytes { constant("https") }
    private static var http: HeaderBytes { constant("http") }
    private static var granted: HeaderBytes { constant("200") }
    private static var refused: HeaderBytes { constant("502") }
}

extension HeaderBytes {
    /// Takes a line and its CRLF off the front.
    mutating func takeLine() -> HeaderBytes? {
        guard let feed = index(of: 0x0A), feed > 0 else { return nil }
        let line = HeaderBytes(rebasing: self[..<(feed - 1)])
        self = HeaderBytes(rebasing: self[(feed + 1)...])
        return line
    }

    func index(of byte: UInt8) -> Int? {
        guard let baseAddress, let found = memchr(baseAddress, CInt(byte), count) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(baseAddress)
    }

    /// Without spaces and tabs around it.
    var trimmed: HeaderBytes {
        var (low, high) = (0, count)
        while low < high, self[low] == 0x20 || self[low] == 0x09 { low += 1 }
        while low < high, self[high - 1] == 0x20 || self[high - 1] == 0x09 { high -= 1 }
        return HeaderBytes(rebasing: self[low..<high])
    }
}
