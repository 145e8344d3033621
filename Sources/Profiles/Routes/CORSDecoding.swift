import JSON

/// Which pages may ask.
func decodeOrigins(_ cors: Fields) -> [String] {
    var origins: [String] = []
    for item in cors.texts("origins", one: "an origin like \"https://app.shop.test\"") {
        let origin = cors.reporter.attempt(item.place) { () throws(Refusal) in try corsOrigin(item.text) }
        if let origin, !origins.contains(origin) { origins.append(origin) }
    }
    return origins
}

/// Names of methods or fields.
func tokens(_ key: String, _ one: String, _ fields: Fields, canBeAny: Bool = false) -> [String] {
    var tokens: [String] = []
    for (text, place) in fields.texts(key, one: one) {
        if text == "*", !canBeAny {
            let isResponse = key == "exposedHeaders"
            fields.reporter.report(
                place, "`*` among \"\(key)\"", expected: one,
                hint: isResponse
                    ? "it means nothing where credentials are sent (Fetch)"
                    : "without the key, whatever is asked for may be sent")
        } else if !isToken(text) {
            fields.report(place, "\"\(text)\" among \"\(key)\"", expected: one)
        } else if key == "methods", text != text.uppercased() {
            fields.report(place, "the method \"\(text)\" is not in upper case", expected: "\"\(text.uppercased())\"")
        } else if !tokens.contains(text) {
            tokens.append(text)
        }
    }
    return tokens
}

private let form = "an origin like https://app.shop.test, https://*.shop.test or http://localhost:*"

/// Brings an origin of web pages to the spelling of an Origin field (RFC 6454, 6.2), with `*` where one may stand.
private func corsOrigin(_ text: String) throws(Refusal) -> String {
    if text == "*" {
        throw Refusal(message: "`*` among the origins", expected: form, hint: "without \"origins\", every page may ask")
    }
    guard let mark = text.range(of: "://") else {
        throw Refusal(
            message: "the origin \"\(text)\" has no scheme", expected: form,
            hint: text == "null" ? nil : "write \"https://\(text)\"")
    }
    let scheme = text[..<mark.lowerBound].lowercased()
    guard scheme.utf8.first.map({ (0x61...0x7A).contains($0) }) ?? false,
        scheme.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) })
    else { throw Refusal(message: "\"\(scheme)\" is no scheme", expected: form) }
    var rest = text[mark.upperBound...]
    if let end = rest.firstIndex(where: { "/?#@".contains($0) }) {
        throw Refusal(
            message: "the origin \"\(text)\" is more than scheme, host and port", expected: form,
            hint: rest[end] == "@" ? nil : "write \"\(text[..<end])\"")
    }
    let isAnyPort = rest.hasSuffix(":*")
    if isAnyPort { rest = rest.dropLast(2) }
    let pattern = try HostPattern(parsing: String(rest), allowsLoopback: false)
    let host: String
    switch pattern.scope {
    case .exact(let name): host = name.contains(":") ? "[\(name)]" : name
    case .below(let name): host = "*.\(name)"
    case .any, .loopback, .network:
        throw Refusal(message: "the origin \"\(text)\" has `*` for a whole host", expected: form)
    }
    if isAnyPort { return "\(scheme)://\(host):*" }
    let standard: UInt16? = scheme == "https" ? 443 : scheme == "http" ? 80 : nil
    let port = pattern.port.flatMap { $0 == standard ? nil : ":\($0)" } ?? ""
    return "\(scheme)://\(host)\(port)"
}
