import Bytes
import CNghttp2

typealias HeaderBytes = UnsafeBufferPointer<UInt8>

/// Turns the fields of a head into text as they come; one for each connection, as heads do not mingle (RFC 9113 4.3).
///
/// The library has checked what RFC 9113 8.2 and 8.3 ask of them: names in small letters, values without line ends,
/// pseudo-header fields first and each once, no fields of the connection.
struct HeadReading: ~Copyable {
    private(set) var text = Buffer()
    /// Decoded bytes so far, counted as RFC 9113 6.5.2 has it.
    private(set) var decodedBytes = 0
    /// Not all of the head is in ``text``.
    private(set) var isTooLong = false
    /// The head asks for a WebSocket, or is the response to such a request.
    private(set) var opensTunnel = false
    private var method: [UInt8] = []
    private var path: [UInt8] = []
    private var authority: [UInt8] = []
    private var webProtocol: [UInt8] = []
    /// The request for a WebSocket has a key of the client's own, whose digest it expects back.
    private(set) var hasKey = false
    private var status: [UInt8] = []
    private var hasFirstLine = false
    /// Cookies may come crumb by crumb (RFC 9113 8.2.3).
    private var cookie: [UInt8] = []
    /// The `Sec-WebSocket-Accept` for an HTTP/1.1 client's key.
    private var accept: [UInt8] = []
    private let limits: HTTP2Limits
    private let buffers: BufferPool

    init(_ limits: HTTP2Limits, _ buffers: BufferPool) {
        self.limits = limits
        self.buffers = buffers
    }

    /// Forgets the last head and keeps its memory.
    mutating func begin(opensTunnel: Bool, accept: [UInt8]) {
        text.removeAll()
        text.reserve(from: buffers)
        decodedBytes = 0
        isTooLong = false
        self.opensTunnel = opensTunnel
        if !accept.isEmpty || !self.accept.isEmpty { self.accept = accept }
        hasFirstLine = false
        hasKey = false
        Self.empty(&method)
        Self.empty(&path)
        Self.empty(&authority)
        Self.empty(&webProtocol)
        Self.empty(&status)
        Self.empty(&cookie)
    }

    /// Half of them are empty already.
    private static func empty(_ bytes: inout [UInt8]) { if !bytes.isEmpty { bytes.removeAll(keepingCapacity: true) } }

    /// Gives the text away.
    mutating func take(_ text: inout Buffer) { swap(&text, &self.text) }

    /// Returns false if the connection has to be ended.
    mutating func add(_ name: HeaderBytes, _ value: HeaderBytes) -> Bool {
        decodedBytes += name.count + value.count + 32
        if decodedBytes > limits.bombBytes { return false }
        // The new line, and all that is added besides.
        if isTooLong || text.count + cookie.count + name.count + value.count + 4 > limits.headBytes {
            isTooLong = true
            return true
        }
        guard name.first != UInt8(ascii: ":") else {
            addPseudo(name, value)
            return true
        }
        if !hasFirstLine { writeFirstLine() }
        switch name.count {
        // One that differs from `:authority` is kept, to be refused later (RFC 9113 8.3.1).
        case 4 where name.equals("host") && !authority.isEmpty && value.elementsEqual(authority): return true
        case 6 where name.equals("cookie"):
            if !cookie.isEmpty { cookie += "; ".utf8 }
            cookie += value
            return true
        // RFC 8441 5 knows no key, yet undici sends one and wants it digested; a second one is ignored.
        case 17 where opensTunnel && name.equals("sec-websocket-key"):
            if hasKey || !status.isEmpty { return true }
            hasKey = true
            text.addLine(name, value)
        case 20 where opensTunnel && name.equals("sec-websocket-accept"): return true
        default: text.addLine(name, value)
        }
        return true
    }

