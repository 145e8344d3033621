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
        lines += preamble
        lines.append("var request = URLRequest(url: URL(string: \(literal(request.url)))!)")
        lines.append("request.httpMethod = \(literal(request.method))")
        for field in request.fields {
            lines.append("request.addValue(\(literal(field.value)), forHTTPHeaderField: \(literal(field.name)))")
        }
        lines += [
            body.map { "request.httpBody = \($0)" }, "",
            "let (data, response) = try await URLSession.shared.data(for: request)",
            "print((response as? HTTPURLResponse)?.statusCode ?? 0)", "print(String(decoding: data, as: UTF8.self))",
        ].compactMap { $0 }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The same for Alamofire.
    var alamofire: String {
        var lines = ["import Alamofire", "import Foundation", ""] + preamble
        lines.append("let response = await AF.request(")
        lines.append("    \(literal(request.url)), method: HTTPMethod(rawValue: \(literal(request.method))),")
        let fields = request.fields.map {
            "\n        HTTPHeader(name: \(literal($0.name)), value: \(literal($0.value))),"
        }
        lines.append("    headers: HTTPHeaders([\(fields.joined())\n    ])")
        lines.append(body.map { ") { request in\n    request.httpBody = \($0)\n}" } ?? ")")
        lines.append(".serializingData().response")
        return (lines + ["print(response.response?.statusCode ?? 0)"]).joined(separator: "\n") + "\n"
    }

    /// What the code lacks.
    private var preamble: [String] {
        var lines = request.gaps.map { "// Note: \($0)." }
        guard !variables.all.isEmpty else { return lines }
        lines.append("// Secrets were not recorded; fill these in:")
        lines += variables.all.map {
            let place = CurlCommand.printable($0.place)
            return "let \($0.name) = \"\"  // \(place), \($0.replacement.name) \($0.replacement.digest)"
        }
        return lines + [""]
    }

    /// The body as an expression; nil without one.
    private var body: String? {
        if request.body.isEmpty { return nil }
        if let text = request.bodyText { return "Data(\(literal(text)).utf8)" }
        return "Data(base64Encoded: \(literal(Base64Encoder.text(request.body))))"
    }

    /// A string literal, secrets as interpolations.
    private func literal(_ text: String) -> String {
        let parts = variables.parts(of: text, Self.escaped) { "\\(\($0))" }
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
            case _ where scalar.properties.generalCategory.isUnseen:
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
