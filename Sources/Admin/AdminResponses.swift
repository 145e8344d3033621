import Engine
import HTTP
import JSON

extension HandledResponse {
    /// A response whose body is an object.
    static func json(
        _ status: Int, fields: [(name: String, value: String)] = [], _ members: (inout JSONWriter) -> Void
    ) -> HandledResponse {
        return json(status, JSONWriter.object(members), fields: fields)
    }

    /// No cache may keep a response, and no browser may sniff another type.
    static func json(
        _ status: Int, _ body: [UInt8], type: String = "application/json",
        fields: [(name: String, value: String)] = []
    ) -> HandledResponse {
        HandledResponse(status: status, fields: common(type) + fields, body: body + [UInt8(ascii: "\n")])
    }

    /// A response whose body is produced while it is sent.
    static func stream(
        _ stream: HandledStream, type: String, fields: [(name: String, value: String)] = []
    ) -> HandledResponse {
        HandledResponse(status: 200, fields: common(type) + fields, stream: stream)
    }

    private static func common(_ type: String) -> [(name: String, value: String)] {
        [
            ("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }

    /// A problem with additional members (RFC 9457).
    static func refusal(_ refusal: AdminRefusal, _ members: (inout JSONWriter) -> Void = { _ in }) -> HandledResponse {
        let problem = JSONWriter.object { object in
            object.member("title", "\(reasonPhrase(for: refusal.status))")
            object.member("status", refusal.status)
            object.member("detail", refusal.message)
            object.member("advice", refusal.advice)
            if let line = refusal.line { object.member("line", line) }
            if let column = refusal.column { object.member("column", column) }
            members(&object)
        }
        return json(refusal.status, problem, type: "application/problem+json", fields: refusal.fields)
    }
}

extension AdminRefusal {
    init(_ error: ProxyError) {
        switch error {
        case .noSuchProfile(let name, let known, let nearest):
            let names = known.joined(separator: ", ")
            self.init(
                404, "there is no profile “\(name)”",
                advice: nearest.map { "Did you mean “\($0)”? There are: \(names)." } ?? "There are: \(names).")
        case .trust(let profile, let reason):
            self.init(409, "the trust rules of profile “\(profile)” cannot be used: \(reason)")
        case .proxy(let profile, let reason):
            self.init(409, "a route of profile “\(profile)” cannot reach its origin: \(reason)")
        case .certificates(let reason): self.init(500, reason)
        case .system(let error), .cannotListen(_, let error): self.init(500, "\(error)")
        }
    }
}
