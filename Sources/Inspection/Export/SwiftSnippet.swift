import Bytes
import Redaction

/// A recorded request as Swift code for URLSession.
public struct SwiftSnippet: Sendable {
    private let request: RecordedRequest
    private let variables: SecretVariables

    public init(_ request: RecordedRequest) {
        self.request = request
        variables = SecretVariables(request) { name in
            let words = name.split { $0 == "-" || $0 == "_" }
            return "secret" + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }
    }

    /// The source of a script.
    public var text: String {
        var lines = [
            "import Foundation", "#if canImport(FoundationNetworking)", "import FoundationNetworking", "#endif", "",
        ]
        lines += request.gaps.map { "// Note: \($0)." }
        if !variables.all.isEmpty {
            lines.append("// Secrets were not recorded; fill these in:")
            lines += variables.all.map {
                let place = CurlCommand.printable($0.place)
                return "let \($0.name) = \"\"  // \(place), \($0.replacement.name) \($0.replacement.digest)"
            }
            lines.append("")
        }
        lines.append("var request = URLRequest(url: URL(string: \(literal(request.url)))!)")
        lines.append("request.httpMethod = \(literal(request.method))")
        for field in request.fields {
            lines.append("request.addValue(\(literal(field.value)), forHTTPHeaderField: \(literal(field.name)))")
        }
        if !request.body.isEmpty {
            if let text = request.bodyText {
                lines.append("request.httpBody = Data(\(literal(text)).utf8)")
            } else {
                lines.append("request.httpBody = Data(base64Encoded: \(literal(Base64Encoder.text(request.body))))")
            }
        }
        lines += [
            "", "let (data, response) = try await URLSession.shared.data(for: request)",
            "print((response as? HTTPURLResponse)?.statusCode ?? 0)", "print(String(decoding: data, as: UTF8.self))",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// A string literal, secrets as interpolations.
    private func literal(_ text: String) -> String {
        let parts = Replacement.parts(of: text).map { part in
            switch part {
            case .text(let text): Self.escaped(text)
            case .secret(let secret):
                variables.name(secret).map { "\\(\($0))" } ?? "<redacted:\(secret.name):\(secret.digest)>"
            }
        }
        return "\"" + parts.joined() + "\""
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            // Invisible characters, and those that change how the rest is shown.
            case _
            where scalar.value < 0x20 || scalar.value == 0x7F || scalar.properties.generalCategory == .format
                || scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator:
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
