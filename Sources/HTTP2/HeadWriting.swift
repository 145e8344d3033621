import CNghttp2
import Platform

/// Turns the text of a head into the fields of HTTP/2, as ranges of that text; the library copies them.
struct HeadWriting {
    enum Kind {
        case request, trailers
        /// - Parameter toKey: the client sent a key for its WebSocket, and is to have the digest.
        case response(toKey: Bool)
    }

    /// The first ``count`` are the head's; the others are memory for longer heads.
    private(set) var fields: [nghttp2_nv] = []
    private(set) var count = 0
    private var isRequest = false
    private var responsesKey = false
    /// The request asks for another protocol (RFC 8441).
    private(set) var opensTunnel = false
    /// The response opens a tunnel: 101, which is 200 in HTTP/2 (RFC 8441 5.1).
    private(set) var grantsTunnel = false
    private(set) var isInterim = false

    /// - Parameter text: lines with CRLF; they were validated when they were read.
    mutating func read(_ text: HeaderBytes, _ kind: Kind, isSecure: Bool) -> Bool {
        count = 0
        isRequest = false
        responsesKey = false
        opensTunnel = false
        grantsTunnel = false
        isInterim = false
        var rest = text
        switch kind {
        case .request:
            isRequest = true
            // Replaced when the request's line and its Host have been seen.
            for _ in 0..<4 { append(nghttp2_nv()) }
            guard let line = rest.takeLine(), readRequestLine(line, isSecure: isSecure) else { return false }
        case .response(let toKey):
            responsesKey = toKey
            guard let line = rest.takeLine(), line.count >= 12 else { return false }
            readStatus(HeaderBytes(rebasing: line[9..<12]))
        case .trailers: break
        }
        guard readFields(rest) else { return false }
        if isRequest { finishRequest() }
        return true
    }

    /// Field lines, up to an empty one or the end.
    private mutating func readFields(_ text: HeaderBytes) -> Bool {
        guard var line = text.baseAddress else { return true }
        let end = line + text.count
        // By pointers, since there are many lines.
        while let feed = line.first(0x0A, before: end), feed - line > 1 {
            var last = feed - 1
            guard let colon = line.first(UInt8(ascii: ":"), before: last) else { return false }
            var value = colon + 1
            while value < last, value.pointee == 0x20 || value.pointee == 0x09 { value += 1 }
            while last > value, last[-1] == 0x20 || last[-1] == 0x09 { last -= 1 }
            add(HeaderBytes(start: line, count: colon - line), HeaderBytes(start: value, count: last - value))
            line = feed + 1
        }
        return true
    }

    private mutating func append(_ field: nghttp2_nv) {
        if count < fields.count { fields[count] = field } else { fields.append(field) }
        count += 1
    }

    private mutating func readRequestLine(_ line: HeaderBytes, isSecure: Bool) -> Bool {
        guard let first = line.index(of: 0x20), line.count - first > 10 else { return false }
        let target = HeaderBytes(rebasing: line[(first + 1)..<(line.count - 9)])
        fields[0] = Self.pseudo(Self.method, HeaderBytes(rebasing: line[..<first]))
        fields[1] = Self.pseudo(Self.path, target)
        fields[2] = Self.pseudo(Self.scheme, isSecure ? Self.https : Self.http)
        return true
    }

    /// The request asked for a tunnel, and this response grants none.
    mutating func refuseTunnel() {
        guard !grantsTunnel, fields[0].valuelen == 3, fields[0].value[0] == UInt8(ascii: "2") else { return }
        fields[0] = Self.pseudo(Self.status, Self.refused)
    }

    private mutating func readStatus(_ status: HeaderBytes) {
        grantsTunnel = status.equals("101")
        isInterim = status[0] == UInt8(ascii: "1") && !grantsTunnel
        append(Self.pseudo(Self.status, grantsTunnel ? Self.granted : status))
    }

    /// Fields of the connection are malformed in HTTP/2 (RFC 9113 8.2.2).
    private mutating func add(_ name: HeaderBytes, _ value: HeaderBytes) {
        switch name.count {
        case 4 where name.equals("host"):
            if isRequest, fields[3].name == nil { fields[3] = Self.pseudo(Self.authority, value) }
            return
        case 7 where name.equals("upgrade"):
            if isRequest {
                // The engine sends no other `Upgrade` to an origin of HTTP/2; `Upgrade` may be in any case, `:protocol`
                // not.
                opensTunnel = true
            }
            return
        case 10 where name.equals("connection") || name.equals("keep-alive"): return
        case 14 where name.equals("http2-settings"): return
        case 16 where name.equals("proxy-connection"): return
        case 17 where name.equals("transfer-encoding") || name.equals("sec-websocket-key"): return
        case 20 where name.equals("sec-websocket-accept") && !responsesKey: return
        default: append(Self.field(name, value))
        }
    }

    private mutating func finishRequest() {
        if fields[3].name == nil {
            fields.remove(at: 3)
            count -= 1
        }
        guard opensTunnel else { return }
        fields[0] = Self.pseudo(Self.method, Self.connect)
        fields.insert(Self.pseudo(Self.webProtocolName, Self.webSocket), at: 1)
        count += 1
    }

    private static func field(
        _ name: HeaderBytes, _ value: HeaderBytes, _ flags: nghttp2_nv_flag = NGHTTP2_NV_FLAG_NONE
    ) -> nghttp2_nv {
        // The library only reads them.
        nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.baseAddress),
            value: UnsafeMutablePointer(mutating: value.baseAddress), namelen: name.count, valuelen: value.count,
            flags: UInt8(flags.rawValue))
    }

    /// A field whose name is one of the constants, which the library need not copy.
    private static func pseudo(_ name: HeaderBytes, _ value: HeaderBytes) -> nghttp2_nv {
        field(name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME)
    }

    private static func constant(_ text: StaticString) -> HeaderBytes {
        HeaderBytes(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    private static var method: HeaderBytes { constant(":method") }
    private static var path: HeaderBytes { constant(":path") }
    private static var scheme: HeaderBytes { constant(":scheme") }
    private static var authority: HeaderBytes { constant(":authority") }
    private static var webProtocolName: HeaderBytes { constant(":protocol") }
    private static var webSocket: HeaderBytes { constant("websocket") }
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
}

extension UnsafePointer<UInt8> {
    /// Where `byte` is next.
    @inline(__always)
    fileprivate func first(_ byte: UInt8, before end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        memchr(self, CInt(byte), end - self).map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
    }
}
