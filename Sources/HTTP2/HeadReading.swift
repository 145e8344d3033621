import Bytes
import CNghttp2

typealias HeaderBytes = UnsafeBufferPointer<UInt8>

/// Turns the fields of a head into text as they come; one for each connection, as heads do not mingle (RFC 9113 4.3).
///
/// The library has checked what RFC 9113 8.2 and 8.3 ask of them: names in small letters, values without line ends,
/// pseudo-header fields first and each once, no fields of the connection.
struct HeadReading {
    private var method: [UInt8] = []
    private var path: [UInt8] = []
    private var authority: [UInt8] = []
    private var webProtocol: [UInt8] = []
    private var status: [UInt8] = []
    private var hasFirstLine = false
    /// Cookies may come crumb by crumb (RFC 9113 8.2.3).
    private var cookie: [UInt8] = []

    mutating func add(_ name: HeaderBytes, _ value: HeaderBytes, to stream: HTTP2Stream) {
        if name.first == UInt8(ascii: ":") {
            switch name.count {
            case 5: path += value
            case 7 where name[1] == UInt8(ascii: "m"): method += value
            case 7 where name[2] == UInt8(ascii: "t"): status += value
            case 9: webProtocol += value
            case 10: authority += value
            default: break
            }
            return
        }
        if !hasFirstLine { writeFirstLine(stream) }
        switch name.count {
        // Another one than `:authority` is left to be found and refused (RFC 9113 8.3.1).
        case 4 where name.equals("host") && !authority.isEmpty && value.elementsEqual(authority): return
        case 6 where name.equals("cookie"):
            if !cookie.isEmpty { cookie += "; ".utf8 }
            cookie += value
            return
        // The other end's key is of no use here; ours stands in its place.
        case 17 where stream.opensTunnel && name.equals("sec-websocket-key"): return
        case 20 where stream.opensTunnel && name.equals("sec-websocket-accept"): return
        default: break
        }
        stream.text.add(name)
        stream.text.add(": ")
        stream.text.add(value)
        stream.text.add("\r\n")
    }

    /// The empty line, and what had to wait for it.
    mutating func finish(_ stream: HTTP2Stream, isTrailers: Bool) {
        if !hasFirstLine && !isTrailers { writeFirstLine(stream) }
        if !cookie.isEmpty {
            stream.text.add("cookie: ")
            cookie.withUnsafeBufferPointer { stream.text.add($0) }
            stream.text.add("\r\n")
        }
        stream.text.add("\r\n")
    }

    /// Forgets the last head and keeps its memory.
    mutating func begin() {
        hasFirstLine = false
        method.removeAll(keepingCapacity: true)
        path.removeAll(keepingCapacity: true)
        authority.removeAll(keepingCapacity: true)
        webProtocol.removeAll(keepingCapacity: true)
        status.removeAll(keepingCapacity: true)
        cookie.removeAll(keepingCapacity: true)
    }

    private mutating func writeFirstLine(_ stream: HTTP2Stream) {
        hasFirstLine = true
        if !status.isEmpty { return writeStatusLine(stream) }
        // Trailers have none.
        guard !method.isEmpty else { return }
        let opensTunnel = !webProtocol.isEmpty
        let isConnect = method.elementsEqual("CONNECT".utf8)
        if opensTunnel {
            stream.opensTunnel = true
            stream.text.add("GET")
        } else {
            method.withUnsafeBufferPointer { stream.text.add($0) }
        }
        stream.text.add(" ")
        (isConnect && !opensTunnel ? authority : path).withUnsafeBufferPointer { stream.text.add($0) }
        stream.text.add(" HTTP/1.1\r\n")
        if !authority.isEmpty {
            stream.text.add("host: ")
            authority.withUnsafeBufferPointer { stream.text.add($0) }
            stream.text.add("\r\n")
        }
        if opensTunnel {
            stream.text.add("connection: upgrade\r\nupgrade: ")
            webProtocol.withUnsafeBufferPointer { stream.text.add($0) }
            stream.text.add("\r\nsec-websocket-key: \(WebSocketKey.random())\r\n")
        }
    }

    private func writeStatusLine(_ stream: HTTP2Stream) {
        if stream.opensTunnel, status.elementsEqual("200".utf8) {
            stream.text.add("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n")
            guard !stream.webSocketAccept.isEmpty else { return }
            stream.text.add("sec-websocket-accept: ")
            stream.webSocketAccept.withUnsafeBufferPointer { stream.text.add($0) }
            stream.text.add("\r\n")
            return
        }
        stream.text.add("HTTP/1.1 ")
        status.withUnsafeBufferPointer { stream.text.add($0) }
        stream.text.add(" \r\n")
    }
}

extension Buffer {
    /// Appends all of it, growing; the caller has checked the limit.
    mutating func add(_ bytes: HeaderBytes) {
        grow(by: bytes.count)
        append(UnsafeRawBufferPointer(bytes))
    }

    mutating func add(_ text: StaticString) {
        add(HeaderBytes(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add($0) }
    }
}

extension HeaderBytes {
    /// Whether it is that text, in small letters or large ones; `text` is in small letters.
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for (index, byte) in enumerated() {
            let small = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            guard small == text.utf8Start[index] else { return false }
        }
        return true
    }
}