    private mutating func addPseudo(_ name: HeaderBytes, _ value: HeaderBytes) {
        switch name.count {
        case 5: path += value
        case 7 where name[1] == UInt8(ascii: "m"): method += value
        case 7 where name[2] == UInt8(ascii: "t"): status += value
        case 9: webProtocol += value
        case 10: authority += value
        default: break
        }
    }

    /// Appends the fields that had to wait, and the empty line.
    mutating func finish(isTrailers: Bool) {
        if !hasFirstLine && !isTrailers { writeFirstLine() }
        if opensTunnel, status.isEmpty, !isTrailers, !hasKey {
            text.add("sec-websocket-key: ")
            text.add(WebSocketKey.random())
            text.add("\r\n")
        }
        if !cookie.isEmpty {
            let name: StaticString = "cookie"
            cookie.withUnsafeBufferPointer {
                text.addLine(HeaderBytes(start: name.utf8Start, count: name.utf8CodeUnitCount), $0)
            }
        }
        text.add("\r\n")
    }

    private mutating func writeFirstLine() {
        hasFirstLine = true
        if !status.isEmpty { return writeStatusLine() }
        // Trailers have none.
        guard !method.isEmpty else { return }
        // Shunt supports no other protocol of extended CONNECT (RFC 8441 4); it is refused as CONNECT is.
        let asksForTunnel = webProtocol.elementsEqual("websocket".utf8)
        let isConnect = method.elementsEqual("CONNECT".utf8)
        if asksForTunnel {
            opensTunnel = true
            text.add("GET")
        } else {
            text.add(method)
        }
        text.add(" ")
        text.add(isConnect && !asksForTunnel ? authority : path)
        // CONNECT in HTTP/1.1 names a port (RFC 9110 9.3.6), extended CONNECT need not.
        if isConnect, !asksForTunnel, !webProtocol.isEmpty, !authority.contains(0x3A) { text.add(":443") }
        text.add(" HTTP/1.1\r\n")
        if !authority.isEmpty {
            text.add("host: ")
            text.add(authority)
            text.add("\r\n")
        }
        if asksForTunnel {
            text.add("connection: upgrade\r\nupgrade: websocket\r\n")
        }
    }

    private mutating func writeStatusLine() {
        if opensTunnel, status.elementsEqual("200".utf8) {
            text.add("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n")
            guard !accept.isEmpty else { return }
            text.add("sec-websocket-accept: ")
            text.add(accept)
            text.add("\r\n")
            return
        }
        text.add("HTTP/1.1 ")
        text.add(status)
        text.add(" \r\n")
    }
}

extension Buffer {
    /// Appends all of it; the caller has checked the limit.
    fileprivate mutating func add(_ bytes: [UInt8]) {
        grow(by: bytes.count)
        bytes.withUnsafeBytes { _ = append($0) }
    }

    fileprivate mutating func add(_ text: StaticString) {
        grow(by: text.utf8CodeUnitCount)
        _ = appendWhole(text)
    }

    /// Appends `name: value` and CRLF.
    fileprivate mutating func addLine(_ name: HeaderBytes, _ value: HeaderBytes) {
        let length = name.count + value.count + 4
        if room < length { grow(by: length) }
        guard let line = unsafeRoom.baseAddress else { return }
        // In one step, since there are many lines.
        if let bytes = name.baseAddress { line.copyMemory(from: bytes, byteCount: name.count) }
        line.storeBytes(of: UInt8(ascii: ":"), toByteOffset: name.count, as: UInt8.self)
        line.storeBytes(of: UInt8(ascii: " "), toByteOffset: name.count + 1, as: UInt8.self)
        if let bytes = value.baseAddress { (line + name.count + 2).copyMemory(from: bytes, byteCount: value.count) }
        line.storeBytes(of: 0x0D, toByteOffset: length - 2, as: UInt8.self)
        line.storeBytes(of: 0x0A, toByteOffset: length - 1, as: UInt8.self)
        didFill(length)
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
