extension RequestHead {
    /// Tells the forms apart and takes an absolute target's parts (RFC 9112 3.2).
    @inline(__always)
    mutating func resolveTarget(_ bytes: Span<UInt8>) throws(HTTPFailure) {
        authority = 0..<0
        host = 0..<0
        port = nil
        if bytes[target.lowerBound] == 0x2F, method != .connect {
            targetForm = .origin
        } else {
            try resolveOddTarget(bytes)
        }
    }

    @inline(never)
    private mutating func resolveOddTarget(_ bytes: Span<UInt8>) throws(HTTPFailure) {
        if method == .connect {
            targetForm = .authority
            try setAuthority(bytes, target)
            guard port != nil, !host.isEmpty else {
                throw HTTPFailure(
                    .targetForm, "CONNECT \(quoted(bytes, target)) (RFC 9112 3.2.3: host, colon and port are expected)")
            }
            dropPath()
        } else if target.count == 1, bytes[target.lowerBound] == 0x2A {
            targetForm = .asterisk
            guard method == .options else {
                throw HTTPFailure(.targetForm, "target \"*\" (RFC 9112 3.2.4: only OPTIONS may use it)")
            }
            dropPath()
        } else {
            try resolveAbsolute(bytes)
        }
    }

    private mutating func dropPath() {
        path = target.upperBound..<target.upperBound
        query = path
        pathAndQuery = path
    }

    /// RFC 9112 3.2.2: `http://authority[/path][?query]`; clients of WebSockets name their own schemes to a proxy.
    private mutating func resolveAbsolute(_ bytes: Span<UInt8>) throws(HTTPFailure) {
        targetForm = .absolute
        let schemeLength: Int
        if path.count >= 7, bytes.hasPrefix("http://", at: target.lowerBound) {
            schemeLength = 7
        } else if path.count >= 8, bytes.hasPrefix("https://", at: target.lowerBound) {
            schemeLength = 8
        } else if path.count >= 5, bytes.hasPrefix("ws://", at: target.lowerBound) {
            schemeLength = 5
        } else if path.count >= 6, bytes.hasPrefix("wss://", at: target.lowerBound) {
            schemeLength = 6
        } else {
            throw HTTPFailure(
                .targetForm,
                "target \(quoted(bytes, target)) (RFC 9112 3.2: a path, or a URL that begins with http:// or https://)")
        }
        let start = target.lowerBound + schemeLength
        let slash = Scan.byte(0x2F, in: bytes, from: start, to: path.upperBound)
        try setAuthority(bytes, start..<slash)
        guard !host.isEmpty else {
            throw HTTPFailure(
                .host, "target \(quoted(bytes, target)) without a host (RFC 9110 4.2.1: it must not be empty)")
        }
        path = slash..<path.upperBound
        pathAndQuery = slash..<target.upperBound
    }

    /// RFC 9112 3.2: one Host, valid even where the target's authority overrides it.
    @inline(__always)
    mutating func resolveHost(_ bytes: Span<UInt8>) throws(HTTPFailure) {
        guard let field = section.host else {
            guard version == .http10 else {
                throw HTTPFailure(.missingHost, "no Host field (RFC 9112 3.2: HTTP/1.1 requires one)")
            }
            return
        }
        if targetForm == .absolute || targetForm == .authority {
            _ = try Authority(bytes, field.value)
        } else {
            try setAuthority(bytes, field.value)
        }
    }

    @inline(__always)
    private mutating func setAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPFailure) {
        let parts = try Authority(bytes, range)
        authority = range
        host = parts.host
        port = parts.port
    }
}
