/// Which hosts a rule is for.
struct HostPattern: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case exact(String)
        /// `@loopback`: localhost and below, 127.0.0.0/8, ::1.
        case loopback
        /// `*.example.test`: any number of labels below; the suffix without its first dot.
        case below(String)
        /// `*`
        case any
    }

    let form: Form
    /// The port that the client must have named; nil for any.
    let port: UInt16?

    static let any = HostPattern(form: .any, port: nil)

    /// Reads a pattern; an error says what was expected.
    init(reading text: String, allowsLoopback: Bool) throws(PatternError) {
        if text == "@loopback" {
            guard allowsLoopback else {
                throw PatternError("`@loopback` is for trust rules only", "name the host, such as \"localhost\"")
            }
            self.init(form: .loopback, port: nil)
            return
        }
        let (host, port) = try Self.split(text)
        if host == "*" {
            self.init(form: .any, port: port)
        } else if host.hasPrefix("*.") {
            guard let suffix = HostName.normalised(String(host.dropFirst(2))) else { throw Self.malformed(text) }
            self.init(form: .below(suffix), port: port)
        } else if let name = HostName.normalised(host) {
            self.init(form: .exact(name), port: port)
        } else {
            throw Self.malformed(text)
        }
    }

    private init(form: Form, port: UInt16?) {
        self.form = form
        self.port = port
    }

    private static func malformed(_ text: String) -> PatternError {
        if text.contains("/") {
            return PatternError("\"\(text)\" is no host pattern", "a host without scheme and path")
        }
        return PatternError(
            "\"\(text)\" is no host pattern",
            "a host such as \"api.shop.test\", \"*.shop.test\" for all below, or \"*\"")
    }

    private static func split(_ text: String) throws(PatternError) -> (host: String, port: UInt16?) {
        let colons = text.count { $0 == ":" }
        let afterBracket = text.hasPrefix("[") && !text.hasSuffix("]")
        guard colons == 1 || afterBracket, let colon = text.lastIndex(of: ":") else { return (text, nil) }
        guard let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            throw PatternError("\"\(text)\" has no port after its colon", "a number from 1 to 65535")
        }
        return (String(text[..<colon]), port)
    }

    /// Whether a host in its normal form is meant.
    func matches(_ host: String) -> Bool {
        switch form {
        case .exact(let name): name == host
        case .loopback: HostName.isLoopback(host)
        case .below(let suffix): host.hasSuffix("." + suffix)
        case .any: true
        }
    }

    /// Greater is more specific: exact, then the group, then wildcards by their length, then all.
    var rank: Int {
        switch form {
        case .exact: 1 << 20
        case .loopback: 1 << 19
        case .below(let suffix): 1 + suffix.utf8.count
        case .any: 0
        }
    }

    var text: String {
        let host =
            switch form {
            case .exact(let name): name.contains(":") ? "[\(name)]" : name
            case .loopback: "@loopback"
            case .below(let suffix): "*." + suffix
            case .any: "*"
            }
        return port.map { "\(host):\($0)" } ?? host
    }
}

/// What is wrong with a pattern or a URL, and what was expected.
struct PatternError: Error {
    let message: String
    let expected: String

    init(_ message: String, _ expected: String) {
        self.message = message
        self.expected = expected
    }
}
