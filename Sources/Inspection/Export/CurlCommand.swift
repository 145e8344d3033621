import Bytes
import Platform
import Redaction

/// A recorded request as a command for a POSIX shell.
public struct CurlCommand: Sendable {
    /// Content up to this size stands on the command line; the system limits each word to 128 KiB.
    private static let literalLimit = 1 << 16

    private let request: RecordedRequest
    private let variables: SecretVariables

    public init(_ request: RecordedRequest) {
        self.request = request
        variables = .shell(request)
    }

    /// Lines, the last one with its line end.
    public var text: String {
        var lines = variables.preamble(request)
        var words = ["curl"] + options + fieldOptions
        let literal = request.bodyText.flatMap { $0.utf8.count <= Self.literalLimit ? $0 : nil }
        var input: String?
        if !request.body.isEmpty {
            if let literal {
                words.append("--data-raw \(variables.word(literal))")
            } else {
                words.append("--data-binary @-")
                input = Self.wrapped(Base64Encoder.text(request.body))
                if !Replacement.places(in: request.body).isEmpty {
                    lines.append("# Note: secrets in the body stay replaced, as it is too long for a command line.")
                }
            }
        }
        words.append(variables.word(request.url))
        let command = words.joined(separator: " \\\n  ")
        if let input {
            lines.append("base64 -d <<'END' |\n\(input)END\n\(command)")
        } else {
            lines.append(command)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var options: [String] {
        var options: [String] = []
        switch request.version {
        case "HTTP/1.0": options.append("--http1.0")
        // Without TLS curl would ask for an upgrade, which few servers heed.
        case "HTTP/2", "HTTP/2.0":
            options.append(request.url.hasPrefix("http:") ? "--http2-prior-knowledge" : "--http2")
        default: options.append("--http1.1")
        }
        if request.method == "HEAD" {
            options.append("--head")
        } else if request.method != (request.body.isEmpty ? "GET" : "POST") {
            options.append("--request \(variables.word(request.method))")
        }
        // Text that curl would read as patterns, or normalise.
        if request.url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { options.append("--globoff") }
        if request.url.contains("/.") { options.append("--path-as-is") }
        if request.target == "*" { options.append("--request-target '*'") }
        return options
    }

    private var fieldOptions: [String] {
        var options: [String] = []
        if let url = URLText(request.url), url.authority != request.host {
            options.append("--header \(variables.word("Host: \(request.host)"))")
        }
        for field in request.fields {
            // curl's way to say that a field has no value.
            let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            options.append("--header \(variables.word(line))")
        }
        // Fields that curl adds by default.
        var added = ["User-Agent", "Accept"]
        if !request.body.isEmpty { added += ["Content-Type", "Expect"] }
        for name in added where !request.fields.contains(where: { HeadText.isSame($0.name, name) }) {
            options.append("--header '\(name):'")
        }
        return options
    }

    /// Text that is safe in a comment.
    static func printable(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 < 0x20 || $0 >= 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }

    static func wrapped(_ text: String) -> String {
        var lines: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            lines += rest.prefix(76)
            lines.append(0x0A)
            rest = rest.dropFirst(76)
        }
        return String(decoding: lines, as: UTF8.self)
    }
}

extension SecretVariables {
    /// Variables of a shell.
    static func shell(_ request: RecordedRequest) -> SecretVariables {
        SecretVariables(request) { name in
            // Prefixed: a secret named `path` must not become $PATH.
            "SECRET_" + String(decoding: name.utf8.map { $0 == 0x2D ? 0x5F : $0 }, as: UTF8.self).uppercased()
        }
    }

    /// Comments in front of a command: what it lacks.
    func preamble(_ request: RecordedRequest) -> [String] {
        var lines = request.gaps.map { "# Note: \($0)." }
        guard !all.isEmpty else { return lines }
        lines.append("# Secrets were not recorded; set these variables first:")
        lines += all.map { secret in
            let place = CurlCommand.printable(secret.place)
            return "#   \(secret.name)='…'   (\(place), \(secret.replacement.name) \(secret.replacement.digest))"
        }
        return lines
    }

    /// A word for the shell: in single quotes, secrets as variables in double ones.
    func word(_ text: String) -> String {
        let parts = parts(of: text, Path.inQuotes) { "\"$\($0)\"" }
        return parts.isEmpty ? "''" : parts.joined()
    }

    /// Text in pieces: as it is, and the names of secrets; a secret without a name stays replaced.
    func parts(of text: String, _ literal: (String) -> String, _ variable: (String) -> String) -> [String] {
        Replacement.parts(of: text).map { part in
            switch part {
            case .text(let text): literal(text)
            case .secret(let secret):
                name(secret).map(variable) ?? literal("<redacted:\(secret.name):\(secret.digest)>")
            }
        }
    }
}
