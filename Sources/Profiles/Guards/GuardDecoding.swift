import JSON

/// RFC 9110, 9.2.1.
private let safe = ["GET", "HEAD", "OPTIONS", "TRACE"]

extension GuardSettings {
    static let forms = "unsafe methods in upper case, \"websocket\" or \"grpc\""
}

/// What a route has under `allow`.
func decodeAllow(_ fields: Fields, into settings: inout GuardSettings) {
    let forms = GuardSettings.forms
    for (text, place) in fields.texts("allow", one: forms) {
        switch text {
        case "websocket": settings.webSocket = true
        case "grpc": settings.grpc = true
        case _ where !isToken(text): fields.reporter.report(place, "\"\(text)\" under \"allow\"", expected: forms)
        case _ where safe.contains(text):
            fields.report(place, "\"\(text)\" under \"allow\"", expected: forms, hint: "safe methods pass without it")
        case _ where text != text.uppercased():
            let name = text.lowercased()
            let isProtocol = name == "websocket" || name == "grpc"
            fields.report(
                place, "\"\(text)\" under \"allow\"", expected: forms,
                hint: "write \"\(isProtocol ? name : text.uppercased())\"")
        default: if !settings.methods.contains(text) { settings.methods.append(text) }
        }
    }
}
