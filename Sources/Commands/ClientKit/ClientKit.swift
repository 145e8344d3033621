import Bytes
import TLS

/// Code or configuration that lets one kind of app trust Shunt; all of them stand in ``ClientKits/all``.
struct ClientKit: Sendable {
    /// For `--for`.
    let name: String
    /// What it is for.
    let summary: String
    /// Files with their places in the app's project.
    let files: @Sendable (ClientFacts) -> [ClientFile]
}

/// One file of a kit.
struct ClientFile: Sendable {
    let path: String
    let text: String
}

/// What kits are made of: nothing of it is secret.
struct ClientFacts: Sendable {
    /// Hosts that clients ask for, exact or as `*.shop.test`; `localhost` first.
    let hosts: [String]
    /// The addresses at which other machines find the running Shunt.
    let networkHosts: [String]
    let port: UInt16
    let pagesPort: UInt16
    let profile: String
    /// All profiles with their kinds.
    let profiles: [(name: String, kind: String)]
    /// The CA's certificate.
    let file: String
    let pem: String
    let der: [UInt8]

    /// What apps put in front of a port: it holds for devices, too, where those find Shunt.
    private var host: String { networkHosts.first.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "localhost" }
    var url: String { "https://\(host):\(port)" }
    var pagesURL: String { "http://\(host):\(pagesPort)" }

    /// The exact hosts of routes, without wildcards.
    var routedHosts: [String] {
        hosts.filter { !$0.hasPrefix("*.") && $0 != "localhost" && !networkHosts.contains($0) }
    }

    /// DER as Base64, in lines for source code.
    var base64Lines: [String] {
        let text = Array(Base64Encoder.text(der).utf8)
        return stride(from: 0, to: text.count, by: 76).map {
            String(decoding: text[$0..<min($0 + 76, text.count)], as: UTF8.self)
        }
    }

    /// As a literal with double quotes, for Swift, JavaScript, Python, Java, Dart and JSON: names of hosts, paths and
    /// profiles may hold quotes and backslashes, but a `$` means something in Dart alone.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

enum ClientKits {
    static let all: [ClientKit] = [
        .alamofire, .kingfisher, .nuke, .wkwebview, .urlsession, .ats, .okhttp, .retrofit, .android, .flutter, .node,
        .python, .java, .docker, .curl, .environment, .pytest, .playwright,
        .junit, .xctest,
    ]

    /// Every line of a text behind some spaces, empty lines left empty.
    static func indented(_ lines: [String], by count: Int) -> String {
        let space = String(repeating: " ", count: count)
        return lines.map { $0.isEmpty ? "" : space + $0 }.joined(separator: "\n")
    }
}
