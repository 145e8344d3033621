/// An origin as a profile spells it, before it is known how its certificate is judged.
struct OriginURL: Hashable {
    let isTLS: Bool
    let isHTTP2: Bool
    let host: String
    let port: UInt16
    let basePath: String
    /// How it is reached; nil for what the environment says.
    var proxy: OriginProxy?
    /// What starts its server; nil where something else does.
    var program: ProgramSettings?

    private static let form = "a URL like https://localhost:3000 or http://10.0.0.2/base"

    init(parsing text: String) throws(Refusal) {
        let mark = text.range(of: "://")
        let start = mark?.upperBound ?? text.startIndex
        // First of all: no other message may repeat a password.
        let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
        guard
            !text.utf8[start...].prefix(while: { $0 != UInt8(ascii: "/") && !isEnd($0) }).contains(UInt8(ascii: "@"))
        else {
            throw Refusal(
                message: "the origin has a user name", expected: Self.form,
                hint: "clients send credentials in a header field")
        }
        guard let mark else {
            throw Refusal(
                message: "the origin \"\(text)\" has no scheme", expected: Self.form, hint: "write \"https://\(text)\"")
        }
        switch text[..<mark.lowerBound].lowercased() {
        case "https": (isTLS, isHTTP2) = (true, false)
        case "http": (isTLS, isHTTP2) = (false, false)
        case "h2c": (isTLS, isHTTP2) = (false, true)
        case let scheme:
            let isWebSocket = scheme == "ws" || scheme == "wss"
            throw Refusal(
                message: "the origin \"\(text)\" has the scheme \"\(scheme)\"", expected: "https, http or h2c",
                hint: isWebSocket ? "WebSockets start as HTTP: write \"\(scheme == "ws" ? "http" : "https")\"" : nil)
        }
        let rest = text[mark.upperBound...]
        if let sign = rest.utf8.first(where: isEnd) {
            let part = sign == UInt8(ascii: "?") ? "query" : "fragment"
            throw Refusal(
                message: "the origin \"\(text)\" has a \(part)", expected: Self.form,
                hint: "requests bring their own")
        }
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let authority = rest[..<slash]
        let (name, port) = try splitAuthority(authority)
        if name.utf8.contains(UInt8(ascii: "*")) {
            throw Refusal(message: "the origin \"\(text)\" contains `*`", expected: "one host")
        }
        host = try normalizedHost(name)
        self.port = port ?? (isTLS ? 443 : 80)
        basePath = try Self.base(rest[slash...], of: text)
    }

    private static func base(_ text: Substring, of url: String) throws(Refusal) -> String {
        if text.isEmpty { return "" }
        for segment in text.split(separator: "/") where segment == "." || segment == ".." {
            throw Refusal(message: "the origin \"\(url)\" has a `\(segment)` segment", expected: "a resolved path")
        }
        // Sent as it stands, apart from what may not stand in a request at all.
        var path: [UInt8] = []
        for byte in text.utf8 {
            if PathBytes.isPlain(byte) || byte == UInt8(ascii: "%") {
                path.append(byte)
            } else {
                path += PathBytes.normalized([byte])
            }
        }
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        return String(decoding: path, as: UTF8.self)
    }

    func address(_ trust: TrustPolicy, expiry: Int64?) -> OriginAddress {
        OriginAddress(
            isTLS: isTLS, host: host, port: port, basePath: basePath, trust: trust, trustExpiry: expiry,
            isHTTP2: isHTTP2, proxy: proxy, program: program)
    }
}
