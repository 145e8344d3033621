import Bytes
import Redaction

/// A recorded request as code, in the languages that the inspector offers.
public enum RequestCode: String, CaseIterable, Sendable {
    case curl, httpie, swift, alamofire, fetch, python, grpcurl

    /// Its name for people.
    public var title: String {
        switch self {
        case .curl: "curl"
        case .httpie: "HTTPie"
        case .swift: "Swift, URLSession"
        case .alamofire: "Swift, Alamofire"
        case .fetch: "fetch"
        case .python: "Python"
        case .grpcurl: "grpcurl"
        }
    }

    /// Lines, the last one with its line end.
    ///
    /// Each secret that was not recorded is a variable. A body that is not text stands there as Base64.
    public func text(of request: RecordedRequest) -> String {
        switch self {
        case .curl: CurlCommand(request).text
        case .httpie: Self.httpie(request)
        case .swift: SwiftSnippet(request).text
        case .alamofire: SwiftSnippet(request).alamofire
        case .fetch: ScriptSnippet(request, comment: "//", declaration: "const ", end: ";", words: .camel).fetch
        case .python: ScriptSnippet(request, comment: "#", declaration: "", end: "", words: .snake).python
        case .grpcurl: GRPCurlCommand(request).text
        }
    }

    private static func httpie(_ request: RecordedRequest) -> String {
        let variables = SecretVariables.shell(request)
        var words = ["http \(variables.word(request.method)) \(variables.word(request.url))"]
        for field in request.fields {
            words.append(variables.word(field.value.isEmpty ? "\(field.name);" : "\(field.name):\(field.value)"))
        }
        var lines = variables.preamble(request)
        if request.body.isEmpty {
            // Else it would wait for a body at its standard input.
            words[0] = "http --ignore-stdin" + words[0].dropFirst("http".count)
        } else if let text = request.bodyText {
            words.append("--raw \(variables.word(text))")
        } else {
            lines.append("base64 -d <<'END' |\n\(CurlCommand.wrapped(Base64Encoder.text(request.body)))END")
        }
        return (lines + [words.joined(separator: " \\\n  ")]).joined(separator: "\n") + "\n"
    }
}

/// A recorded request for languages whose strings are JSON's, and joined by `+`.
private struct ScriptSnippet {
    enum Words { case camel, snake }

    private let request: RecordedRequest
    private let variables: SecretVariables
    private let preamble: [String]

    init(_ request: RecordedRequest, comment: String, declaration: String, end: String, words: Words) {
        self.request = request
        let variables = SecretVariables(request) { name in
            let parts = name.split { $0 == "-" || $0 == "_" }.map { $0.lowercased() }
            return switch words {
            case .camel: "secret" + parts.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
            case .snake: (["secret"] + parts).joined(separator: "_")
            }
        }
        self.variables = variables
        var lines = request.gaps.map { "\(comment) Note: \($0)." }
        if !variables.all.isEmpty {
            lines.append("\(comment) Secrets were not recorded; fill these in:")
            lines += variables.all.map { secret in
                let (place, known) = (CurlCommand.printable(secret.place), secret.replacement)
                return "\(declaration)\(secret.name) = \"\"\(end)  \(comment) \(place), \(known.name) \(known.digest)"
            }
        }
        preamble = lines
    }

    private func literal(_ text: String) -> String {
        let parts = variables.parts(of: text, Self.quoted) { $0 }
        return parts.isEmpty ? "\"\"" : parts.joined(separator: " + ")
    }

    /// Escaped as both languages read it.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": quoted += "\\\\"
            case "\"": quoted += "\\\""
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.properties.generalCategory.isUnseen && scalar.value <= 0xFFFF:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private func fields(_ indent: String) -> String {
        request.fields.map { "\n\(indent)    \(literal($0.name)): \(literal($0.value))," }.joined()
    }

    var fetch: String {
        var lines = preamble
        lines.append("const response = await fetch(\(literal(request.url)), {")
        lines.append("  method: \(literal(request.method)),\n  headers: {\(fields(""))\n  },")
        if let text = request.bodyText, !text.isEmpty {
            lines.append("  body: \(literal(text)),")
        } else if !request.body.isEmpty {
            let text = Base64Encoder.text(request.body)
            lines.append("  body: Uint8Array.from(atob(\"\(text)\"), character => character.charCodeAt(0)),")
        }
        return (lines + ["});", "console.log(response.status, await response.text());"]).joined(separator: "\n") + "\n"
    }

    var python: String {
        let isBinary = !request.body.isEmpty && request.bodyText == nil
        var lines = [isBinary ? "import base64, requests" : "import requests", ""] + preamble
        lines.append("response = requests.request(\n    \(literal(request.method)), \(literal(request.url)),")
        lines.append("    headers={\(fields("    "))\n    },")
        if let text = request.bodyText, !text.isEmpty {
            lines.append("    data=(\(literal(text))).encode(),")
        } else if isBinary {
            lines.append("    data=base64.b64decode(\"\(Base64Encoder.text(request.body))\"),")
        }
        return (lines + [")", "print(response.status_code, response.text)"]).joined(separator: "\n") + "\n"
    }
}

extension Unicode.GeneralCategory {
    /// Invisible characters, and those that change how the rest is shown.
    var isUnseen: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
